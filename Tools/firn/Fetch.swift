import ArgumentParser
import FirnFoundation
import FirnInspection
import FirnLog
import FirnModel
import FirnProjection
import Foundation

import class FirnFoundation.NSPredicate
import class FirnFoundation.NSSortDescriptor

/// `firn fetch`: the objects of an entity that fulfil a condition.
struct Fetch: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Lists objects of an entity.",
        discussion: """
            CONDITION is a predicate format, for example 'name BEGINSWITH[c] "a" AND age > 3'. KEY is a property or a \
            key path; 'KEY:desc' sorts downwards, and --sort may be given several times. \(Point.help)

            COLUMNS are names of attributes and to-one relationships, with commas in between. In CSV the first line \
            has their names; nil is empty, binary values are base64, dates ISO 8601. With --as-of it reads \
            STORE-history, which is made the first time; see 'firn help sql'.
            """)

    @OptionGroup var options: StoreOptions
    @Argument(help: "The name of the entity.") var entity: String
    @Option(name: .customLong("where"), help: ArgumentHelp("Only objects that fulfil this.", valueName: "condition"))
    var condition: String?
    @Option(help: ArgumentHelp("Sort by this key.", valueName: "key")) var sort: [String] = []
    @Option(help: ArgumentHelp("Only these properties.", valueName: "columns")) var columns: String?
    @Option(parsing: .unconditional, help: ArgumentHelp("List at most this number of objects.", valueName: "count"))
    var limit: Int?
    @Option(parsing: .unconditional, help: ArgumentHelp("Skip this number of objects.", valueName: "count"))
    var offset: Int?
    @Option(help: ArgumentHelp("As the store was then.", valueName: "point"), transform: Point.parse) var asOf: Point?
    @Flag(help: "Write how many objects there are, and no objects.") var count = false
    @Flag(help: "Write one JSON object a line.") var json = false
    @Flag(help: "Write comma-separated values.") var csv = false
    @Flag(help: "Show the SQL, its values and how SQLite runs it, and no objects.") var explain = false

    func validate() throws {
        guard limit ?? 0 >= 0, offset ?? 0 >= 0 else {
            throw ValidationError("--limit and --offset cannot be less than 0.")
        }
        guard [json, csv, explain].count(where: { $0 }) <= 1 else {
            throw ValidationError("Choose one of --json, --csv and --explain.")
        }
        guard !count || !csv && !explain && columns == nil else {
            throw ValidationError("--count writes one number; leave --csv, --explain and --columns out.")
        }
    }

    func run() throws {
        let log = try options.openLog()
        let end = try asOf?.state(in: log, of: options.path)
        try asOf?.explained(in: log)
        guard let tables = try StoreTables(options.path, log, at: end) else {
            throw Failure("\(options.path): the store had no model yet, so nothing was saved to it")
        }
        let plan = try self.plan(tables.schema)
        let described = try tables.schema.logModel.entity(named: entity)
        let chosen = try columns.map { try ObjectPrinter.columns($0, of: described) }
        let lines: [String]
        if let end {
            lines = try options.withHistory(of: log) {
                try $0.reader(at: end, copies: false).0.read { try answer(plan, $0, tables, chosen) }
            }
        } else {
            lines = try tables.present().read { try answer(plan, $0, tables, chosen) }
        }
        var output = Output()
        for line in lines { output.line(line) }
        output.flush()
    }

    private func answer(
        _ plan: FetchPlan, _ reader: ProjectionReader, _ tables: StoreTables, _ chosen: [String]?
    ) throws -> [String] {
        if explain { return [Console.printableLines(try reader.explain(plan).description)] }
        if count {
            let count = limit == 0 ? 0 : try reader.count(plan)
            let object: JSONObject = ["count": .number(count)]
            return [json ? object.line : "\(count)"]
        }
        guard limit != 0 || csv else { return [] }
        let rows = try reader.rows(plan)
        if rows.count == 0 { Console.complain("note: \(options.path): no \(entity) to list") }
        let model = tables.schema.logModel
        let names = ModelNames(model, tables.log.externalValues)
        let printer = ObjectPrinter(rows, model, names, entity: plan.entity, columns: chosen)
        return json ? try printer.jsonLines() : csv ? try printer.csvLines(limit) : printer.tableLines
    }

    /// The request as SQL. What is wrong with it is said with its place.
    private func plan(_ schema: StoreSchema) throws -> FetchPlan {
        _ = try schema.logModel.entity(named: entity)
        guard let described = schema.entities.first(where: { $0.name == entity }) else {
            throw Failure("the store's model does not describe the entity “\(entity)”")
        }
        let request = NSFetchRequest<any NSFetchRequestResult>()
        request.entity = described
        request.fetchLimit = limit ?? 0
        request.fetchOffset = offset ?? 0
        do {
            request.predicate = try condition.map { try NSPredicate(validatingFormat: $0) }
        } catch {
            throw Failure("--where: \(error)")
        }
        request.sortDescriptors = try sort.map(Self.sortDescriptor)
        do {
            return try FetchPlan(request, schema: schema)
        } catch let error as UnsupportedPredicate {
            throw Failure(Self.advice(error.description, schema.logModel))
        }
    }

    private static func sortDescriptor(_ text: String) throws -> NSSortDescriptor {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard !parts[0].isEmpty, parts.count < 2 || ["asc", "desc"].contains(parts[1]) else {
            throw Failure("--sort \(text): write a key, KEY:asc or KEY:desc")
        }
        return NSSortDescriptor(key: String(parts[0]), ascending: parts.count < 2 || parts[1] == "asc")
    }

    /// What the store says of a request, with the names that a person may have meant.
    private static func advice(_ reason: String, _ model: LogModel) -> String {
        if reason.contains("withSubstitutionVariables") {
            return reason.prefix { $0 != ";" } + "; write the value itself into the condition"
        }
        guard let found = reason.firstMatch(of: /the entity (?<entity>\S+) has no property “(?<name>[^”]*)”/),
            let entity = model.entities.first(where: { $0.name == found.output.entity })
        else { return reason }
        return reason + Suggestion.text(for: String(found.output.name), among: entity.namedProperties.map(\.name))
    }
}

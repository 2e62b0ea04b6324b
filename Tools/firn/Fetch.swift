import ArgumentParser
import FirnFoundation
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
            """)

    @OptionGroup var options: StoreOptions
    @Argument(help: "The name of the entity.") var entity: String
    @Option(name: .customLong("where"), help: ArgumentHelp("Only objects that fulfil this.", valueName: "condition"))
    var condition: String?
    @Option(help: ArgumentHelp("Sort by this key.", valueName: "key")) var sort: [String] = []
    @Option(help: ArgumentHelp("List so many objects at most.", valueName: "count")) var limit: Int?
    @Option(help: ArgumentHelp("As the store was then.", valueName: "point")) var asOf: Point?
    @Flag(help: "Write one JSON object a line.") var json = false
    @Flag(help: "Show the SQL, its values and how SQLite runs it, and no objects.") var explain = false

    func run() throws {
        let log = try options.openLog()
        let end = try asOf?.sequence(in: log, of: options.path)
        guard let tables = try StoreTables(options.path, log, at: end) else {
            throw Failure("\(options.path): the store had no model yet, so nothing was saved to it")
        }
        let plan = try self.plan(tables.schema)
        let projection = try asOf == nil ? tables.present() : tables.made(in: .memory)
        var output = Output()
        if explain {
            output.line(Console.printableLines(try projection.read { try $0.explain(plan) }.description))
        } else {
            let rows = try projection.read { try $0.rows(plan) }
            let names = ModelNames(tables.schema.logModel, log.externalValues)
            let printer = ObjectPrinter(rows, tables.schema.logModel, names, entity: plan.entity)
            for line in json ? printer.jsonLines : printer.tableLines { output.line(line) }
        }
        output.flush()
    }

    /// The request as SQL. What is wrong with it is said with its place.
    private func plan(_ schema: StoreSchema) throws -> FetchPlan {
        guard let described = schema.entities.first(where: { $0.name == entity }) else {
            let known = schema.entities.compactMap(\.name).sorted().joined(separator: ", ")
            throw Failure("there is no entity “\(entity)” in the store's model; it has \(known)")
        }
        let request = NSFetchRequest<any NSFetchRequestResult>()
        request.entity = described
        request.fetchLimit = max(limit ?? 0, 0)
        do {
            request.predicate = try condition.map { try NSPredicate(validatingFormat: $0) }
        } catch {
            throw Failure("--where: \(error)")
        }
        request.sortDescriptors = sort.map { text in
            let parts = text.split(separator: ":", maxSplits: 1)
            return NSSortDescriptor(
                key: String(parts.first ?? ""), ascending: parts.count < 2 || parts[1] != "desc")
        }
        do {
            return try FetchPlan(request, schema: schema)
        } catch let error as UnsupportedPredicate {
            throw Failure(error.description)
        }
    }
}

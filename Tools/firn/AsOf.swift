import ArgumentParser
import FirnInspection
import FirnLog
import FirnProjection
import Foundation

/// `firn as-of`: the whole store as it was.
struct AsOf: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "as-of",
        abstract: "Shows the store as it was at a point of its history.",
        discussion: """
            \(Point.help) Prints every object with its values, in the terms of the model of that time. With \
            --tables the tables as they were are written to a new SQLite file instead, for any \
            SQLite program. 'firn fetch --as-of' answers a single question. \(HistoryPlace.help)
            """)

    @OptionGroup var options: StoreOptions
    @Argument(help: ArgumentHelp("The point.", valueName: "point"), transform: Point.parse) var point: Point
    @Option(help: ArgumentHelp("Only objects of this entity.", valueName: "name")) var entity: String?
    @Option(help: ArgumentHelp("Write the tables to this file.", valueName: "file"), completion: .file())
    var tables: String?
    @Flag(help: "Write one JSON object a line.") var json = false

    func validate() throws {
        guard tables == nil || entity == nil else {
            throw ValidationError("--tables writes the tables of all entities; leave --entity out.")
        }
    }

    func run() throws {
        let log = try options.openLog()
        let sequence = try point.state(in: log, of: options.path)
        try point.explained(in: log)
        guard let past = try StoreTables(options.path, log, at: sequence) else {
            throw Failure("\(options.path): the store had no model yet after record \(sequence)")
        }
        if let tables { return try write(past, sequence, to: tables) }
        let names = ModelNames(past.schema.logModel, log.externalValues)
        let wanted = try entity.map { try past.schema.logModel.subtree(of: $0) }
        var output = Output()
        try options.withHistory(of: log) { history in
            try history.reader(at: sequence, copies: false).0.read { reader in
                try reader.baseline(model: past.modelSequence) { part in
                    if case .rows(let changes, _) = part { try show(changes, wanted, names, &output) }
                }
            }
        }
        output.finish(orSay: "\(options.path): there were no objects after record \(sequence)")
    }

    private func show(
        _ changes: ChangeSet, _ wanted: Set<EntityNumber>?, _ names: ModelNames, _ output: inout Output
    ) throws {
        for group in changes.groups where wanted?.contains(group.entity) ?? true {
            for row in group.primaryKeys.indices {
                let object = LoggedChange(group: group, row: row, names: names)
                output.line(json ? try Self.line(object) : object.text())
            }
        }
        for group in changes.links where wanted?.contains(group.entity) ?? true {
            for change in LinkChange.all(of: group, names) { output.line(json ? change.json.line : change.text) }
        }
    }

    /// As `firn fetch` writes it.
    private static func line(_ change: LoggedChange) throws -> String {
        let json = try change.json()
        let object: JSONObject = ["object": json["object"], "values": json["new"]]
        return object.line
    }

    private func write(_ past: StoreTables, _ sequence: SequenceNumber, to file: String) throws {
        guard !FileManager.default.fileExists(atPath: file) else {
            throw Failure("\(file): there is a file already; name another one")
        }
        let folder = URL(fileURLWithPath: file).deletingLastPathComponent().path
        guard FileManager.default.fileExists(atPath: folder) else {
            throw Failure("\(file): there is no folder \(folder); make it, or name another file")
        }
        let made = try past.made(in: .file(file))
        made.closeFile()
        Output.write(
            ["store": .text(options.path), "sequence": .number(sequence.rawValue), "tables": .text(file)], asJSON: json,
            ["\(file): the tables of \(options.path) as after record \(sequence)"])
    }
}

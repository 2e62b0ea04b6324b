import ArgumentParser
import FirnLog
import Foundation

/// `firn export`: the history as lines of JSON that other systems read.
struct Export: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Writes the history as lines of JSON, in Debezium's envelope.",
        discussion: """
            One line for each object that a change set touched: op (c created, u updated, d deleted, r read from the \
            baseline of a trimmed log), before and after, source (store, sequence, entity, key, author, context, \
            metadata) and ts_ms, with ts_us beside it. An update has the properties that changed, and names in \
            source.touched the to-many relationships whose members did. Members of to-many relationships that no \
            to-one tells are lines with the op of the link (c, d) and both objects. Dates are ISO 8601, binary values \
            base64, objects Entity/key. 'firn import-changes' reads all this back. \
            \(Point.help)
            """)

    @OptionGroup var options: StoreOptions
    @Option(help: ArgumentHelp("Begin after this record.", valueName: "point"), transform: Point.parse)
    var after: Point?

    func run() throws {
        let log = try options.openLog()
        var models = ModelLibrary(log)
        var output = Output()
        // Without a point the baseline is read too, of a log that has one.
        var position = SequenceNumber.zero
        if let after {
            if case .sequence(0) = after {} else { position = try after.sequence(in: log, of: options.path) }
        }
        let replay = try log.replay(after: position)
        var progress = Progress("exporting: record")
        let head = log.head.rawValue
        while let record = try replay.next() {
            switch record.body {
            case .changes(let changes): try write(changes, record, "", &models, &output)
            case .baseline(.rows(let changes, _)): try write(changes, record, "r", &models, &output)
            default: break
            }
            progress.update(record.sequence.rawValue, of: head)
        }
        progress.finish()
        output.flush()
    }

    /// `operation` stands for all if it is not empty.
    private func write(
        _ changes: ChangeSet, _ record: LogRecord, _ operation: String, _ models: inout ModelLibrary,
        _ output: inout Output
    ) throws {
        let names = try models.names(at: changes.model)
        for group in changes.groups where group.operation != .refresh {
            for (row, key) in group.primaryKeys.enumerated() {
                let change = ObjectChange(group: group, row: row, names: names).json
                var source = source(record)
                source["entity"] = .text(names.entity(group.entity))
                source["key"] = .integer(key)
                if change.has("touched") { source["touched"] = change["touched"] }
                let op = operation.isEmpty ? Self.operation(group.operation) : operation
                output.line(envelope(op, change["old"], change["new"], source, record).line)
            }
        }
        for group in changes.links {
            let name = names.property(group.slot, of: group.entity)?.name ?? "slot \(group.slot)"
            for (op, links) in [("d", group.removed), (operation.isEmpty ? "c" : operation, group.added)] {
                for link in links {
                    var source = source(record)
                    source["relationship"] = .text(names.entity(group.entity) + "." + name)
                    let members = members(link, names)
                    output.line(
                        envelope(op, op == "d" ? members : .null, op == "d" ? .null : members, source, record).line)
                }
            }
        }
    }

    private func members(_ link: Link, _ names: ModelNames) -> JSON {
        var object = JSONObject()
        for (key, end) in [("source", link.source), ("destination", link.destination)] {
            object[key] = .text(names.object(end))
        }
        if link.sourceOrder != 0 { object["sourceOrder"] = .integer(link.sourceOrder) }
        if link.destinationOrder != 0 { object["destinationOrder"] = .integer(link.destinationOrder) }
        return .object(object)
    }

    private func source(_ record: LogRecord) -> JSONObject {
        var source = JSONObject()
        source["store"] = .text(options.path)
        source["sequence"] = .integer(Int64(clamping: record.sequence.rawValue))
        if let author = record.header.author { source["author"] = .text(author) }
        if let context = record.header.contextName { source["context"] = .text(context) }
        if !record.header.metadata.isEmpty {
            source["metadata"] = .object(JSONObject(record.header.metadata.mapValues(JSON.text)))
        }
        return source
    }

    private func envelope(
        _ op: String, _ before: JSON, _ after: JSON, _ source: JSONObject, _ record: LogRecord
    ) -> JSONObject {
        var object = JSONObject()
        object["op"] = .text(op)
        object["before"] = before
        object["after"] = after
        object["source"] = .object(source)
        object["ts_ms"] = .integer(record.header.date / 1000)
        object["ts_us"] = .integer(record.header.date)
        return object
    }

    private static func operation(_ operation: ChangeGroup.Operation) -> String {
        switch operation {
        case .insert: "c"
        case .update: "u"
        case .delete: "d"
        case .refresh: "r"
        }
    }
}

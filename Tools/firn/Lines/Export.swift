import ArgumentParser
import FirnInspection
import FirnLog
import Foundation

/// `firn export`: the history as lines of JSON that other systems read.
struct Export: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Writes the history as lines of JSON, in Debezium's envelope.",
        discussion: """
            One line for each object that a change set touched: op (c created, u updated, d deleted, r read from the \
            baseline of a trimmed log), before and after, source (store, sequence, entity, key, author, context, \
            metadata), ts_ms and ts_us. An update has the properties that changed. source.touched names the to-many \
            relationships whose members changed. Members of to-many relationships without a to-one inverse are lines \
            with the op of the link (c, d) and both objects. Dates are ISO 8601, binary values base64, objects \
            Entity/key. 'firn import-changes' reads all this back. Where the log is damaged, the lines before the \
            damage are written, and the status is 1; so it is where the log has lost records that the tables \
            hold. \
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
        // What can be read before a damaged record is written too.
        defer { output.flush() }
        let envelope = ChangeEnvelope(store: options.path)
        if let after {
            // After record 0 is from the beginning, and so with the baseline.
            if case .sequence(0) = after {} else {
                position = try after.explained(in: log).sequence(in: log, of: options.path)
            }
        }
        let replay = try log.replay(after: position)
        var progress = Progress("exporting: record")
        let head = log.head.rawValue
        while let record = try replay.next() {
            switch record.body {
            case .changes(let changes), .baseline(.rows(let changes, _)):
                let names = try models.names(at: changes.model)
                // All lines of a change set or none: a part of one would be taken for the whole.
                var lines: [String] = []
                try envelope.forEachLine(of: changes, in: record, names) { lines.append($0) }
                for line in lines { output.line(line) }
            default: break
            }
            progress.update(record.sequence.rawValue, of: head)
        }
        progress.finish()
        guard options.lostRecords(of: log) == nil else { throw ExitCode(Failure.Status.damage.rawValue) }
        output.finish(orSay: "\(options.path): no changes after record \(position)")
    }
}

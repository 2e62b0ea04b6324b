#if Server
import FirnInspection
import FirnLog
import FirnProjection

/// Changes of one object, each with the header of its record.
struct ObjectChanges: Sendable {
    struct Entry: Sendable {
        var record: LogRecord
        var change: LoggedChange

        /// Whether the change gave a property its value.
        func sets(_ property: String) -> Bool {
            guard change.group.operation == .insert || change.group.operation == .update else { return false }
            return change.group.slots.contains { change.names.property($0, of: change.group.entity)?.name == property }
        }

        /// Throws for a large value that cannot be read.
        func json() throws -> JSONObject {
            [
                "sequence": .number(record.sequence.rawValue), "date": .text(LogDate(record.header.date).iso8601),
                "author": record.header.author.map(JSON.text), "process": .text(record.header.processName),
                "change": .object(try change.json()),
            ]
        }
    }

    private(set) var entries: [Entry] = []
    /// The next record with a change of the object; nil if there is none.
    let next: SequenceNumber?

    /// Reads the changes in the records of these numbers, without the one behind the limit, in the names of a later
    /// model. Throws when the monitor is cancelled.
    ///
    /// - Parameter model: the record that carries that model; nil for the model of now.
    init(
        of name: ObjectName, at numbers: [SequenceNumber], limit: Int = .max, namedAt model: SequenceNumber? = nil,
        in store: ServedStore, _ monitor: FetchMonitor
    ) throws {
        next = numbers.count > limit ? numbers[limit] : nil
        for number in numbers.prefix(limit) {
            try monitor.check()
            var record = try store.log.record(at: number)
            let changes = try LoggedChange.all(of: name, in: record, of: store.log) {
                try store.laterNames(at: $0, namedAt: model)
            }
            record.body = .changes(ChangeSet(model: .zero))
            entries += changes.map { Entry(record: record, change: $0) }
        }
    }
}
#endif

#if Server
import FirnInspection
import FirnLog
import FirnProjection

/// What happened to one object, part by part.
struct ObjectChanges: Sendable {
    struct Entry: Sendable {
        var record: LogRecord
        var change: ObjectChange

        var json: JSONObject {
            var object = JSONObject()
            object["sequence"] = .integer(Int64(clamping: record.sequence.rawValue))
            object["date"] = .text(LogDate(record.header.date).iso8601)
            if let author = record.header.author { object["author"] = .text(author) }
            object["process"] = .text(record.header.processName)
            object["change"] = .object(change.json)
            return object
        }
    }

    /// Records that are looked at between two looks at the clock.
    private static let stride = 64

    private(set) var entries: [Entry] = []
    /// The last record that was looked at.
    private(set) var position: SequenceNumber
    /// Whether there are more to look at.
    private(set) var isComplete = true

    /// Looks through the records after `start`, until `limit` entries are found or `timeout` is over.
    /// Throws when the monitor is cancelled.
    init(
        of name: ObjectName, in store: ServedStore, after start: SequenceNumber, limit: Int, timeout: Duration,
        _ monitor: FetchMonitor
    ) throws {
        position = start
        let deadline = ContinuousClock.now + timeout
        let reader = try store.log.records(after: start)
        var count = 0
        while let record = try reader.next() {
            if count % Self.stride == 0 { try monitor.check() }
            position = record.sequence
            count += 1
            if case .changes(let changes) = record.body {
                let names = try store.names(at: changes.model)
                for group in changes.groups where names.entity(group.entity) == name.entity {
                    guard let row = group.primaryKeys.firstIndex(of: name.key) else { continue }
                    // Of a large group nothing else is held.
                    let change = ObjectChange(group: group.only(row), row: 0, names: names)
                    entries.append(Entry(record: record.withoutBody, change: change))
                }
            }
            if entries.count >= limit || count % Self.stride == 0 && ContinuousClock.now > deadline {
                isComplete = position >= store.log.head
                return
            }
        }
    }
}

extension ChangeGroup {
    /// The group with one of its rows.
    func only(_ row: Int) -> ChangeGroup {
        func only(_ column: Column) -> Column {
            var result = Column(column.type)
            if column.type == .none { result.appendTouched() } else { result.append(column[row]) }
            return result
        }
        return ChangeGroup(
            entity: entity, operation: operation, primaryKeys: [primaryKeys[row]], slots: slots,
            new: new.map(only), old: old.map(only))
    }
}

extension LogRecord {
    /// The record's header alone.
    var withoutBody: LogRecord {
        LogRecord(sequence: sequence, header: header, body: .changes(ChangeSet(model: .zero)))
    }
}
#endif

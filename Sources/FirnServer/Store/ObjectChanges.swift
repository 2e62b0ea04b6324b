#if Server
import FirnInspection
import FirnLog
import FirnProjection

/// The changes of one object, part by part.
struct ObjectChanges: Sendable {
    struct Entry: Sendable {
        var record: LogRecord
        var change: LoggedChange

        /// The properties that the change gave a value.
        var propertiesSet: [String] {
            guard change.group.operation == .insert || change.group.operation == .update else { return [] }
            return change.group.slots.compactMap { change.names.property($0, of: change.group.entity)?.name }
        }

        /// Throws for a large value that cannot be read.
        func json() throws -> JSONObject {
            var object = JSONObject()
            object["sequence"] = .integer(Int64(clamping: record.sequence.rawValue))
            object["date"] = .text(LogDate(record.header.date).iso8601)
            if let author = record.header.author { object["author"] = .text(author) }
            object["process"] = .text(record.header.processName)
            object["change"] = .object(try change.json())
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
            entries += try Self.entries(of: name, in: record, store)
            if entries.count >= limit || count % Self.stride == 0 && ContinuousClock.now > deadline {
                isComplete = position >= store.log.head
                return
            }
        }
    }

    /// The changes of an object in a record.
    fileprivate static func entries(
        of name: ObjectName, in record: LogRecord, _ store: ServedStore
    ) throws -> [Entry] {
        guard case .changes(let changes) = record.body else { return [] }
        let names = try store.names(at: changes.model)
        return changes.groups.compactMap { group in
            guard names.entity(group.entity) == name.entity, let row = group.primaryKeys.firstIndex(of: name.key)
            else { return nil }
            // Of a large group nothing else is held.
            let key = ObjectKey(entity: group.entity, primaryKey: group.primaryKeys[row])
            let members = RecordMembers(changes, of: [key], names)
            let change = LoggedChange(group: group.only(row), row: 0, names: names, members: members)
            return Entry(record: record.withoutBody, change: change)
        }
    }
}

/// The newest changes of one object, and the change that gave each property its value.
///
///     log   ┊ 64 records ┊ 128 records ┊ … up to 8,192     read from the end, each part forwards
struct ObjectVersions: Sendable {
    private static let partSizeMin: UInt64 = 64
    private static let partSizeMax: UInt64 = 8192

    /// Newest first.
    private(set) var entries: [ObjectChanges.Entry] = []
    /// By the property's name.
    private(set) var setters: [String: ObjectChanges.Entry] = [:]
    /// The record up to which there may be older ones; nil if there are none.
    private(set) var next: SequenceNumber?
    /// The record up to which the setters would have to be looked for, where there was no time left; else nil.
    private(set) var unsearched: SequenceNumber?

    /// Looks through the records up to `last`, until there are `limit` entries and each of the properties has its
    /// setter, or `timeout` is over. Throws when the monitor is cancelled.
    init(
        of name: ObjectName, in store: ServedStore, through last: SequenceNumber, limit: Int,
        setting names: Set<String>, timeout: Duration, _ monitor: FetchMonitor
    ) throws {
        let deadline = ContinuousClock.now + timeout
        var missing = names
        var size = Self.partSizeMin
        var (high, first) = (last, store.log.beforeFirst)
        while high > first, entries.count <= limit || !missing.isEmpty, ContinuousClock.now < deadline {
            let low = max(first, SequenceNumber(high.rawValue - min(size, high.rawValue)))
            for entry in try Self.part(of: name, in: store, after: low, through: high, monitor).reversed() {
                if entries.count <= limit { entries.append(entry) }
                for property in entry.propertiesSet where missing.remove(property) != nil { setters[property] = entry }
                // What was not set when the object was created never was.
                if entry.change.group.operation == .insert { missing = [] }
            }
            high = low
            size = min(2 * size, Self.partSizeMax)
        }
        if high > first, !missing.isEmpty { unsearched = high }
        if entries.count > limit, let extra = entries.popLast() {
            next = extra.record.sequence
        } else if high > first {
            next = high
        }
    }

    private static func part(
        of name: ObjectName, in store: ServedStore, after low: SequenceNumber, through high: SequenceNumber,
        _ monitor: FetchMonitor
    ) throws -> [ObjectChanges.Entry] {
        try monitor.check()
        var entries: [ObjectChanges.Entry] = []
        let reader = try store.log.records(after: low)
        while reader.position < high, let record = try reader.next() {
            entries += try ObjectChanges.entries(of: name, in: record, store)
        }
        return entries
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

#if Server
import FirnInspection
import FirnLog
import FirnProjection

/// The newest changes of an object, perhaps those of one property, and how many there are of each property.
struct ObjectVersions: Sendable {
    private static let batchSize = 50
    /// The most bytes of values that are read for a page, which shows the beginnings of long ones.
    private static let sizeMax = 80_000
    private static let valueMax = 500
    private static let searchTime = Duration.milliseconds(400)
    private static let countingTime = Duration.milliseconds(100)

    private(set) var entries: [ObjectChanges.Entry] = []
    /// The record that the search would go on with; nil if there is none.
    private(set) var next: SequenceNumber?
    /// The versions that changed a property, by its name.
    private(set) var counts: [String: Int] = [:]
    /// The versions that were looked at.
    private(set) var seen = 0
    /// Whether these are all.
    private(set) var isWhole = false

    /// Looks from `last` down until `limit` versions are found, and further for the counts, each for a limited time.
    ///
    /// - Parameter property: the only one whose changes are wanted; nil for all.
    init(
        of name: ObjectName, property: String?, through last: SequenceNumber, limit: Int, in store: ServedStore,
        _ tables: StateReader, _ monitor: FetchMonitor
    ) throws {
        let start = ContinuousClock.now
        let head = try store.refresh()
        var (position, size): (SequenceNumber?, Int) = (last, 0)
        while let through = position {
            let timeout = next == nil ? Self.searchTime : Self.countingTime
            if seen > 0, ContinuousClock.now > start + timeout { break }
            let numbers = try tables.history(at: head) {
                try $0.records(
                    of: name.entity, name.key, after: store.log.beforeFirst, through: through,
                    limit: Self.batchSize + 1, newestFirst: true)
            }
            let part = try ObjectChanges(of: name, at: numbers, limit: Self.batchSize, in: store, monitor)
            for entry in part.entries {
                let changed = entry.change.changed
                for name in changed { counts[name, default: 0] += 1 }
                seen += 1
                guard next == nil, property.map(changed.contains) ?? true else { continue }
                size += entry.change.size(valueMax: Self.valueMax)
                if entries.count == limit || size > Self.sizeMax && !entries.isEmpty {
                    next = entry.record.sequence
                } else {
                    entries.append(entry)
                }
            }
            position = part.next
        }
        isWhole = position == nil
        if next == nil { next = position }
    }
}

extension LoggedChange {
    /// The approximate bytes of the values, at most `valueMax` of each.
    fileprivate func size(valueMax: Int) -> Int {
        values.reduce(0) { size, value in
            [value.old, value.new].reduce(size) { size, value in
                guard case .text(let text)? = value?.value else { return size + 50 }
                return size + min(text.utf8.count, valueMax) + 50
            }
        }
    }

    /// The names of the properties that the change is one of.
    fileprivate var changed: Set<String> {
        let isUpdate = group.operation == .update
        let set = values.filter { _, old, new in
            isUpdate || [old, new].contains { $0.map { !$0.value.isNull } ?? false }
        }
        return Set(set.map(\.name) + touched + relationships.map(\.name))
    }
}
#endif

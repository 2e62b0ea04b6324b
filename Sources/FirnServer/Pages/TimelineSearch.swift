#if Server
import FirnInspection
import FirnLog
import FirnProjection

/// Records, newest first, that fit the filters of the timeline, and how many there are of each author, entity and
/// property.
struct TimelineSearch: Sendable {
    struct Filters: Sendable {
        var entity: String?
        var property: String?
        var author: String?
        var text: String?

        var isOpen: Bool { entity == nil && property == nil && author == nil && text == nil }
    }

    private static let stride = 16
    /// The most records that are looked at for counts alone: some 0.1 s.
    private static let countedMax = 10_000
    private static let countingTime = Duration.milliseconds(100)

    private(set) var records: [LogRecord] = []
    /// The record that the search would go on with; nil at the beginning of the log.
    private(set) var next: SequenceNumber?
    private(set) var counts = TimelineCounts()

    /// Looks from `last` down to `first`, until `limit` records are found or `timeout` is over.
    ///
    /// - Parameter counts: whether to look further for the counts, for a limited time.
    init(
        _ filters: Filters, in store: ServedStore, _ tables: StateReader, from last: SequenceNumber,
        downTo first: SequenceNumber, limit: Int, timeout: Duration, counts isCounting: Bool, _ monitor: FetchMonitor
    ) throws {
        let filter = try store.described {
            try store.filter(author: filters.author, entity: filters.entity, property: filters.property)
        }
        let start = ContinuousClock.now
        let lowest = max(first, 1)
        // The index of words knows all records that have a text.
        let found = try filters.text.map { text in
            if try lowest > last || store.log.currentModel == nil { return [SequenceNumber]() }
            let scope = TextScope(entity: filters.entity, property: filters.property)
            let before = SequenceNumber(lowest.rawValue - 1)
            return try tables.history(at: last) {
                try $0.records(having: text, in: scope, after: before, through: last, monitor)
            }
        }
        /// The record at a place among those that are looked at, the newest first.
        func candidate(at place: Int) -> SequenceNumber? {
            if let found { return place < found.count ? found[place] : nil }
            guard last.rawValue >= UInt64(place), last.rawValue - UInt64(place) >= lowest.rawValue else { return nil }
            return SequenceNumber(last.rawValue - UInt64(place))
        }
        var seen = 0
        while let number = candidate(at: seen) {
            if seen % Self.stride == 0 {
                try monitor.check()
                let isFull = records.count >= limit
                if isFull, seen >= Self.countedMax { break }
                // Of no record nothing can be said, so at least a few are looked at.
                if seen > 0, ContinuousClock.now > start + (isFull ? Self.countingTime : timeout) { break }
            }
            let record = try store.log.record(at: number)
            seen += 1
            guard filter.includes(record) else { continue }
            if records.count < limit {
                records.append(record)
                next = candidate(at: seen)
            }
            if isCounting { try counts.add(record, of: filters.entity, in: store) }
            if records.count >= limit, !isCounting { break }
        }
        if records.count < limit { next = candidate(at: seen) }
        counts.seen = seen
        counts.isWhole = candidate(at: seen) == nil
    }
}

/// The counts of the records that fit the filters, by author, entity and property: what to narrow the timeline to.
struct TimelineCounts: Sendable {
    private(set) var authors: [String: Int] = [:]
    private(set) var entities: [String: Int] = [:]
    private(set) var properties: [String: Int] = [:]
    /// The times of the records that fit, in microseconds, newest first.
    private(set) var dates: [Int64] = []
    /// The records that were looked at.
    fileprivate(set) var seen = 0
    /// Whether these are all records that the dates allow.
    fileprivate(set) var isWhole = true

    private var names: (model: SequenceNumber, names: ModelNames)?

    /// - Parameter entity: the one whose properties are counted; nil for all.
    fileprivate mutating func add(_ record: LogRecord, of entity: String?, in store: ServedStore) throws {
        authors[record.header.author ?? record.header.processName, default: 0] += 1
        dates.append(record.header.date)
        guard case .changes(let changes) = record.body else { return }
        if names?.model != changes.model { names = (changes.model, try store.laterNames(at: changes.model)) }
        guard let names = names?.names else { return }
        var (changed, set) = (Set<String>(), Set<String>())
        for group in changes.groups {
            let name = names.entity(group.entity)
            changed.insert(name)
            guard group.operation == .update, entity == nil || entity == name else { continue }
            set.formUnion(group.slots.compactMap { names.property($0, of: group.entity)?.name })
        }
        for name in changed { entities[name, default: 0] += 1 }
        for name in set { properties[name, default: 0] += 1 }
    }
}
#endif

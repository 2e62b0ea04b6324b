#if Server
import FirnInspection
import FirnLog
import FirnProjection

/// Records, newest first, that fit the filters of the timeline.
struct TimelineSearch: Sendable {
    struct Filters: Sendable {
        var entity: String?
        var author: String?
        var text: String?
    }

    private static let stride = 16

    private(set) var records: [LogRecord] = []
    /// The record that the search would go on with; nil at the beginning of the log.
    private(set) var next: SequenceNumber?

    /// Looks from `last` down to `first`, until `limit` records are found or `timeout` is over.
    init(
        _ filters: Filters, in store: ServedStore, from last: SequenceNumber, downTo first: SequenceNumber, limit: Int,
        timeout: Duration, _ monitor: FetchMonitor
    ) throws {
        let filter = try store.described {
            try store.filter(author: filters.author, entity: filters.entity)
        }
        let lines = try ChangeFilter(store)
        let text = filters.text?.lowercased()
        let deadline = ContinuousClock.now + timeout
        var number = last.rawValue
        var count = 0
        while number >= max(first.rawValue, 1) {
            if count % Self.stride == 0 { try monitor.check() }
            let record = try store.log.record(at: SequenceNumber(number))
            number -= 1
            count += 1
            if filter.includes(record), try text.map({ try lines.contains($0, record, store) }) ?? true {
                records.append(record)
            }
            if records.count >= limit || count % Self.stride == 0 && ContinuousClock.now > deadline { break }
        }
        next = number >= max(first.rawValue, 1) ? SequenceNumber(number) : nil
    }
}

extension ChangeFilter {
    /// Whether a line of the record has the text, in any case.
    fileprivate func contains(_ text: String, _ record: LogRecord, _ store: ServedStore) throws -> Bool {
        try lines(of: record, store).lowercased().contains(text)
    }
}
#endif

#if Server
import FirnInspection
import FirnLog
import FirnProjection

/// How many records each author wrote in each period, and how many changed each entity.
///
/// How many records a period has is known from their dates. Where there are more than can be looked at in the time, its
/// authors and entities are estimated from records at equal distances.
struct ActivityCounts: Sendable {
    /// One author or entity: its count in each period.
    struct Row: Sendable {
        let name: String
        var counts: [Int]
        var total: Int { counts.reduce(0, +) }
    }

    private static let timeout = Duration.milliseconds(250)
    private static let stride = 16
    /// The distance of the records that are looked at first, to be halved.
    private static let firstStep: UInt64 = 64

    let totals: [Int]
    /// By their total, the greatest first.
    private(set) var authors: [Row] = []
    private(set) var entities: [Row] = []
    /// The records that were looked at.
    private(set) var seen = 0
    var total: Int { totals.reduce(0, +) }

    /// - Parameter periods: one behind the other; records outside of `first` to `last` are left out.
    init(
        _ periods: [CalendarPeriods.Period], from first: SequenceNumber, through last: SequenceNumber,
        in store: ServedStore, _ monitor: FetchMonitor
    ) throws {
        var end = first.rawValue
        // The number of each period's first record, and of the next one's.
        let bounds = try periods.map { period in
            let start = end
            let found = try store.log.sequence(atOrBefore: period.end.microseconds - 1).next.rawValue
            end = max(start, min(found, last.rawValue + 1))
            return start..<end
        }
        totals = bounds.map(\.count)
        guard let lowest = bounds.first?.lowerBound, let highest = bounds.last?.upperBound, lowest < highest else {
            return
        }
        var sample = Sample(count: periods.count)
        let start = ContinuousClock.now
        passes: for (offset, step) in Self.passes {
            var period = 0
            for number in Swift.stride(from: lowest + offset, to: highest, by: Int(step)) {
                if seen % Self.stride == 0 {
                    try monitor.check()
                    if seen > 0, ContinuousClock.now > start + Self.timeout { break passes }
                }
                while bounds[period].upperBound <= number { period += 1 }
                try sample.add(store.log.record(at: SequenceNumber(number)), in: period, of: store)
                seen += 1
            }
        }
        authors = sample.rows(sample.authors, totals)
        entities = sample.rows(sample.entities, totals)
    }

    /// Every 64th record, those in the middle between them, and so on until all.
    private static var passes: [(offset: UInt64, step: UInt64)] {
        var (passes, step) = ([(UInt64(0), firstStep)], firstStep)
        while step > 1 {
            passes.append((step / 2, step))
            step /= 2
        }
        return passes
    }
}

/// The records that were looked at.
private struct Sample {
    var authors: [String: [Int]] = [:]
    var entities: [String: [Int]] = [:]
    private var seen: [Int]

    init(count: Int) { seen = Array(repeating: 0, count: count) }

    mutating func add(_ record: LogRecord, in period: Int, of store: ServedStore) throws {
        seen[period] += 1
        let none = Array(repeating: 0, count: seen.count)
        authors[record.header.author ?? record.header.processName, default: none][period] += 1
        guard case .changes(let changes) = record.body else { return }
        let names = try store.laterNames(at: changes.model)
        let links = changes.links.filter { !$0.added.isEmpty || !$0.removed.isEmpty }.map(\.entity)
        for name in Set((changes.groups.map(\.entity) + links).map(names.entity)) {
            entities[name, default: none][period] += 1
        }
    }

    /// The counts of all records, if those of each period are as those of it that were looked at.
    func rows(_ counts: [String: [Int]], _ totals: [Int]) -> [ActivityCounts.Row] {
        counts.map { name, counts in
            let estimates = counts.indices.map { index in
                seen[index] == totals[index] || seen[index] == 0
                    ? counts[index]
                    : Int((Double(counts[index]) * Double(totals[index]) / Double(seen[index])).rounded())
            }
            return ActivityCounts.Row(name: name, counts: estimates)
        }.sorted { ($1.total, $0.name) < ($0.total, $1.name) }
    }
}
#endif

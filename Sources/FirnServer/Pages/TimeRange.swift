#if Server
import FirnInspection
import FirnLog

/// A range of time that is a click away: of the present, and where the last record is of an earlier day, of its time.
struct TimeRange {
    let name: String
    let href: String
    let isChosen: Bool

    private static let now: [(name: String, from: String, to: String?)] = [
        ("Last hour", "-1h", nil), ("Today", "today", nil), ("Yesterday", "yesterday", "today"),
        ("This week", "this week", nil),
    ]

    private static let hour: Int64 = 3_600_000_000
    private static let day = 24 * hour

    /// The ranges that have records, the chosen one, and all of the time.
    ///
    /// - Parameter path: the view that they narrow.
    static func all(of store: ServedStore, _ parameters: QueryParameters, _ path: String) throws -> [TimeRange] {
        let last = try store.log.extent().lastDate ?? 0
        func isChosen(_ from: String?, _ to: String?) -> Bool { parameters["from"] == from && parameters["to"] == to }
        var ranges: [(name: String, from: String?, to: String?)] = now.filter { range in
            guard case .moment(let moment)? = Point(range.from) else { return false }
            return moment.date.microseconds <= last || isChosen(range.from, range.to)
        }
        if case .moment(let today)? = Point("today"), last > 0, last < today.date.microseconds {
            // In the zone in which the service reads them.
            func local(_ date: Int64) -> String { WallClock.system.text(LogDate(date)) }
            ranges += [
                ("Last hour with records", String(local(last - hour).prefix(16)), nil),
                ("Last day with records", String(local(last).prefix(10)), nil),
                ("Last week with records", String(local(last - 6 * day).prefix(10)), nil),
            ]
        }
        ranges.append(("All", nil, nil))
        return ranges.map { name, from, to in
            let query = parameters.query(replacing: ["from": from, "to": to, "before": nil])
            return TimeRange(name: name, href: path + "?" + query, isChosen: isChosen(from, to))
        }
    }
}
#endif

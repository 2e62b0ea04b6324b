#if Server
import FirnInspection
import FirnLog

/// How many records each part of the time has, to be drawn and jumped with.
struct DensityStrip {
    struct Bar {
        let href: String
        let label: String
        let x: String
        let width: String
        let barWidth: String
        let y: String
        let height: String
        /// Whether records of this part fit the filters.
        let isHit: Bool
        /// The part's dates, for a range that is dragged.
        let from: String
        let to: String
    }

    private static let count = 80
    private static let drawingWidth = 960.0
    private static let drawingHeight = 48.0

    let bars: [Bar]
    let label: String
    let start: PageTime
    let end: PageTime

    /// Nil for a log whose records are all of one moment.
    ///
    /// - Parameters:
    ///   - hits: the times of records that fit the filters, newest first.
    ///   - query: the filters as a query, without the range of dates.
    init?(_ store: ServedStore, _ pages: PageLibrary, hits: [Int64], query: String) throws {
        let extent = try store.log.extent()
        guard let first = extent.firstDate, let last = extent.lastDate, last > first else { return nil }
        var counts: [UInt64] = []
        var dates: [Int64] = []
        var before = store.log.beforeFirst
        for index in 0..<Self.count {
            let date = first + Int64(Double(last - first) * Double(index + 1) / Double(Self.count))
            let position = index == Self.count - 1 ? store.log.head : try store.log.sequence(atOrBefore: date)
            counts.append(max(position, before).rawValue - before.rawValue)
            dates.append(date)
            before = max(position, before)
        }
        let most = Double(counts.max() ?? 1)
        let width = Self.drawingWidth / Double(Self.count)
        bars = counts.indices.filter { counts[$0] > 0 }.map { index in
            // A part with one record is seen next to one with a million.
            let height = max(3, (Double(counts[index]) / most).squareRoot() * (Self.drawingHeight - 4))
            let from = index == 0 ? first : dates[index - 1]
            let (start, end) = (LogDate(from).iso8601, LogDate(dates[index]).iso8601)
            let range = "from=\(QueryParameters.encoded(start))&to=\(QueryParameters.encoded(end))"
            return Bar(
                href: "\(pages.base)/?" + (query.isEmpty ? range : "\(query)&\(range)"),
                label: Counted.text(counts[index], "record")
                    + " up to \(PageDate.text(dates[index])), from \(PageDate.text(from)) UTC",
                x: "\(Double(index) * width)", width: "\(width)", barWidth: "\(width - 2)",
                y: "\(Self.drawingHeight - height)", height: "\(height)",
                isHit: hits.contains { $0 >= from && $0 <= dates[index] }, from: start, to: end)
        }
        label = "Records over time, from \(PageDate.text(first)) to \(PageDate.text(last)) UTC, "
            + "most at once \(Int(most))"
        (start, end) = (PageTime(first), PageTime(last))
    }
}
#endif

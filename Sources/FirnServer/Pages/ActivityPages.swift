#if Server
import FirnInspection
import FirnLog
import HTTPTypes
import Hummingbird

/// The page of activity: the records of each author, and those of each entity, over time, drawn and as a table.
struct ActivityPages: Sendable {
    private static let periodMax = 26
    private static let rowMax = 8
    private static let nameMax = 100

    let store: ServedStore
    let queries: QueryRunner
    let timeline: TimelinePages
    let pages: PageLibrary

    private struct Bar {
        let href: String
        let label: String
        let x: Int
        let y: String
        let height: String
    }

    /// One author or entity as a line of bars.
    private struct Row {
        let id: String
        let name: String
        let rowHref: String?
        let total: String
        let description: String
        let bars: [Bar]
    }

    private struct Chart {
        let title: String
        let rows: [Row]
        let others: String?
    }

    private struct TableRow {
        let name: String
        let href: String
        let counts: [String]
    }

    private static let barWidth = 10
    private static let rowHeight = 24.0

    func activity(_ request: Request) async throws -> Response {
        let parameters = try QueryParameters(request, single: ["from", "to"], isForm: true)
        let throughDay = parameters.throughDay("to")
        let (first, last) = try timeline.bounds(throughDay)
        var content: [String: Any] = [
            "from": parameters["from"] ?? "", "to": parameters["to"] ?? "",
            "notes": try throughDay.timeReadings(in: store.log),
            "ranges": try TimeRange.all(of: store, parameters, pages.base + "/activity"),
        ]
        if first <= last, first > .zero {
            let (periods, counts) = try await queries.run { [store] monitor in
                let dates = try [first, last].map { LogDate(try store.log.record(at: $0).header.date) }
                let periods = CalendarPeriods(from: dates[0], to: dates[1], countMax: Self.periodMax)
                return (periods, try ActivityCounts(periods.periods, from: first, through: last, in: store, monitor))
            }
            let isWhole = counts.seen == counts.total
            content["summary"] = Self.summary(counts, periods)
            let charts = [("Authors", "author", counts.authors), ("Entities", "entity", counts.entities)]
            content["charts"] = charts.filter { !$0.2.isEmpty }.map { chart($0, $1, $2, periods, isWhole) }
            content["unit"] = periods.unit.rawValue.prefix(1).uppercased() + periods.unit.rawValue.dropFirst()
            let columns = charts.flatMap { $0.2.prefix(Self.rowMax) }
            content["columns"] = columns.map { PageText.cut($0.name, Self.nameMax) }
            content["tableRows"] = periods.periods.enumerated().map { index, period in
                TableRow(
                    name: period.name, href: href(period, nil),
                    counts: ([counts.totals[index]] + columns.map { $0.counts[index] }).map(String.init))
            }
            content["drawingWidth"] = periods.periods.count * Self.barWidth
            content["start"] = periods.periods.first?.from
            content["end"] = (periods.periods.last?.to.prefix(16)).map(String.init)
        }
        return pages.page("activity", title: "Activity", view: "/activity", content)
    }

    private static func summary(_ counts: ActivityCounts, _ periods: CalendarPeriods) -> String {
        let part = counts.seen == counts.total ? "" : " Who wrote them is estimated from \(counts.seen) of them."
        return "\(Counted.text(counts.total, "record")); a bar is 1 \(periods.unit).\(part) "
            + "Its times are in \(WallClock.systemZone)."
    }

    private func chart(
        _ title: String, _ parameter: String, _ rows: [ActivityCounts.Row], _ periods: CalendarPeriods, _ isWhole: Bool
    ) -> Chart {
        let most = rows.prefix(Self.rowMax).flatMap(\.counts).max() ?? 1
        let rest = rows.dropFirst(Self.rowMax)
        let shown = rows.prefix(Self.rowMax).enumerated().map { index, row in
            self.row(row, id: "\(parameter)-\(index)", parameter, most, periods, isWhole)
        }
        let sum = rest.reduce(0) { $0 + $1.total }
        return Chart(title: title, rows: shown, others: rest.isEmpty ? nil : "\(rest.count) more: \(sum)")
    }

    private func row(
        _ row: ActivityCounts.Row, id: String, _ parameter: String, _ most: Int, _ periods: CalendarPeriods,
        _ isWhole: Bool
    ) -> Row {
        let about = isWhole ? "" : "about "
        // A name that is too long for a parameter is not asked for.
        let isShort = row.name.utf8.count <= Self.nameMax
        let filter = isShort ? "\(parameter)=\(QueryParameters.encoded(row.name))" : nil
        let bars = zip(periods.periods, row.counts).enumerated().compactMap { index, part -> Bar? in
            let (period, count) = part
            guard count > 0 else { return nil }
            // A single record is seen next to thousands.
            let height = max(2, Double(count) / Double(most) * Self.rowHeight)
            return Bar(
                href: href(period, filter), label: "\(periods.unit) of \(period.name): \(about)\(count)",
                x: index * Self.barWidth,
                y: Self.number(Self.rowHeight - height), height: Self.number(height))
        }
        let top = zip(periods.periods, row.counts).max { $0.1 < $1.1 }
        return Row(
            id: id, name: PageText.cut(row.name, Self.nameMax), rowHref: filter.map { "\(pages.base)/?\($0)" },
            total: (isWhole ? "" : "≈ ") + "\(row.total)",
            description: about + Counted.text(row.total, "record")
                + (top.map { ", most in the \(periods.unit) of \($0.0.name): \(about)\($0.1)" } ?? ""),
            bars: bars)
    }

    /// The timeline of a period.
    private func href(_ period: CalendarPeriods.Period, _ filter: String?) -> String {
        let range = "from=\(QueryParameters.encoded(period.from))&to=\(QueryParameters.encoded(period.to))"
        return "\(pages.base)/?" + (filter.map { $0 + "&" } ?? "") + range
    }

    private static func number(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
}
#endif

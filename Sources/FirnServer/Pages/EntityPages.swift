#if Server
import FirnInspection
import FirnLog
import HTTPTypes
import Hummingbird

/// The page of an entity: its objects as a table, which is sorted, filtered and paged.
struct EntityPages: Sendable {
    private static let pageSize = 50

    let objects: ObjectRoutes
    let frame: ObjectPages
    let pages: PageLibrary

    private struct TableColumn {
        let name: String
        let href: String?
        let direction: String?
    }

    private struct Row {
        let name: String
        let href: String
        let cells: [Cell]
    }

    private struct Cell {
        let column: String
        let value: PageValue
    }

    private struct Kept {
        let name: String
        let value: String
    }

    /// A column that may be shown.
    private struct Choice {
        let name: String
        let isShown: Bool
    }

    private static let columnMax = 10
    /// The longest text that fits into a cell.
    private static let lengthMax = 40
    /// The longest link of a column, in bytes: each repeats the predicate, and a page is below 100 KB.
    private static let linkMax = 2_000

    func table(_ request: Request, entity: String) async throws -> Response {
        let parameters = try QueryParameters(
            request, single: ObjectQuery.parameters.single,
            repeated: ObjectQuery.parameters.repeated.union(["columns"]), isForm: true)
        let query = try ObjectQuery(entity: entity, parameters, limit: Self.pageSize)
        let sequence = try parameters.point("as-of").map(frame.store.state(at:))
        let rows = try await objects.rows(query, at: sequence)
        let shown = rows.rows.prefix(query.limit)
        let action = "\(pages.base)/objects/\(QueryParameters.encoded(entity))"
        var content = try frame.asOf(parameters, rows.sequence, action: action)
        content["entity"] = entity
        content["predicate"] = parameters["predicate"] ?? ""
        content["example"] = rows.columns.first.map { "\($0) != nil" } ?? ""
        content["kept"] = ["predicate", "sort"].compactMap { name in
            parameters[name].map { Kept(name: name, value: $0) }
        }
        content["caption"] =
            shown.isEmpty
            ? "No objects as of record \(rows.sequence)"
            : "Objects \(query.offset + 1) to \(query.offset + shown.count) as of record \(rows.sequence)"
        let wanted = parameters.all("columns")
        let related = shown.flatMap(\.values).map(\.value).filter(\.isReference).compactMap(\.text)
        let titles = try await frame.queries.run { [tables = frame.tables] _ in
            tables.titles(of: related, at: sequence)
        }
        let cells = shown.map { row in
            let cells = row.values.map { ($0.name, cell($0.value, $0.name, of: row.name, sequence, titles)) }
            return Dictionary(cells) { first, _ in first }
        }
        // Long texts and files are behind what fits into a line.
        let lengths = rows.columns.map { name in cells.compactMap { $0[name]?.length }.max() ?? 0 }
        let ordered = zip(rows.columns, lengths).filter { wanted.isEmpty || wanted.contains($0.0) }
        let all = (ordered.filter { $0.1 <= Self.lengthMax } + ordered.filter { $0.1 > Self.lengthMax }).map(\.0)
        let columns = Array(all.prefix(Self.columnMax))
        content["columns"] = columns.map { column($0, query, parameters, action) }
        content["choices"] = rows.columns.map { Choice(name: $0, isShown: columns.contains($0)) }
        content["chosen"] = ["predicate", "sort"].flatMap { name in
            parameters.all(name).map { Kept(name: name, value: $0) }
        }
        content["wanted"] = wanted
        content["rows"] = zip(shown, cells).map { row, cells in
            Row(
                name: row.name, href: pages.object(row.name, asOf: sequence?.rawValue),
                cells: columns.compactMap { column in cells[column].map { Cell(column: column, value: $0) } })
        }
        func page(_ offset: Int) -> String {
            action + "?" + parameters.query(replacing: "offset", with: offset == 0 ? nil : "\(offset)")
        }
        if query.offset > 0 { content["previous"] = page(max(0, query.offset - query.limit)) }
        if rows.rows.count > query.limit { content["next"] = page(query.offset + query.limit) }
        return pages.page("objects", title: entity, view: "/objects", content)
    }

    private func cell(
        _ value: ValueText, _ property: String, of object: String, _ sequence: SequenceNumber?,
        _ titles: [String: String]
    ) -> PageValue {
        PageValue(
            value, pages, asOf: sequence?.rawValue, of: PageValue.Place(object: object, property: property), .cell,
            titles: titles)
    }

    private func column(
        _ name: String, _ query: ObjectQuery, _ parameters: QueryParameters, _ action: String
    ) -> TableColumn {
        let isAscending = query.sort.first == name || query.sort.first == name + ":asc"
        let isDescending = query.sort.first == name + ":desc"
        let next = isAscending ? name + ":desc" : name
        let href = action + "?" + parameters.query(replacing: "sort", with: next)
        return TableColumn(
            name: name + (isAscending ? " ↑" : isDescending ? " ↓" : ""),
            href: href.utf8.count <= Self.linkMax ? href : nil,
            direction: isAscending ? "ascending" : isDescending ? "descending" : nil)
    }
}
#endif

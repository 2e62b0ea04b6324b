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
        let href: String
        let direction: String?
    }

    private struct Row {
        let name: String
        let href: String
        let cells: [PageValue]
    }

    private struct Kept {
        let name: String
        let value: String
    }

    func table(_ request: Request, entity: String) async throws -> Response {
        let parameters = try QueryParameters(
            request, single: ObjectQuery.parameters.single, repeated: ObjectQuery.parameters.repeated,
            isForm: true)
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
        content["columns"] = rows.columns.map { column($0, query, parameters, action) }
        content["rows"] = shown.map { row in
            let values = Dictionary(row.values.map { ($0.name, $0.value) }) { first, _ in first }
            return Row(
                name: row.name, href: pages.object(row.name, asOf: sequence?.rawValue),
                cells: rows.columns.compactMap { values[$0] }
                    .map { PageValue($0, pages, asOf: sequence?.rawValue) })
        }
        func page(_ offset: Int) -> String {
            action + "?" + parameters.query(replacing: "offset", with: offset == 0 ? nil : "\(offset)")
        }
        if query.offset > 0 { content["previous"] = page(max(0, query.offset - query.limit)) }
        if rows.rows.count > query.limit { content["next"] = page(query.offset + query.limit) }
        return pages.page("objects", title: entity, view: "/objects", content)
    }

    private func column(
        _ name: String, _ query: ObjectQuery, _ parameters: QueryParameters, _ action: String
    ) -> TableColumn {
        let isAscending = query.sort.first == name || query.sort.first == name + ":asc"
        let isDescending = query.sort.first == name + ":desc"
        let next = isAscending ? name + ":desc" : name
        return TableColumn(
            name: name + (isAscending ? " ↑" : isDescending ? " ↓" : ""),
            href: action + "?" + parameters.query(replacing: "sort", with: next),
            direction: isAscending ? "ascending" : isDescending ? "descending" : nil)
    }
}
#endif

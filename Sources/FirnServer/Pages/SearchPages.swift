#if Server
import FirnInspection
import FirnLog
import FirnProjection
import Foundation
import HTTPTypes
import Hummingbird

/// The page behind the box in the header: objects by the words of their values, as they are and as they were; records
/// and objects by their names.
struct SearchPages: Sendable {
    private static let textMax = 200
    private static let foundMax = 100
    private static let groupMax = 20
    private static let oneGroupMax = 100

    let store: ServedStore
    let tables: StateReader
    let queries: QueryRunner
    let pages: PageLibrary

    private struct Row {
        let name: String
        /// Not `title`: templates look a missing name up further out, where sections have theirs.
        let called: String?
        let href: String
        let property: String
        let value: PageValue
        /// When the object had it.
        let records: String
    }

    private struct Group {
        let entity: String
        let rows: [Row]
        let more: String?
    }

    /// Values that objects have, or that they had.
    private struct Section {
        let title: String
        let groups: [Group]
    }

    private struct Link {
        let href: String
        let text: String
    }

    func search(_ request: Request) async throws -> Response {
        let parameters = try QueryParameters(request, single: ["text", "entity"], isForm: true)
        let text = (parameters["text"] ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
        guard text.count <= Self.textMax else {
            throw RequestFailure.badRequest(
                "the text has \(text.count) characters", remedy: "search for at most \(Self.textMax)")
        }
        if let object = try named(text) { return Response(status: .seeOther, headers: [.location: object]) }
        var content: [String: Any] = ["text": text, "hasText": !text.isEmpty]
        if !text.isEmpty {
            let sections = try await sections(text, parameters["entity"])
            content["sections"] = sections
            content["isEmpty"] = sections.isEmpty
            content["jumps"] = try jumps(text)
            content["links"] = links(text)
        }
        return pages.page("search", title: text.isEmpty ? "Search" : "Search: \(text)", view: "", content)
    }

    /// The page of an object that the text names: `Book/7`, in any case.
    private func named(_ text: String) throws -> String? {
        guard let name = try? ObjectName(text) else { return nil }
        return try object(name.entity, name.key)
    }

    private func object(_ entity: String, _ key: Int64) throws -> String? {
        let names = try store.log.currentModel?.model.entities.map(\.name) ?? []
        let found = names.first { $0 == entity } ?? names.first { $0.lowercased() == entity.lowercased() }
        return found.map { pages.object("\($0)/\(key)") }
    }

    /// The pages that the text may name: of record 17, `17` or `record 17`, or of an object, `book 7`.
    private func jumps(_ text: String) throws -> [Link] {
        let words = text.split(separator: " ").map(String.init)
        guard let number = words.last.flatMap(UInt64.init), number >= 1, words.count <= 2 else { return [] }
        var links: [Link] = []
        if words.count == 1 || words[0].lowercased() == "record", number <= store.log.head.rawValue {
            links.append(Link(href: pages.record(number), text: "Record \(number)"))
        }
        if words.count == 2, let key = Int64(exactly: number), let href = try object(words[0], key) {
            links.append(Link(href: href, text: href.split(separator: "/").suffix(2).joined(separator: "/")))
        }
        return links
    }

    private func sections(_ text: String, _ entity: String?) async throws -> [Section] {
        try await queries.run { [store, tables, pages] monitor in
            guard try store.log.currentModel != nil else { return [] }
            let head = try store.refresh()
            let ages: [(title: String, age: TextScope.Age)] = [("Now", .present), ("Earlier", .ended)]
            let found = try ages.map { title, age in
                let scope = TextScope(entity: entity, age: age)
                let values = try tables.history(at: head) {
                    try $0.texts(TextQuery(text), in: scope, limit: Self.foundMax + 1, monitor)
                }
                return (title, values)
            }
            return try tables.read(at: nil) { state in
                let names = ModelNames(state.schema.logModel, store.log.externalValues)
                return found.filter { !$0.1.isEmpty }.map { title, values in
                    Section(title: title, groups: Self.groups(values, of: entity, text, state, names, pages))
                }
            }
        }
    }

    private static func groups(
        _ found: [FoundText], of entity: String?, _ text: String, _ state: StateReader.State, _ names: ModelNames,
        _ pages: PageLibrary
    ) -> [Group] {
        let entities = found.map(\.now.entity).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        let limit = entity == nil ? groupMax : oneGroupMax
        return entities.map { name in
            let values = found.filter { $0.now.entity == name }
            let isPart = values.count > limit || entity == nil && found.count > foundMax
            let query = "text=\(QueryParameters.encoded(text))"
            return Group(
                entity: name, rows: values.prefix(limit).map { row($0, state, names, pages) },
                more: !isPart
                    ? nil
                    : entity == nil
                        ? "\(pages.base)/search?\(query)&entity=\(QueryParameters.encoded(name))"
                        : "\(pages.base)/?\(query)&entity=\(QueryParameters.encoded(name))")
        }
    }

    private static func row(
        _ found: FoundText, _ state: StateReader.State, _ names: ModelNames, _ pages: PageLibrary
    ) -> Row {
        let object = "\(found.entity)/\(found.key.primaryKey)"
        let title = names.title(of: found.now.key.entity) { slot in
            (try? state.reader.value(of: found.now.key, slot: Int(slot))) ?? nil
        }
        let last = found.end.map { $0.rawValue - 1 }
        return Row(
            name: "\(found.now.entity)/\(found.now.key.primaryKey)", called: title,
            href: pages.object(object, asOf: last), property: found.property,
            value: PageValue(
                ValueText(value: .text(found.value), property: nil, names: names), pages, asOf: nil, .line),
            records: last.map { "records \(found.start) to \($0)" } ?? "now")
    }

    /// The other places where the text could be meant.
    private func links(_ text: String) -> [Link] {
        // The timeline refuses longer filters.
        guard text.utf8.count <= TimelinePages.filterMax else { return [] }
        let query = QueryParameters.encoded(text)
        return [
            Link(href: "\(pages.base)/?text=\(query)", text: "Records that have it, also in earlier values"),
            Link(href: "\(pages.base)/?author=\(query)", text: "Records by authors of that name"),
        ]
    }
}
#endif

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
    private static let foundMax = 200
    private static let groupMax = 20

    let store: ServedStore
    let tables: StateReader
    let queries: QueryRunner
    let pages: PageLibrary

    private struct Row {
        let name: String
        let title: String?
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

    private struct Link {
        let href: String
        let text: String
    }

    func search(_ request: Request) async throws -> Response {
        let parameters = try QueryParameters(request, single: ["text"], isForm: true)
        let text = (parameters["text"] ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
        guard text.count <= Self.textMax else {
            throw RequestFailure.badRequest(
                "the text has \(text.count) characters", remedy: "search for at most \(Self.textMax)")
        }
        if let object = try named(text) { return Response(status: .seeOther, headers: [.location: object]) }
        var content: [String: Any] = ["text": text, "hasText": !text.isEmpty]
        if !text.isEmpty {
            let groups = try await groups(text)
            content["groups"] = groups
            content["isEmpty"] = groups.isEmpty
            content["links"] = try links(text)
        }
        return pages.page("search", title: text.isEmpty ? "Search" : "Search: \(text)", view: "", content)
    }

    /// The page of an object that the text names: `Book/7`.
    private func named(_ text: String) throws -> String? {
        guard let name = try? ObjectName(text),
            let model = try store.log.currentModel?.model, model.entities.contains(where: { $0.name == name.entity })
        else { return nil }
        return pages.object(name.text)
    }

    private func groups(_ text: String) async throws -> [Group] {
        try await queries.run { [store, tables, pages] _ in
            guard try store.log.currentModel != nil else { return [] }
            let found = try tables.history(at: store.refresh()) { try $0.texts(TextQuery(text), limit: Self.foundMax) }
            let entities = found.map(\.entity).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
            return try tables.read(at: nil) { state in
                let names = ModelNames(state.schema.logModel, store.log.externalValues)
                return entities.map { entity in
                    let values = found.filter { $0.entity == entity }
                    let isPart = values.count > Self.groupMax || found.count == Self.foundMax
                    return Group(
                        entity: entity,
                        rows: values.prefix(Self.groupMax).map { Self.row($0, state, names, pages) },
                        more: isPart ? "\(pages.base)/objects/\(entity)" : nil)
                }
            }
        }
    }

    private static func row(
        _ found: FoundText, _ state: StateReader.State, _ names: ModelNames, _ pages: PageLibrary
    ) -> Row {
        let object = "\(found.entity)/\(found.key.primaryKey)"
        let title = names.title(of: found.key.entity) { slot in
            (try? state.reader.value(of: found.key, slot: Int(slot))) ?? nil
        }
        let last = found.end.map { $0.rawValue - 1 }
        return Row(
            name: object, title: title, href: pages.object(object, asOf: last), property: found.property,
            value: PageValue(ValueText(value: .text(found.value), property: nil, names: names), pages, asOf: nil),
            records: last.map { "records \(found.start) to \($0)" } ?? "now")
    }

    /// The other places where the text could be meant.
    private func links(_ text: String) throws -> [Link] {
        var links: [Link] = []
        if let number = UInt64(text), number >= 1, number <= store.log.head.rawValue {
            links.append(Link(href: pages.record(number), text: "Record \(number)"))
        }
        let query = QueryParameters.encoded(text)
        links.append(Link(href: "\(pages.base)/?text=\(query)", text: "Records that have it, also in earlier values"))
        links.append(Link(href: "\(pages.base)/?author=\(query)", text: "Records by authors of that name"))
        return links
    }
}
#endif

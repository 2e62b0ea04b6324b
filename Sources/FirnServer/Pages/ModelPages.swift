#if Server
import FirnInspection
import FirnLog
import FirnProjection
import HTTPTypes
import Hummingbird

/// The page of the model: a drawing, and the same as lists.
struct ModelPages: Sendable {
    let store: ServedStore
    let tables: StateReader
    let queries: QueryRunner
    let pages: PageLibrary

    private struct Entity {
        let name: String
        let href: String
        let parent: String?
        /// Nil where the tables cannot be read at once.
        let objects: String?
        let properties: [Property]
    }

    private struct Property {
        let name: String
        let type: String
        let destination: String?
        let href: String?
    }

    func model(_ request: Request) async throws -> Response {
        _ = try QueryParameters(request, single: [], isForm: true)
        try store.refresh()
        guard let (sequence, model) = try store.log.currentModel else {
            throw RequestFailure.notFound("the store has no model yet", remedy: "look again after the first save")
        }
        let names = ModelNames(model)
        let counts = await counts()
        let drawing = ModelDrawing(model, pages, counts)
        let entities = model.entities.sorted { $0.name < $1.name }.map { entity in
            Entity(
                name: entity.name, href: pages.object(entity.name), parent: entity.parent.map(names.entity),
                objects: counts[entity.name].map { Counted.text($0, "object") },
                properties: entity.namedProperties.map { property($0, names) })
        }
        return pages.page(
            "model", title: "Model", view: "/model",
            [
                "record": "\(sequence)", "entities": entities, "boxes": drawing.boxes, "lines": drawing.lines,
                "width": drawing.width, "height": drawing.height,
            ])
    }

    /// The objects of each entity and those below it, as they are now.
    private func counts() async -> [String: Int] {
        let counts = try? await queries.run { [tables, store] monitor in
            try tables.readPresent(store.refresh()) { state in
                try state.schema.logModel.entities.reduce(into: [String: Int]()) { counts, entity in
                    try monitor.check()
                    counts[entity.name] = try state.reader.count(ObjectQuery(allOf: entity.name).plan(state.schema))
                }
            }
        }
        return (counts ?? nil) ?? [:]
    }

    private func property(_ property: LogProperty, _ names: ModelNames) -> Property {
        let (type, destination): (String, EntityNumber?) =
            switch property.kind {
            case .attribute(let kind): ("\(kind)", nil)
            case .toOne(let destination): ("one", destination)
            case .toMany(let destination, _, let isOrdered, _): (isOrdered ? "many, in order," : "many", destination)
            case .position, .transient: ("not stored", nil)
            }
        return Property(
            name: property.name, type: type, destination: destination.map(names.entity),
            href: destination.map { pages.object(names.entity($0)) })
    }
}
#endif

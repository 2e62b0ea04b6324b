#if Server
import FirnInspection
import FirnLog
import Foundation
import Hummingbird

/// The routes about the store and the service itself.
struct StoreRoutes: Sendable {
    let store: ServedStore
    let metrics: ServerMetrics

    /// `/v1/store`
    func store(_ request: Request) throws -> Response {
        _ = try QueryParameters(request, single: [])
        let log = store.log
        let head = try store.refresh()
        let extent = try log.extent()
        return .json([
            "id": .text(log.storeID.uuidString), "name": .text(store.name), "format": .number(log.formatVersion),
            "first": .number(log.first.rawValue), "head": .number(head.rawValue),
            "baseline": .number(log.baseline.rawValue), "segments": .number(extent.segmentCount),
            "logBytes": .integer(extent.usedSize), "tableBytes": tableSize.map(JSON.integer),
            "firstDate": extent.firstDate.map { .text(LogDate($0).iso8601) },
            "lastDate": extent.lastDate.map { .text(LogDate($0).iso8601) },
            "model": try log.currentModel.map { .object(Self.json($0.model, $0.sequence)) },
        ])
    }

    private var tableSize: Int64? {
        let size = (try? FileManager.default.attributesOfItem(atPath: store.path))?[.size] as? Int
        return size.map(Int64.init)
    }

    private static func json(_ model: LogModel, _ sequence: SequenceNumber) -> JSONObject {
        let names = ModelNames(model)
        func json(_ property: LogProperty) -> JSON {
            let (type, destination): (String, EntityNumber?) =
                switch property.kind {
                case .attribute(let kind): ("\(kind)", nil)
                case .toOne(let destination): ("toOne", destination)
                case .toMany(let destination, _, let isOrdered, _):
                    (isOrdered ? "orderedToMany" : "toMany", destination)
                case .position, .transient: ("none", nil)
                }
            return .object([
                "name": .text(property.name), "type": .text(type),
                "destination": destination.map { .text(names.entity($0)) },
            ])
        }
        let entities: [JSON] = model.entities.map { entity in
            .object([
                "name": .text(entity.name), "parent": entity.parent.map { .text(names.entity($0)) },
                "properties": .array(entity.namedProperties.map(json)),
            ])
        }
        return ["record": .number(sequence.rawValue), "entities": .array(entities)]
    }

    /// `/healthz`: whether the log can be read.
    func health() throws -> Response {
        _ = try store.refresh()
        return .json(["status": .text("ok")])
    }

    /// `/metrics`
    func metricsText() throws -> Response {
        let head = try store.refresh()
        return .text(
            metrics.text(head: head.rawValue, first: store.log.first.rawValue),
            type: "text/plain; version=0.0.4; charset=utf-8")
    }
}
#endif

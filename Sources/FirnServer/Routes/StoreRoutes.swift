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
        var object = JSONObject()
        object["id"] = .text(log.storeID.uuidString)
        object["name"] = .text(store.name)
        object["format"] = .integer(Int64(log.formatVersion))
        object["first"] = .integer(Int64(log.first.rawValue))
        object["head"] = .integer(Int64(head.rawValue))
        object["baseline"] = .integer(Int64(log.baseline.rawValue))
        object["segments"] = .integer(Int64(extent.segmentCount))
        object["logBytes"] = .integer(extent.usedSize)
        if let size = tableSize { object["tableBytes"] = .integer(size) }
        if let date = extent.firstDate { object["firstDate"] = .text(LogDate(date).iso8601) }
        if let date = extent.lastDate { object["lastDate"] = .text(LogDate(date).iso8601) }
        if let (sequence, model) = try log.currentModel { object["model"] = .object(Self.json(model, sequence)) }
        return .json(object)
    }

    private var tableSize: Int64? {
        let size = (try? FileManager.default.attributesOfItem(atPath: store.path))?[.size] as? Int
        return size.map(Int64.init)
    }

    private static func json(_ model: LogModel, _ sequence: SequenceNumber) -> JSONObject {
        let names = ModelNames(model)
        var object = JSONObject()
        object["record"] = .integer(Int64(sequence.rawValue))
        object["entities"] = .array(
            model.entities.map { entity in
                var json = JSONObject()
                json["name"] = .text(entity.name)
                if let parent = entity.parent { json["parent"] = .text(names.entity(parent)) }
                json["properties"] = .array(
                    entity.namedProperties.map { property in
                        var json = JSONObject()
                        json["name"] = .text(property.name)
                        switch property.kind {
                        case .attribute(let kind): json["type"] = .text("\(kind)")
                        case .toOne(let destination):
                            json["type"] = .text("toOne")
                            json["destination"] = .text(names.entity(destination))
                        case .toMany(let destination, _, let isOrdered, _):
                            json["type"] = .text(isOrdered ? "orderedToMany" : "toMany")
                            json["destination"] = .text(names.entity(destination))
                        case .position, .transient: json["type"] = .text("none")
                        }
                        return .object(json)
                    })
                return .object(json)
            })
        return object
    }

    /// `/healthz`: whether the log can be read.
    func health() throws -> Response {
        _ = try store.refresh()
        var object = JSONObject()
        object["status"] = .text("ok")
        return .json(object)
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

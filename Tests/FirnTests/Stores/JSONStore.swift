import Firn
import FirnModel
import Foundation

/// An atomic store of texts in a JSON file: a list of objects, known by their names.
///
///     {"uuid": "…", "objects": [{"entity": "Author", "ref": "ada", "name": "Ada", "books": ["notes"]}]}
final class JSONStore: NSAtomicStore {
    static let storeType = NSPersistentStore.StoreType(rawValue: "JSON")
    static let register: Void = NSPersistentStoreCoordinator.registerStoreClass(JSONStore.self, type: storeType)

    /// What the next save throws.
    var failure: NSError?
    var removedCount = 0

    override var type: String { Self.storeType.rawValue }

    private func contents() throws -> [String: Any]? {
        guard let url, FileManager.default.fileExists(atPath: url.path) else { return nil }
        return try JSONSerialization.jsonObject(with: Data(contentsOf: url)) as? [String: Any]
    }

    override func load() throws {
        guard let contents = try contents() else {
            metadata = [NSStoreUUIDKey: UUID().uuidString, NSStoreTypeKey: type]
            return
        }
        metadata = [NSStoreUUIDKey: contents["uuid"] as? String ?? "", NSStoreTypeKey: type]
        let records = contents["objects"] as? [[String: Any]] ?? []
        let entities = persistentStoreCoordinator?.managedObjectModel.entitiesByName ?? [:]
        var nodes: [String: NSAtomicStoreCacheNode] = [:]
        for record in records {
            guard let name = record["entity"] as? String, let entity = entities[name], let id = record["ref"] as? String
            else { throw CocoaError(.fileReadCorruptFile) }
            nodes[id] = NSAtomicStoreCacheNode(objectID: objectID(for: entity, withReferenceObject: id))
        }
        for record in records {
            guard let node = nodes[record["ref"] as? String ?? ""] else { continue }
            for (name, property) in node.objectID.entity.propertiesByName {
                if let list = record[name] as? [String] {
                    node.setValue(list.compactMap { nodes[$0] }, forKey: name)
                } else if property is NSRelationshipDescription {
                    node.setValue((record[name] as? String).flatMap { nodes[$0] }, forKey: name)
                } else {
                    node.setValue(record[name], forKey: name)
                }
            }
        }
        addCacheNodes(Set(nodes.values))
    }

    override func save() throws {
        if let failure { throw failure }
        let objects = cacheNodes().map { node -> [String: Any] in
            var record: [String: Any] = ["entity": node.objectID.entity.name ?? "", "ref": name(node)]
            for (name, property) in node.objectID.entity.propertiesByName {
                let value = node.value(forKey: name)
                if property is NSRelationshipDescription {
                    let list = (value as? NSOrderedSet)?.array ?? (value as? NSSet)?.allObjects
                    if let list { record[name] = list.compactMap { ($0 as? NSAtomicStoreCacheNode).map(self.name) } }
                    if let one = value as? NSAtomicStoreCacheNode { record[name] = self.name(one) }
                } else if value is String || value is NSNumber {
                    record[name] = value
                }
            }
            return record
        }
        let sorted = objects.sorted { "\($0["ref"] ?? "")" < "\($1["ref"] ?? "")" }
        let contents: [String: Any] = ["uuid": identifier ?? "", "objects": sorted]
        guard let url else { return }
        try JSONSerialization.data(withJSONObject: contents, options: [.sortedKeys]).write(to: url, options: .atomic)
    }

    private func name(_ node: NSAtomicStoreCacheNode) -> String {
        referenceObject(for: node.objectID) as? String ?? "?"
    }

    override func newReferenceObject(for managedObject: NSManagedObject) -> Any {
        guard managedObject.entity.attributesByName["name"] != nil else { return UUID().uuidString }
        return managedObject.text("name")?.lowercased() ?? UUID().uuidString
    }

    override func willRemoveCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) { removedCount += cacheNodes.count }
}

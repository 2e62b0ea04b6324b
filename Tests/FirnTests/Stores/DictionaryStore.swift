import Firn
import FirnModel
import Foundation
import Synchronization

/// An incremental store whose rows are in a dictionary that the test holds, as a server would hold them. Reference
/// objects are texts.
final class DictionaryStore: NSIncrementalStore {
    static let storeType = NSPersistentStore.StoreType(rawValue: "Dictionary")

    /// What the stores with one URL share.
    final class Server: @unchecked Sendable {
        struct Row {
            var entity: String
            var version: UInt64 = 1
            /// To-one relationships as reference objects, to-many ones as lists of them.
            var values: [String: Any] = [:]
        }

        let identifier = UUID().uuidString
        var rows: [String: Row] = [:]
        /// What was asked, in order.
        var log: [String] = []
        var registered: [String] = []
        var next = 0
        var failure: NSError?
        /// Versions are compared, and conflicts reported.
        var reportsConflicts = false
        /// What the next save finds that another client did meanwhile.
        var beforeSave: (() -> Void)?

        func newReference(_ entity: String) -> String {
            next += 1
            return "\(entity.lowercased())-\(next)"
        }
    }

    private static let servers = Mutex<[URL: Server]>([:])

    static func use(_ server: Server, at url: URL) {
        registerOnce
        servers.withLock { $0[url] = server }
    }

    private static let registerOnce: Void = NSPersistentStoreCoordinator.registerStoreClass(
        DictionaryStore.self, type: storeType)

    var server: Server {
        guard let url, let server = Self.servers.withLock({ $0[url] }) else { preconditionFailure("no server") }
        return server
    }

    override var type: String { Self.storeType.rawValue }

    override func loadMetadata() throws {
        metadata = [NSStoreUUIDKey: server.identifier, NSStoreTypeKey: type]
    }

    private func reference(_ id: NSManagedObjectID) -> String { referenceObject(for: id) as? String ?? "?" }

    private func id(_ reference: String, _ entities: [String: NSEntityDescription]) -> NSManagedObjectID? {
        guard let row = server.rows[reference], let entity = entities[row.entity] else { return nil }
        return newObjectID(for: entity, referenceObject: reference)
    }

    override func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws -> Any {
        if let failure = server.failure { throw failure }
        if let save = request as? NSSaveChangesRequest { return try self.save(save) }
        guard let fetch = request as? NSFetchRequest<NSManagedObject>, let context,
            let entity = fetch.entity
        else { throw CocoaError(.persistentStoreUnsupportedRequestType) }
        let entities = entity.managedObjectModel.entitiesByName
        server.log.append("fetch \(entity.name ?? "")")
        let found = server.rows.keys.sorted().compactMap { id($0, entities) }.filter {
            $0.entity.isKindOf(entity: entity)
        }.map { context.object(with: $0) }.filter { fetch.predicate?.evaluate(with: $0) ?? true }
        let sorted = (found as NSArray).sortedArray(using: fetch.sortDescriptors ?? []) as? [NSManagedObject] ?? []
        var window = Array(sorted.dropFirst(fetch.fetchOffset))
        if fetch.fetchLimit > 0 { window = Array(window.prefix(fetch.fetchLimit)) }
        switch fetch.resultType {
        case .countResultType: return [NSNumber(value: window.count)]
        case .managedObjectIDResultType: return window.map(\.objectID)
        case .dictionaryResultType: return window.map { ["name": $0.value(forKey: "name") ?? NSNull()] }
        default: return window
        }
    }

    private func save(_ request: NSSaveChangesRequest) throws -> [Any] {
        server.beforeSave?()
        server.beforeSave = nil
        let counts = [request.insertedObjects, request.updatedObjects, request.deletedObjects, request.lockedObjects]
        server.log.append("save " + counts.map { "\($0?.count ?? 0)" }.joined(separator: " "))
        if server.reportsConflicts { try reportConflicts(request) }
        for object in request.insertedObjects ?? [] {
            let row = Server.Row(entity: object.entity.name ?? "", values: values(object))
            server.rows[reference(object.objectID)] = row
        }
        for object in request.updatedObjects ?? [] {
            // Read first: the values may be faults that this server fills.
            let values = values(object)
            server.rows[reference(object.objectID)]?.values = values
            server.rows[reference(object.objectID)]?.version += 1
        }
        for object in request.deletedObjects ?? [] { server.rows[reference(object.objectID)] = nil }
        return []
    }

    private func reportConflicts(_ request: NSSaveChangesRequest) throws {
        let conflicts = (request.updatedObjects ?? []).compactMap { object -> NSMergeConflict? in
            let row = server.rows[reference(object.objectID)]
            let known = object.committedValues(forKeys: ["name"])["name"] as? String
            guard row?.values["name"] as? String != known else { return nil }
            return NSMergeConflict(
                source: object, newVersion: Int(row?.version ?? 0), oldVersion: 1, cachedSnapshot: nil,
                persistedSnapshot: row?.values)
        }
        guard !conflicts.isEmpty else { return }
        throw NSError(
            domain: NSCocoaErrorDomain, code: NSManagedObjectMergeError, userInfo: ["conflictList": conflicts])
    }

    private func values(_ object: NSManagedObject) -> [String: Any] {
        var result: [String: Any] = [:]
        for (name, attribute) in object.entity.attributesByName where !attribute.isTransient {
            result[name] = object.value(forKey: name)
        }
        for (name, relationship) in object.entity.relationshipsByName {
            if relationship.isToMany {
                let ids = object.objectIDs(forRelationshipNamed: name)
                result[name] = ids.map(reference)
            } else if let other = object.value(forKey: name) as? NSManagedObject {
                result[name] = reference(other.objectID)
            }
        }
        return result
    }

    override func newValuesForObject(
        with objectID: NSManagedObjectID, with context: NSManagedObjectContext
    ) throws -> NSIncrementalStoreNode {
        let name = reference(objectID)
        server.log.append("values \(name)\(context.name.map { " for \($0)" } ?? "")")
        guard let row = server.rows[name] else {
            throw NSError(domain: NSCocoaErrorDomain, code: NSManagedObjectReferentialIntegrityError)
        }
        let attributes = row.values.filter { objectID.entity.attributesByName[$0.key] != nil }
        return NSIncrementalStoreNode(objectID: objectID, withValues: attributes, version: row.version)
    }

    override func newValue(
        forRelationship relationship: NSRelationshipDescription, forObjectWith objectID: NSManagedObjectID,
        with context: NSManagedObjectContext?
    ) throws -> Any {
        server.log.append("\(relationship.name) of \(reference(objectID))")
        let entities = objectID.entity.managedObjectModel.entitiesByName
        let value = server.rows[reference(objectID)]?.values[relationship.name]
        if let list = value as? [String] { return list.compactMap { id($0, entities) } }
        if let other = value as? String, let id = id(other, entities) { return id }
        return relationship.isToMany ? [NSManagedObjectID]() : NSNull() as Any
    }

    override func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] {
        array.map { newObjectID(for: $0.entity, referenceObject: server.newReference($0.entity.name ?? "")) }
    }

    override func managedObjectContextDidRegisterObjects(with objectIDs: [NSManagedObjectID]) {
        server.registered += objectIDs.map { "+\(reference($0))" }.sorted()
    }

    override func managedObjectContextDidUnregisterObjects(with objectIDs: [NSManagedObjectID]) {
        server.registered += objectIDs.map { "-\(reference($0))" }.sorted()
    }
}

import FirnStore
import FirnLog
import FirnModel
import FirnProjection
import Foundation

/// Reading from an incremental store: rows are made of its nodes.
final class IncrementalBackend: StoreBackend {
    let schema: StoreSchema
    let rowCache: RowCache
    private unowned let store: NSIncrementalStore
    /// Who asks; nil for nobody in particular.
    private let context: NSManagedObjectContext?

    init(_ store: NSIncrementalStore, schema: StoreSchema, rowCache: RowCache, context: NSManagedObjectContext?) {
        self.store = store
        self.schema = schema
        self.rowCache = rowCache
        self.context = context
    }

    func snapshot(_ key: ObjectKey, maximumAge: Double) throws -> Snapshot? {
        if let cached = rowCache.snapshot(key, maximumAge: maximumAge) { return cached }
        let epoch = rowCache.epoch
        guard let batch = try read(key) else { return nil }
        rowCache.insert(read: batch, epoch: epoch)
        return Snapshot(batch: batch, row: 0)
    }

    /// The row as the store has it now, in place of the cached one.
    func readAgain(_ key: ObjectKey) throws -> Snapshot? {
        rowCache.remove([key.primaryKey], entity: key.entity)
        return try snapshot(key, maximumAge: -1)
    }

    func members(of owners: [ObjectKey], slot: Int) throws -> [[ObjectKey]] {
        try owners.map { owner in
            guard let id = store.objectID(for: owner),
                let relationship = id.entity.layout.slots[slot].relationship
            else { return [] }
            if store.nodeMembers.isUnread(owner) {
                _ = try readAgain(owner)
            } else {
                _ = try snapshot(owner, maximumAge: -1)
            }
            if let told = store.nodeMembers.list(of: owner, slot: slot) { return told }
            let value = try store.newValue(forRelationship: relationship, forObjectWith: id, with: context)
            return try Self.list(value).map { try self.id($0, of: relationship.name).key }
        }
    }

    func load(_ keys: [ObjectKey]) throws {
        for key in keys { _ = try snapshot(key, maximumAge: -1) }
    }

    func readMatches(_ request: StoreRequest, _ monitor: FetchMonitor?, _ body: (RowMatches) throws -> Void) throws {
        let found = try execute(request, request.settings.resultType)
        try body(RowMatches(keys: try found.map { try storedKey($0) }))
    }

    /// The key of an object that a fetch found.
    private func storedKey(_ value: Any) throws -> ObjectKey {
        let id = try id(value, of: "a fetch")
        guard !id.isTemporaryID, id.storeObject === store else {
            throw unexpected(id.uriRepresentation(), "a fetch", "objects that are in the store, or their IDs")
        }
        return id.key
    }

    func count(_ request: StoreRequest) throws -> Int {
        let found = try execute(request, .countResultType)
        if found.count == 1, let number = found[0] as? NSNumber { return number.intValue }
        if found.count == 1, let number = found[0] as? any BinaryInteger { return Int(number) }
        throw unexpected(found.first ?? found, "a count", "an array of one number")
    }

    func dictionaries(
        _ request: StoreRequest, of owner: any RowOwner, _ monitor: FetchMonitor?
    ) throws -> [NSDictionary] {
        try execute(request, .dictionaryResultType).map { row in
            switch row {
            case let dictionary as NSDictionary: return dictionary
            case let values as [String: Any]: return NSDictionary(dictionary: values)
            default: throw unexpected(row, "a fetch of dictionaries", "a dictionary")
            }
        }
    }

    func aggregatesRows(_ request: StoreRequest) -> Bool { !(request.settings.propertiesToGroupBy ?? []).isEmpty }

    private func execute(_ request: StoreRequest, _ type: NSFetchRequestResultType) throws -> [Any] {
        let asked = NSFetchRequest<NSManagedObject>(asking: request.settings)
        asked.resultType = type
        asked.affectedStores = [store]
        return Self.list(try store.execute(asked, with: context))
    }

    private static func list(_ value: Any) -> [Any] {
        switch value {
        case let list as [Any]: list
        case let list as NSArray: (0..<list.count).map { list.object(at: $0) }
        case let set as NSOrderedSet: set.array
        case let set as Set<AnyHashable>: set.map(\.base)
        case let set as NSSet: set.allObjects
        case is NSNull: []
        default: [value]
        }
    }

    private func id(_ value: Any, of what: String) throws -> NSManagedObjectID {
        switch value {
        case let object as NSManagedObject: return object.objectID
        case let id as NSManagedObjectID: return id
        default: throw unexpected(value, what, "an object or its ID")
        }
    }

    private func unexpected(_ value: Any, _ asked: String, _ wanted: String) -> NSError {
        CoreDataError.make(
            .persistentStoreOperation,
            "\(type(of: store)) answered \(asked) with \(type(of: value)): give \(wanted)",
            [NSAffectedStoresErrorKey: [store]])
    }
}

/// From nodes to rows.
extension IncrementalBackend {
    /// A row of one object; nil if the store says that there is none.
    private func read(_ key: ObjectKey) throws -> RowBatch? {
        guard let id = store.objectID(for: key) else { return nil }
        let context = context ?? NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        let node: NSIncrementalStoreNode
        do {
            node = try store.newValuesForObject(with: id, with: context)
        } catch let error as NSError
            where error.domain == NSCocoaErrorDomain && error.code == NSManagedObjectReferentialIntegrityError
        {
            return nil
        }
        let layout = id.entity.layout
        var columns = [Column?](repeating: nil, count: layout.slots.count)
        for slot in layout.storedSlots {
            var column = Column(layout.slots[slot].storage)
            column.append(try value(layout.slots[slot], of: node, id))
            columns[slot] = column
        }
        // What cannot be noted is read with the row again, which therefore must not stay either.
        if !store.nodeMembers.set(try members(of: node, layout), of: key) { rowCache.removeAll() }
        return RowBatch(
            entity: key.entity, primaryKeys: [key.primaryKey], versions: [Int64(clamping: node.version)],
            columns: columns)
    }

    /// The members of to-many relationships that a node tells.
    private func members(of node: NSIncrementalStoreNode, _ layout: EntityLayout) throws -> [Int: [ObjectKey]] {
        var lists: [Int: [ObjectKey]] = [:]
        for slot in layout.toManySlots {
            guard let relationship = layout.slots[slot].relationship, !relationship.isTransient,
                let value = node.value(for: relationship)
            else { continue }
            lists[slot] = try Self.list(value).map { try id($0, of: relationship.name).key }
        }
        return lists
    }

    private func value(_ info: Slot, of node: NSIncrementalStoreNode, _ id: NSManagedObjectID) throws -> PropertyValue {
        switch info.kind {
        case .position: return .null
        case .toOne:
            guard let relationship = info.relationship else { return .null }
            let value =
                try node.value(for: relationship)
                ?? store.newValue(forRelationship: relationship, forObjectWith: id, with: context)
            guard !(value is NSNull) else { return .null }
            return .reference(try self.id(value, of: info.name).key)
        default:
            guard let value = ValueCoding.attribute(info, { node.value(for: $0) }, id.entity) else { return .null }
            return try ValueCoding.stored(value, info)
        }
    }
}

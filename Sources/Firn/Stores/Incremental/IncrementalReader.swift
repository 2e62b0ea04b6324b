import FirnStore
import FirnLog
import FirnModel
import FirnProjection
import Foundation

/// Reading from an incremental store: rows are made of its nodes.
final class IncrementalReader: RowReader {
    let rowCache: RowCache
    private let store: NSIncrementalStore
    /// The context that asks; nil for nobody in particular.
    private let context: NSManagedObjectContext?
    private let answers: StoreAnswers

    init(_ store: NSIncrementalStore, rowCache: RowCache, context: NSManagedObjectContext?) {
        self.store = store
        self.rowCache = rowCache
        self.context = context
        answers = StoreAnswers(store)
    }

    func row(of object: NSManagedObject, maximumAge: Double) throws -> Snapshot? {
        object.key.primaryKey > 0 ? try row(object.key, maximumAge: maximumAge) : nil
    }

    func row(of id: NSManagedObjectID, maximumAge: Double) throws -> Snapshot? {
        try row(id.key, maximumAge: maximumAge)
    }

    func row(_ key: ObjectKey, maximumAge: Double) throws -> Snapshot? {
        try rowCache.snapshot(key, maximumAge: maximumAge) { try read(key).map { ($0, 0) } }
    }

    /// The row as the store has it now, in place of the cached one.
    func readAgain(_ key: ObjectKey) throws -> Snapshot? {
        rowCache.remove([key.primaryKey], entity: key.entity)
        return try row(key, maximumAge: -1)
    }

    func members(of owners: [NSManagedObject], slot: Int) throws -> [NamedObjects] {
        try owners.map { .keys(try members(of: $0.key, slot), in: store) }
    }

    private func members(of owner: ObjectKey, _ slot: Int) throws -> [ObjectKey] {
        guard let id = store.objectID(for: owner), let relationship = id.entity.layout.slots[slot].relationship
        else { return [] }
        if store.nodeMembers.isUnread(owner) {
            _ = try readAgain(owner)
        } else {
            _ = try row(owner, maximumAge: -1)
        }
        if let members = store.nodeMembers.list(of: owner, slot: slot) { return members }
        let value = try store.newValue(forRelationship: relationship, forObjectWith: id, with: context)
        return try answers.keys(value, of: relationship.name)
    }

    func load(_ objects: [NamedObjects]) throws {
        for key in objects.flatMap({ $0.keys(in: store) }) { _ = try row(key, maximumAge: -1) }
    }

    func read(_ request: StoreRequest, _ monitor: FetchMonitor?, _ body: (FetchBatch) throws -> Void) throws {
        let found = try execute(request, request.settings.resultType)
        try body(FetchBatch(found: .keys(try found.map(answers.storedKey), in: store)))
    }

    func count(_ request: StoreRequest) throws -> Int { try answers.count(execute(request, .countResultType)) }

    func dictionaries(_ request: StoreRequest, _ monitor: FetchMonitor?) throws -> [NSDictionary] {
        try execute(request, .dictionaryResultType).map(answers.dictionary)
    }

    private func execute(_ request: StoreRequest, _ type: NSFetchRequestResultType) throws -> [Any] {
        let asked = NSFetchRequest<NSManagedObject>(asking: request.settings)
        asked.resultType = type
        asked.affectedStores = [store]
        return StoreAnswers.list(try store.execute(asked, with: context))
    }

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
        let row = NodeRow(node, of: id, answers)
        let batch = try row.batch(key) { relationship in
            try store.newValue(forRelationship: relationship, forObjectWith: id, with: self.context)
        }
        // What cannot be noted is read with the row again, which therefore must not stay either.
        if !store.nodeMembers.set(try row.members(), of: key) { rowCache.removeAll() }
        return batch
    }
}

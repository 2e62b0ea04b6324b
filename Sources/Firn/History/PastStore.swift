import FirnLog
package import FirnModel
import FirnStore
import Foundation

/// One store as it was, for what puts back what was there then: objects are named by the IDs that they have now, also
/// where a migration gave them other keys.
package struct PastStore {
    package let context: NSManagedObjectContext
    private let past: NSPersistentStore
    private let present: NSPersistentStore
    private let steps: MigrationSteps

    /// The store after a record. Throws 134301 if that is not known any more.
    package init(_ store: NSPersistentStore, at sequence: SequenceNumber) throws {
        guard let engine = store.historyEngine, let coordinator = store.persistentStoreCoordinator else {
            fatalError("only a store that keeps its history has a past")
        }
        // The point is of this store alone.
        let token = NSPersistentHistoryToken(store.identifier, LogPosition(sequence))
        context = try coordinator.newContext(asOf: .token(token))
        guard let past = context.persistentStoreCoordinator?.persistentStores.first else {
            fatalError("a context of the past has its store")
        }
        (self.past, present) = (past, store)
        let model = try engine.log.model(inForceAt: sequence)
        steps = try engine.log.migrations(from: model?.sequence ?? .zero, to: engine.modelSequence)
    }

    /// The object that has this ID now, or one of an entity above its own; nil if it was not there. On its queue.
    package func object(_ id: NSManagedObjectID) throws -> NSManagedObject? {
        let key = id.key
        let old = ObjectKey(entity: key.entity, primaryKey: key.primaryKey - steps.keyOffset(of: key.entity))
        let found = try past.objectID(for: old).flatMap(context.objectInStore)
        guard let own = found?.snapshot?.key, own != old else { return found }
        return try past.objectID(for: own).flatMap(context.objectInStore)
    }

    /// The name that a property of an object of `entity` had then; nil if its value comes from none.
    package func name(
        of property: String, of entity: NSEntityDescription, _ object: NSManagedObject
    ) -> String? {
        let slots = entity.layout.slots.filter { $0.propertyName == property }
        let then = slots.lazy.compactMap { steps.source(of: UInt16($0.index), of: object.objectID.key.entity) }.first
        return then.map { object.entity.layout.slots[Int($0)].propertyName }
    }

    /// Runs `body`, which reads objects of the past. Throws if one of their large values could not be read.
    package func checkingLargeValues<R>(_ body: () throws -> R) throws -> R { try past.checkingLargeValues(body) }

    /// The ID that an object of the past has now; nil if its entity is gone.
    package func presentID(of object: NSManagedObject) -> NSManagedObjectID? {
        let key = object.objectID.key
        let offset = steps.keyOffset(of: key.entity)
        return present.objectID(for: ObjectKey(entity: key.entity, primaryKey: key.primaryKey + offset))
    }
}

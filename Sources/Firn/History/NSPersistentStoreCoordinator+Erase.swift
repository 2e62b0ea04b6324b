import FirnStore
public import FirnModel
import Foundation

extension NSPersistentStoreCoordinator {
    /// Erases all values of an object, or one property's, from everything that the store keeps: present, history and
    /// baseline, tables and their free pages. That there was an object under this ID, when it changed and who changed
    /// it stays, and so do the log's chain and what was signed of it.
    ///
    /// The present goes first, by an ordinary save: the object is deleted, or the property set to nil; a mandatory
    /// attribute to its default, or else to an empty value. What stands in the way of that save stands in the way of
    /// the erasure. Derived attributes of the object that depend on the property are erased too. What other objects
    /// have of it, also by derivation, is not found. Nor is what a subscription noted of a dead letter.
    ///
    /// If the process ends meanwhile, opening the store continues.
    ///
    /// Complexity: reads the whole log, and writes the tables again.
    /// - Parameter property: an attribute or a to-one relationship; nil for all and the object itself.
    /// - Returns: how many records of the log had such a value.
    @discardableResult
    public func erase(_ objectID: NSManagedObjectID, property: String? = nil) throws -> Int {
        guard let store = objectID.persistentStore, let engine = store.historyEngine, persistentStores.contains(store)
        else {
            throw CoreDataError.make(
                .persistentStoreOperation, "\(objectID) is in no store of this coordinator that keeps a history")
        }
        let slots = try property.map { try objectID.entity.slotsToErase(of: $0) } ?? []
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = self
        context.transactionAuthor = "erasure"
        // Another coordinator may have changed or deleted what is cached.
        context.stalenessInterval = 0
        try context.performAndWait {
            if let object = try context.objectInStore(objectID) {
                if let property { object.empty(property) } else { context.delete(object) }
            }
            try context.save()
        }
        return try engine.erase(objectID.key, slots: slots, context.transactionHeader(engine))
    }
}

extension NSManagedObject {
    /// Sets a property to nil; one that must not be nil to its default, or to an empty value of its type.
    fileprivate func empty(_ property: String) {
        guard let attribute = entity.attributesByName[property], !attribute.isOptional else {
            return setValue(nil, forKey: property)
        }
        setValue(attribute.defaultValue ?? attribute.attributeType.emptyValue, forKey: property)
    }
}

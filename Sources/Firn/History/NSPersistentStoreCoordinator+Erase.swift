import FirnStore
import FirnLog
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
    /// Complexity: reads the whole log, and rebuilds the tables.
    /// - Parameter property: an attribute or a to-one relationship; nil for all and the object itself.
    /// - Returns: how many records of the log had such a value.
    @discardableResult
    public func erase(_ objectID: NSManagedObjectID, property: String? = nil) throws -> Int {
        guard let store = objectID.persistentStore?.loggedStore, persistentStores.contains(store) else {
            throw CoreDataError.make(
                .persistentStoreOperation, "\(objectID) is in no store of this coordinator that keeps a history")
        }
        let slots = try property.map { try Self.slots(of: $0, objectID.entity) } ?? []
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = self
        context.transactionAuthor = "erasure"
        try context.performAndWait {
            guard let object = try? context.existingObject(with: objectID) else { return }
            if let property { object.empty(property) } else { context.delete(object) }
            try context.save()
        }
        return try store.engine.erase(objectID.key, slots: slots, context.transactionHeader(store.engine))
    }

    /// The slots of a property, of a composite's leaves, of a position in an ordered relationship, and of what is
    /// derived from it.
    private static func slots(of name: String, _ entity: NSEntityDescription) throws -> [UInt16] {
        let all = entity.layout.slots
        let isMany = (entity.propertiesByName[name] as? NSRelationshipDescription)?.isToMany
        guard entity.propertiesByName[name] != nil, isMany != true else {
            throw CoreDataError.make(
                .persistentStoreOperation,
                "\(entity.name ?? "the entity") has no attribute or to-one relationship \(name) to erase")
        }
        return all.indices.filter { index in
            let slot = all[index].name
            if slot == name || slot == "Z_ORD_" + name || slot.hasPrefix(name + ".") { return true }
            guard let derived = all[index].property as? NSDerivedAttributeDescription else { return false }
            let words = (derived.derivationExpression?.description ?? "")
                .split { !($0.isLetter || $0.isNumber || $0 == "_") }
            return words.contains(Substring(name))
        }.map(UInt16.init)
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

extension NSAttributeType {
    fileprivate var emptyValue: Any? {
        switch self {
        case .stringAttributeType: ""
        case .binaryDataAttributeType: Data()
        case .dateAttributeType: Date(timeIntervalSinceReferenceDate: 0)
        case .UUIDAttributeType: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        case .URIAttributeType: URL(string: "about:blank")
        case .decimalAttributeType: NSDecimalNumber.zero
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .doubleAttributeType,
            .floatAttributeType, .booleanAttributeType:
            NSNumber(value: 0)
        default: nil
        }
    }
}

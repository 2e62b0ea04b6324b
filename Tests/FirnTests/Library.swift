import Firn
import FirnModel
import Foundation
import TestSupport

/// A small model that the tests of the object graph share:
///
///     Author  ──books──▶▶ Book      one to many, ordered; deleting an author deletes its books
///     Book   ◀◀─tags──▶▶ Tag        many to many
///     Author   name, age, born, isAlive, height, portrait, worth, homepage, id, nickname (transient)
///     Poet     an Author with a meter
enum Library {
    static func model() -> NSManagedObjectModel {
        let author = entity("Author", attributes)
        let poet = entity("Poet", [("meter", .stringAttributeType)])
        let book = entity("Book", [("title", .stringAttributeType), ("pages", .integer32AttributeType)])
        let tag = entity("Tag", [("label", .stringAttributeType)])
        relate(author, "books", book, "author", toMany: true, inverseToMany: false, ordered: true)
        relate(book, "tags", tag, "books", toMany: true, inverseToMany: true, ordered: false)
        author.relationshipsByName["books"]?.deleteRule = .cascadeDeleteRule
        author.subentities = [poet]
        let model = NSManagedObjectModel()
        model.entities = [author, poet, book, tag]
        return model
    }

    private static let attributes: [(String, NSAttributeType)] = [
        ("name", .stringAttributeType), ("age", .integer16AttributeType), ("born", .dateAttributeType),
        ("isAlive", .booleanAttributeType), ("height", .doubleAttributeType),
        ("portrait", .binaryDataAttributeType), ("worth", .decimalAttributeType),
        ("homepage", .URIAttributeType), ("id", .UUIDAttributeType),
    ]

    private static func entity(_ name: String, _ attributes: [(String, NSAttributeType)]) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.properties = attributes.map { name, type in
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = type
            return attribute
        }
        if name == "Author" {
            let nickname = NSAttributeDescription()
            nickname.name = "nickname"
            nickname.attributeType = .stringAttributeType
            nickname.isTransient = true
            entity.properties.append(nickname)
        }
        return entity
    }

    private static func relate(
        _ source: NSEntityDescription, _ name: String, _ destination: NSEntityDescription, _ inverse: String,
        toMany: Bool, inverseToMany: Bool, ordered: Bool
    ) {
        let forward = NSRelationshipDescription()
        forward.name = name
        forward.destinationEntity = destination
        forward.maxCount = toMany ? 0 : 1
        forward.isOrdered = ordered
        forward.deleteRule = .nullifyDeleteRule
        let backward = NSRelationshipDescription()
        backward.name = inverse
        backward.destinationEntity = source
        backward.maxCount = inverseToMany ? 0 : 1
        backward.deleteRule = .nullifyDeleteRule
        forward.inverseRelationship = backward
        backward.inverseRelationship = forward
        source.properties.append(forward)
        destination.properties.append(backward)
    }

    /// A coordinator with a store in memory.
    static func inMemory(_ model: NSManagedObjectModel = model()) throws -> NSPersistentStoreCoordinator {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        _ = try coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
        return coordinator
    }

    /// A coordinator with a store in `directory`.
    static func onDisk(
        _ directory: TemporaryDirectory, options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStoreCoordinator {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model())
        _ = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: directory.file("Library.sqlite"),
            options: options)
        return coordinator
    }
}

extension NSManagedObjectContext {
    func make(_ entity: String, _ values: [String: Any] = [:]) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: self)
        for (key, value) in values { object.setValue(value, forKey: key) }
        return object
    }

    func all(_ entity: String, sortedBy key: String? = nil) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        if let key { request.sortDescriptors = [NSSortDescriptor(key: key, ascending: true)] }
        return try fetch(request)
    }

    func strings(_ entity: String, _ key: String) throws -> Set<String> {
        Set(try all(entity).compactMap { $0.value(forKey: key) as? String })
    }
}

extension NSManagedObject {
    /// The books of an author, in order.
    var books: [NSManagedObject] {
        ((value(forKey: "books") as? NSOrderedSet)?.array ?? []).compactMap { $0 as? NSManagedObject }
    }
}

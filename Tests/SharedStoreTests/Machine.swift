import Firn
import FirnFoundation
import FirnModel
import Foundation
import TestSupport

/// One machine that works on a shared store: a folder of its own, a coordinator, and a context.
final class Machine: Sendable {
    private let directory: TemporaryDirectory
    let copy: URL
    let coordinator: NSPersistentStoreCoordinator
    let context: NSManagedObjectContext

    /// Opens the store at the address.
    ///
    /// - Parameter directory: of a machine that was there before.
    init(
        _ address: String, directory: TemporaryDirectory? = nil, model: NSManagedObjectModel = Notes.model(),
        options: [String: NSObject] = [:]
    ) throws {
        self.directory = try directory ?? TemporaryDirectory("firn-machine")
        copy = self.directory.file("Notes.sqlite")
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let description = NSPersistentStoreDescription(url: URL(sharedLog: address) ?? URL(string: address)!)
        description.localCopy = copy
        for (key, value) in options { description.setOption(value, forKey: key) }
        var failure: (any Error)?
        coordinator.addPersistentStore(with: description) { failure = $1 }
        if let failure { throw failure }
        context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
    }

    var store: NSPersistentStore { coordinator.persistentStores[0] }

    /// Gives the store up, and says where its files are.
    func leave() throws -> TemporaryDirectory {
        try coordinator.remove(store)
        return directory
    }

    /// Runs `body` in the context, and saves.
    func save(_ body: (NSManagedObjectContext) throws -> Void) throws {
        try context.performAndWait {
            try body(context)
            try context.save()
        }
    }

    /// Saves a note.
    func note(_ text: String) throws { try save { Notes.insert(text, in: $0) } }

    /// The texts of all notes, sorted; of what the server has by now.
    func texts() throws -> [String] {
        try context.performAndWait {
            context.refreshAllObjects()
            return try Notes.all(in: context).map { $0.value(forKey: "text") as? String ?? "" }.sorted()
        }
    }
}

/// What the tests of shared stores save.
///
///     Folder  ──notes──▶▶ Note      ordered; noteCount is derived from it
enum Notes {
    static func model(withMarks: Bool = false) -> NSManagedObjectModel {
        let note = entity("Note", [("text", .stringAttributeType), ("count", .integer64AttributeType)])
        if withMarks { note.properties.append(attribute("mark", .stringAttributeType)) }
        let folder = entity("Folder", [("name", .stringAttributeType)])
        let count = NSDerivedAttributeDescription()
        count.name = "noteCount"
        count.attributeType = .integer64AttributeType
        count.derivationExpression = NSExpression(format: "notes.@count")
        let forward = NSRelationshipDescription()
        forward.name = "notes"
        forward.destinationEntity = note
        forward.maxCount = 0
        forward.isOrdered = true
        let backward = NSRelationshipDescription()
        backward.name = "folder"
        backward.destinationEntity = folder
        backward.maxCount = 1
        forward.inverseRelationship = backward
        backward.inverseRelationship = forward
        folder.properties += [forward, count]
        note.properties.append(backward)
        let model = NSManagedObjectModel()
        model.entities = [note, folder]
        return model
    }

    private static func entity(_ name: String, _ attributes: [(String, NSAttributeType)]) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.properties = attributes.map { attribute($0, $1) }
        return entity
    }

    private static func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = true
        return attribute
    }

    @discardableResult
    static func insert(_ text: String, in context: NSManagedObjectContext) -> NSManagedObject {
        let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
        note.setValue(text, forKey: "text")
        return note
    }

    static func all(in context: NSManagedObjectContext) throws -> [NSManagedObject] {
        try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note"))
    }

    static func note(_ text: String, in context: NSManagedObjectContext) throws -> NSManagedObject {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
        request.predicate = NSPredicate(format: "text == %@", text)
        return try context.fetch(request)[0]
    }
}

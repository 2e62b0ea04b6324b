import CoreData
import Foundation
import Testing

/// The model that the classes of these tests are written for.
enum ManagedModel {
    static func container() throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model())
        try coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    /// Saves, and gives the same object as another context reads it.
    static func read<T: NSManagedObject>(_ object: T) throws -> (T?, NSManagedObjectContext) {
        let context = try #require(object.managedObjectContext)
        try context.save()
        let reader = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        reader.persistentStoreCoordinator = context.persistentStoreCoordinator
        return (try reader.existingObject(with: object.objectID) as? T, reader)
    }

    static func model() -> NSManagedObjectModel {
        let everything = entity("Everything", [])
        everything.properties = attributes
        let person = entity("Person", [])
        person.properties = [
            attribute("name", .stringAttributeType), attribute("nickname", .stringAttributeType),
            attribute("visits", .integer64AttributeType), attribute("born", .dateAttributeType),
            attribute("motto", .stringAttributeType),
        ]
        let employee = entity("Employee", [])
        employee.properties = [attribute("salary", .doubleAttributeType)]
        let manager = entity("Manager", [])
        manager.properties = [attribute("team", .stringAttributeType)]
        employee.subentities = [manager]
        person.subentities = [employee]
        relate(everything, "owner", person, "everything")
        relate(employee, "boss", employee, "reports")
        let shelf = entity("Shelf", [])
        let book = entity("Book", [])
        book.properties = [attribute("title", .stringAttributeType)]
        relate(book, "shelf", shelf, "books")
        relate(book, "plainShelf", shelf, "plainBooks")
        relate(book, "sortedShelf", shelf, "sortedBooks", isOrdered: true)
        relate(book, "certainShelf", shelf, "certainBooks")
        relate(book, "listedShelf", shelf, "listedBooks", isOrdered: true)
        let model = NSManagedObjectModel()
        model.entities = [everything, person, employee, manager, shelf, book]
        return model
    }

    private static var attributes: [NSAttributeDescription] {
        let types: [(NSAttributeType, [String])] = [
            (
                .stringAttributeType,
                [
                    "text", "optionalText", "objectiveText", "kind", "first", "second", "protocol",
                    "all_the_words_of_Everything", "x2y", "hidden", "perhapsKind",
                    "größeInZentimetern", "_名前",
                ]
            ),
            (.integer16AttributeType, ["small", "mood", "perhapsMood", "unsigned", "only"]),
            (.integer32AttributeType, ["middle", "aNameOfMoreThanFifteenCharacters"]),
            (.integer64AttributeType, ["large", "plain", "number", "wholeAsReal"]),
            (.booleanAttributeType, ["isOn", "isPerhapsOn", "flagAsWhole"]),
            (.doubleAttributeType, ["double", "interval"]), (.floatAttributeType, ["float"]),
            (.decimalAttributeType, ["price", "amount", "perhapsAmount"]),
            (.dateAttributeType, ["date", "objectiveDate", "seconds", "certainDate"]),
            (.binaryDataAttributeType, ["data", "objectiveData", "certainData"]),
            (.UUIDAttributeType, ["identifier", "certainIdentifier"]), (.URIAttributeType, ["link", "certainLink"]),
            (
                .transformableAttributeType,
                ["tags", "settings", "counts", "names", "anything", "object", "coding", "thing"]
            ),
        ]
        return types.flatMap { type, names in names.map { attribute($0, type) } }
    }

    private static func entity(_ name: String, _ properties: [NSPropertyDescription]) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.managedObjectClassName = name
        return entity
    }

    private static func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = true
        return attribute
    }

    private static func relate(
        _ one: NSEntityDescription, _ toOne: String, _ many: NSEntityDescription, _ toMany: String,
        isOrdered: Bool = false
    ) {
        let forth = NSRelationshipDescription()
        forth.name = toOne
        forth.maxCount = 1
        forth.isOptional = true
        forth.destinationEntity = many
        let back = NSRelationshipDescription()
        back.name = toMany
        back.maxCount = 0
        back.isOptional = true
        back.isOrdered = isOrdered
        back.destinationEntity = one
        forth.inverseRelationship = back
        back.inverseRelationship = forth
        one.properties.append(forth)
        many.properties.append(back)
    }
}

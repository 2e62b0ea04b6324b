import Firn
import FirnModel
import Foundation
import StoreSupport

extension UserMistake {
    static let entities: [UserMistake] = [
        UserMistake("insert an object of an unknown entity", "no entity \"Nobody\"", "Author, Book, Poet, Tag") {
            _ = NSEntityDescription.insertNewObject(forEntityName: "Nobody", into: try newContext())
        },
        UserMistake("insert an object into a context without a coordinator", "\"Author\"", "no coordinator") {
            _ = NSEntityDescription.insertNewObject(forEntityName: "Author", into: contextWithoutCoordinator())
        },
        UserMistake("make an object of a class without an entity", "no entity with the class Unmodeled") {
            _ = Unmodeled(context: try newContext())
        },
        UserMistake("make an object of a class in a context without a coordinator", "the class Unmodeled") {
            _ = Unmodeled(context: contextWithoutCoordinator())
        },
        UserMistake("fetch objects of a class without an entity", "entity", "name one of Author") {
            _ = try newContext().fetch(Unmodeled.fetchRequest())
        },
        UserMistake("make a container without a model", "no model named Missing was found", "Missing.xcdatamodeld") {
            _ = NSPersistentContainer(name: "Missing")
        },
        UserMistake("insert an object of an abstract entity", "Author is an abstract entity") {
            let model = Library.model()
            model.entitiesByName["Author"]?.isAbstract = true
            _ = try Library.inMemory(model).context().make("Author")
        },
        UserMistake("ask an entity for its model, which is gone", "'Author' is not part of a model", "released") {
            func entity() -> NSEntityDescription? { Library.model().entitiesByName["Author"] }
            _ = entity()?.managedObjectModel
        },
        UserMistake("ask a property for its entity, which is gone", "'name' is not part of an entity", "released") {
            func property() -> NSPropertyDescription? {
                Library.model().entitiesByName["Author"]?.propertiesByName["name"]
            }
            _ = property()?.entity
        },
    ]

    /// Uses a model after a change of its entities.
    private static func use(_ change: (_ author: NSEntityDescription, _ book: NSEntityDescription) -> Void) throws {
        let model = Library.model()
        guard let author = model.entitiesByName["Author"], let book = model.entitiesByName["Book"] else { return }
        change(author, book)
        _ = try Library.inMemory(model).context().make("Author")
    }

    static let models: [UserMistake] = [
        UserMistake("a model in which an entity is above itself", "'Author' cannot be both above and below 'Poet'") {
            try use { author, _ in author.subentities[0].subentities = [author] }
        },
        UserMistake("a model with one subentity twice", "'Poet' is among the subentities of 'Author' twice") {
            try use { author, _ in author.subentities += author.subentities }
        },
        UserMistake("a model with a relationship that leads nowhere", "Book.author: has no destination entity") {
            try use { _, book in book.relationshipsByName["author"]?.destinationEntity = nil }
        },
        UserMistake("a model with two entities of one name", "Two entities are named 'Author'") {
            try use { _, book in book.name = "Author" }
        },
        UserMistake("a model with two properties of one name", "Author.name: has more than one property") {
            try use { author, _ in author.attributesByName["age"]?.name = "name" }
        },
        UserMistake("a model with an entity without a name", "An entity has no name") {
            try use { _, book in book.name = nil }
        },
        UserMistake("a model with an attribute without a type", "Author.x: has no type") {
            try use { author, _ in
                let attribute = NSAttributeDescription()
                attribute.name = "x"
                author.properties.append(attribute)
            }
        },
        UserMistake("a model with a default value of a wrong type", "Author.age: has the default value 'x'") {
            try use { author, _ in author.attributesByName["age"]?.defaultValue = "x" }
        },
        UserMistake("a model with a constraint on an unknown key", "a uniqueness constraint on 'nme'") {
            try use { author, _ in author.uniquenessConstraints = [["nme"]] }
        },
        UserMistake("a model with a constraint on a number", "'Author': 3 names no property") {
            try use { author, _ in author.uniquenessConstraints = [[3]] }
        },
        UserMistake("a change of a model that is in use", "Can't modify an immutable model", "'Author' is in use") {
            let model = Library.model()
            let coordinator = try Library.inMemory(model)
            model.entitiesByName["Author"]?.properties = []
            withExtendedLifetime(coordinator) {}
        },
    ]
}

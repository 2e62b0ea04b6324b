import FirnFoundation
import FirnModel
import Foundation
import Testing

/// Key-value coding of models, mappings, requests and IDs.
@Suite("Keys of descriptions")
struct DescriptionKeyTests {
    private let library = Library()

    private func value(_ path: String, of object: any KeyValueCoding) -> String {
        object.value(forKeyPath: path).map { "\($0)" } ?? "nil"
    }

    @Test("Key paths lead through model, entities, properties and their user info")
    func paths() throws {
        let title = try #require(library.book.attributesByName["title"])
        title.userInfo = ["limit": 3, "deep": ["inner": "x"]]
        title.defaultValue = "Untitled"
        let model = library.model
        let paths = [
            ("entitiesByName.Book.attributesByName.title.userInfo.limit", "3"),
            ("entitiesByName.Book.attributesByName.title.userInfo.deep.inner", "x"),
            ("entitiesByName.Book.attributesByName.title.defaultValue", "Untitled"),
            ("entitiesByName.Book.relationshipsByName.writer.destinationEntity.name", "Author"),
            ("entitiesByName.Book.relationshipsByName.writer.inverseRelationship.entity.name", "Author"),
            ("entitiesByName.Novel.superentity.name", "Book"),
            ("entitiesByName.Book.managedObjectModel.entities.@count", "\(model.entities.count)"),
            ("entitiesByName.Book.userInfo.nothing", "nil"),
        ]
        for (path, expected) in paths { #expect(value(path, of: model) == expected, "\(path)") }
    }

    @Test("A flag has the keys that Apple's getter has, with and without is")
    func flags() throws {
        let writer = try #require(library.book.relationshipsByName["writer"])
        writer.isOptional = false
        for key in ["optional", "isOptional", "toMany", "isToMany", "ordered", "isOrdered"] {
            #expect(writer.value(forKey: key) as? Bool == false, "\(key)")
        }
    }

    @Test("An enumeration is its number")
    func enumerations() throws {
        let writer = try #require(library.book.relationshipsByName["writer"])
        let pages = try #require(library.book.attributesByName["pages"])
        writer.setValue(2, forKey: "deleteRule")
        #expect(writer.deleteRule == .cascadeDeleteRule)
        #expect(writer.value(forKey: "deleteRule") as? UInt == 2)
        #expect(pages.value(forKey: "attributeType") as? UInt == pages.attributeType.rawValue)
    }

    @Test("Every kind of description has its own keys")
    func kinds() throws {
        let title = try #require(library.book.attributesByName["title"])
        let derived = NSDerivedAttributeDescription()
        derived.derivationExpression = NSExpression(forKeyPath: "title")
        let composite = NSCompositeAttributeDescription()
        composite.elements = [attribute("street")]
        let fetched = NSFetchedPropertyDescription()
        fetched.fetchRequest = NSFetchRequest(entityName: "Book")
        let expression = NSExpressionDescription()
        expression.expressionResultType = .stringAttributeType
        let element = NSFetchIndexElementDescription(property: title, collationType: .binary)
        let index = NSFetchIndexDescription(name: "byTitle", elements: [element])
        library.book.indexes = [index]
        #expect(value("derivationExpression", of: derived) == "title")
        #expect(value("elements.@count", of: composite) == "1")
        #expect(value("fetchRequest.entityName", of: fetched) == "Book")
        #expect(value("expressionResultType", of: expression) == "700")
        #expect(value("indexDescription.entity.name", of: element) == "Book")
        #expect(value("ascending", of: element) == "true")
        #expect(value("elements.@count", of: index) == "1")
    }

    @Test("Values are set by keys and paths, nil and numbers among them")
    func setting() throws {
        let title = try #require(library.book.attributesByName["title"])
        library.book.setValue("Tome", forKey: "renamingIdentifier")
        title.setValue(true, forKey: "optional")
        title.setValue("x", forKeyPath: "defaultValue")
        library.model.setValue("2", forKeyPath: "entitiesByName.Book.versionHashModifier")
        #expect(library.book.renamingIdentifier == "Tome" && library.book.versionHashModifier == "2")
        #expect(title.isOptional && title.defaultValue as? String == "x")
        title.setValue(nil, forKey: "defaultValue")
        library.book.setValue(nil, forKey: "versionHashModifier")
        #expect(title.defaultValue == nil && library.book.versionHashModifier == nil)
        let writer = try #require(library.book.relationshipsByName["writer"])
        writer.setValue(4, forKey: "maxCount")
        #expect(writer.maxCount == 4)
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
        request.setValue(5, forKey: "fetchLimit")
        #expect(request.fetchLimit == 5)
    }

    @Test("A stored property of a program's own description is found")
    func ownDescription() {
        final class Tagged: NSAttributeDescription { var tag = "t" }
        #expect(Tagged().value(forKey: "tag") as? String == "t")
    }

    @Test("Mappings and IDs have keys")
    func mappings() {
        let property = NSPropertyMapping()
        property.name = "title"
        let mapping = NSEntityMapping()
        mapping.name = "BookToBook"
        mapping.userInfo = ["step": "4"]
        mapping.mappingType = .copyEntityMappingType
        mapping.attributeMappings = [property]
        let model = NSMappingModel()
        model.entityMappings = [mapping]
        #expect(value("entityMappingsByName.BookToBook.userInfo.step", of: model) == "4")
        #expect(value("mappingType", of: mapping) == "4")
        #expect(mapping.value(forKeyPath: "attributeMappings.name") as? [String] == ["title"])
        let id = NSManagedObjectID(temporaryFor: library.book)
        #expect(value("entity.name", of: id) == "Book")
        #expect(value("temporaryID", of: id) == "true")
    }
}

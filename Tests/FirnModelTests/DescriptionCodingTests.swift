import FirnModel
import Foundation
import TestSupport
import Testing

import class FirnFoundation.NSExpression
import class FirnFoundation.NSPredicate
import class FirnFoundation.NSSortDescriptor

@Suite("An archived description")
struct DescriptionCodingTests {
    private func roundTrip<T: NSObject & NSSecureCoding>(_ object: T, as type: T.Type = T.self) throws -> T {
        let data = try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
        return try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: T.self, from: data))
    }

    @Test("of a model is an equal model, for random models")
    func models() throws {
        let generator = SeededGenerator()
        var models = RandomModel(generator)
        for _ in 0..<40 {
            let model = models.make()
            let again = try roundTrip(model)
            #expect(again.xcdatamodelContents() == model.xcdatamodelContents(), "\(generator)")
        }
    }

    @Test("has what only Apple's services use, as copies and documents do, and equality tells it; hashes do not")
    func services() throws {
        let (model, plain) = (Library().model, Library().model)
        let book = try #require(model.entitiesByName["Book"])
        let title = try #require(book.attributesByName["title"])
        #expect(!title.allowsCloudEncryption)
        #expect(book.coreSpotlightDisplayNameExpression == NSExpression(forConstantValue: nil))
        title.allowsCloudEncryption = true
        book.coreSpotlightDisplayNameExpression = NSExpression(forKeyPath: "title")
        let read = try NSManagedObjectModel.load(document: model.xcdatamodelContents(), name: "read").model
        let copy = try #require(model.copy() as? NSManagedObjectModel)
        for again in [try roundTrip(model), copy, read] {
            let book = try #require(again.entitiesByName["Book"])
            #expect(book.attributesByName["title"]?.allowsCloudEncryption == true)
            #expect(book.coreSpotlightDisplayNameExpression == NSExpression(forKeyPath: "title"))
            #expect(book.attributesByName["title"]?.value(forKey: "allowsCloudEncryption") as? Bool == true)
            #expect(again == model && again != plain)
        }
        #expect(model.entityVersionHashesByName == plain.entityVersionHashesByName)
        #expect(model.versionChecksum == plain.versionChecksum)
    }

    @Test("of an entity has its properties, indexes, constraints and subentities, with relationships between them")
    func entity() throws {
        let library = Library()
        _ = library.model
        let book = library.book
        book.uniquenessConstraints = [["title"]]
        book.userInfo = ["a": ["b", 1] as [Any]]
        let title = try #require(book.attributesByName["title"])
        book.indexes = [
            NSFetchIndexDescription(
                name: "byTitle", elements: [NSFetchIndexElementDescription(property: title, collationType: .binary)])
        ]
        let again = try roundTrip(book)
        #expect(again.ownProperties.map(\.name) == book.ownProperties.map(\.name))
        #expect(again.attributesByName["pages"]?.versionHash == book.attributesByName["pages"]?.versionHash)
        #expect(again.attributesByName["pages"]?.defaultValue as? Int == 1)
        #expect(again.uniquenessConstraintNames == [["title"]])
        #expect(again.userInfo?["a"] as? NSArray == ["b", 1])
        #expect(again.indexes.first?.elements.first?.property === again.attributesByName["title"])
        #expect(again.subentities.map(\.name) == book.subentities.map(\.name))
        #expect(again.relationshipsByName["author"]?.destinationEntity == nil)
    }

    @Test("of a relationship between two entities of one archive leads from one to the other")
    func relationships() throws {
        let below = FirnModelTests.entity("Below")
        let above = FirnModelTests.entity("Above")
        let down = relationship("down", to: below, isToMany: true, isOrdered: true)
        let up = relationship("up", to: above)
        join(down, up)
        down.deleteRule = .cascadeDeleteRule
        (above.properties, below.properties) = ([down], [up])
        above.subentities = [below]
        let again = try roundTrip(above)
        let decoded = try #require(again.relationshipsByName["down"])
        #expect(decoded.destinationEntity === again.subentities.first)
        #expect(decoded.inverseRelationship?.name == "up")
        #expect(decoded.deleteRule == .cascadeDeleteRule && decoded.isOrdered && decoded.isToMany)
    }

    @Test("of a property keeps its kind and what that kind has")
    func properties() throws {
        let derived = NSDerivedAttributeDescription()
        (derived.name, derived.attributeType) = ("n", .integer64AttributeType)
        derived.derivationExpression = NSExpression(forKeyPath: "items.@count")
        #expect(try roundTrip(derived).derivationExpression == derived.derivationExpression)
        let composite = NSCompositeAttributeDescription()
        (composite.name, composite.elements) = ("place", [attribute("x", .doubleAttributeType, default: 0.5)])
        #expect(try roundTrip(composite).elements.first?.defaultValue as? Double == 0.5)
        let fetched = NSFetchedPropertyDescription()
        fetched.fetchRequest = NSFetchRequest(entityName: "Book")
        #expect(try roundTrip(fetched).fetchRequest?.entityName == "Book")
        let limited = attribute("name", isOptional: false, default: "x")
        limited.setValidationPredicates([NSPredicate(format: "length > 2")], withValidationWarnings: ["short"])
        (limited.renamingIdentifier, limited.versionHashModifier) = ("old", "2")
        let again = try roundTrip(limited)
        #expect(again.validationPredicates == limited.validationPredicates)
        #expect(again.validationWarnings as? [String] == ["short"])
        #expect(again.renamingIdentifier == "old" && again.versionHash == limited.versionHash)
    }

    @Test("of an expression description keeps expression and type")
    func expressionDescription() throws {
        let column = NSExpressionDescription()
        (column.name, column.expressionResultType) = ("most", .doubleAttributeType)
        column.expression = NSExpression(format: "max:(pages)")
        let again = try roundTrip(column)
        #expect(again.name == "most" && again.expressionResultType == .doubleAttributeType)
        #expect(again.expression == column.expression)
    }

    @Test("of an index keeps its elements in order, their directions, and the predicate")
    func index() throws {
        let column = NSExpressionDescription()
        (column.name, column.expression) = ("lower", NSExpression(format: "lowercase(title)"))
        let elements = [
            NSFetchIndexElementDescription(property: attribute("title"), collationType: .binary),
            NSFetchIndexElementDescription(property: attribute("x", .doubleAttributeType), collationType: .rTree),
            NSFetchIndexElementDescription(property: column, collationType: .binary),
        ]
        elements[0].isAscending = false
        let index = NSFetchIndexDescription(name: "three", elements: elements)
        index.partialIndexPredicate = NSPredicate(format: "pages > 3")
        let again = try roundTrip(index)
        #expect(again.name == "three" && again.partialIndexPredicate == index.partialIndexPredicate)
        #expect(again.elements.map(\.propertyName) == ["title", "x", "lower"])
        #expect(again.elements.map(\.isAscending) == [false, true, true])
        #expect(again.elements.map(\.collationType) == [.binary, .rTree, .binary])
        #expect(again.elements.allSatisfy { $0.indexDescription === again })
        #expect(try roundTrip(elements[2]).propertyName == "lower")
    }
}

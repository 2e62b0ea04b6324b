import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

import class FirnFoundation.NSExpression
import class FirnFoundation.NSPredicate

/// Section (m): dictionaries whose expressions declare another type than their attributes have, and groups.
@Suite("Conformance (m): result types and groups")
struct ResultTypeConformanceTests {
    let context: NSManagedObjectContext

    init() throws {
        context = try Library.inMemory().context()
        let authors: [(String, Int, String, Double)] = [("Ada", 36, "10.25", 1.5), ("Bob", 41, "20.50", 2.5)]
        for (name, age, worth, height) in authors {
            _ = context.make(
                "Author",
                [
                    "name": name, "age": age, "worth": Decimal(string: worth) ?? 0, "height": height,
                    "born": Date(timeIntervalSinceReferenceDate: Double(age)), "isAlive": true,
                ])
        }
        for (title, pages) in [("a", 10), ("a", 20), ("b", 5)] {
            _ = context.make("Book", ["title": title, "pages": pages])
        }
        try context.save()
    }

    private func column(_ format: String, _ type: NSAttributeType) -> NSExpressionDescription {
        let description = NSExpressionDescription()
        description.name = "result"
        description.expression = NSExpression(format: format)
        description.expressionResultType = type
        return description
    }

    struct Aggregate: Sendable, CustomStringConvertible {
        let format: String
        let type: NSAttributeType
        let result: String

        var description: String { "\(format) as \(type)" }

        init(_ format: String, _ type: NSAttributeType, _ result: String) {
            self.format = format
            self.type = type
            self.result = result
        }

        static let all = [
            Aggregate("sum:(worth)", .doubleAttributeType, "30.75"),
            Aggregate("sum:(worth)", .integer32AttributeType, "30"),
            Aggregate("sum:(worth)", .decimalAttributeType, "30.75"),
            Aggregate("sum:(worth)", .stringAttributeType, "30.75"),
            Aggregate("average:(worth)", .floatAttributeType, "15.375"),
            Aggregate("max:(worth)", .doubleAttributeType, "20.5"),
            Aggregate("average:(age)", .decimalAttributeType, "38.5"),
            Aggregate("sum:(age)", .decimalAttributeType, "77"),
            Aggregate("average:(age)", .integer64AttributeType, "38"),
            Aggregate("sum:(age)", .doubleAttributeType, "77.0"),
            Aggregate("sum:(height)", .integer16AttributeType, "4"),
            Aggregate("sum:(height)", .decimalAttributeType, "4"),
            Aggregate("max:(height)", .stringAttributeType, "2.5"),
            Aggregate("count:(name)", .doubleAttributeType, "2.0"),
            Aggregate("sum:(age)", .booleanAttributeType, "true"),
            Aggregate("max:(born)", .doubleAttributeType, "41.0"),
            Aggregate("sum:(worth)", .booleanAttributeType, "true"),
        ]
    }

    /// [AD]
    @Test("m.5 an aggregate has the type that its description declares", arguments: Aggregate.all)
    func aggregates(_ aggregate: Aggregate) throws {
        let request = NSFetchRequest<NSDictionary>(entityName: "Author")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = [column(aggregate.format, aggregate.type)]
        let value = try #require(try context.fetch(request).first?["result"])
        #expect((value is NSString) == (aggregate.type == .stringAttributeType))
        #expect((value is NSDecimalNumber) == (aggregate.type == .decimalAttributeType))
        #expect("\(value)" == aggregate.result)
    }

    /// [AD]
    @Test("m.5 an aggregate declared as a date is one")
    func date() throws {
        let request = NSFetchRequest<NSDictionary>(entityName: "Author")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = [column("max:(age)", .dateAttributeType)]
        let value = try context.fetch(request).first?["result"] as? Date
        #expect(value == Date(timeIntervalSinceReferenceDate: 41))
    }

    @Test("m.5 a batch update converts a decimal to the attribute's type")
    func batch() throws {
        let update = NSBatchUpdateRequest(entityName: "Author")
        let worth = NSExpression(forKeyPath: "worth")
        update.propertiesToUpdate = ["height": worth, "age": worth]
        _ = try context.execute(update)
        let reader = try #require(context.persistentStoreCoordinator).context()
        let authors = try reader.all("Author")
        #expect(Set(authors.map { $0.value(forKey: "height") as? Double }) == [10.25, 20.5])
        #expect(Set(authors.map { $0.number("age") }) == [10, 20])
    }

    private func groups() -> NSFetchRequest<NSDictionary> {
        let request = NSFetchRequest<NSDictionary>(entityName: "Book")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = ["title", column("sum:(pages)", .integer64AttributeType)]
        request.propertiesToGroupBy = ["title"]
        return request
    }

    /// [AD]
    @Test("m.26 a having predicate names an aggregate by a variable")
    func variable() throws {
        let request = groups()
        request.havingPredicate = NSPredicate(format: "%@ > 5", NSExpression(forVariable: "result"))
        #expect(try context.fetch(request).compactMap { $0["title"] as? String } == ["a"])
        request.havingPredicate = NSPredicate(format: "$result < 10")
        #expect(try context.fetch(request).compactMap { $0["title"] as? String } == ["b"])
    }

    @Test("m.26 a having predicate with a variable that is no column is an error")
    func unknownVariable() {
        let request = groups()
        request.havingPredicate = NSPredicate(format: "$nothing > 5")
        #expect(throws: NSError.self) { try context.fetch(request) }
    }

    /// [AD]
    @Test("m.26 properties that were set by names are read back as descriptions")
    func descriptions() throws {
        let book = try #require(context.persistentStoreCoordinator?.managedObjectModel.entitiesByName["Book"])
        let request = NSFetchRequest<NSDictionary>()
        request.entity = book
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = ["title", "author.name"]
        request.propertiesToGroupBy = ["title", "author.name"]
        for list in [request.propertiesToFetch, request.propertiesToGroupBy] {
            #expect(list?.first as? NSPropertyDescription === book.attributesByName["title"])
            #expect(list?.last as? String == "author.name")
        }
        #expect(try context.fetch(request).count == 2)
    }

    /// [AD]
    @Test("m.26 a request made by name has descriptions once it was executed")
    func executed() throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.propertiesToFetch = ["title"]
        #expect(request.propertiesToFetch?.first is String)
        _ = try context.fetch(request)
        #expect(request.propertiesToFetch?.first is NSAttributeDescription)
    }
}

/// Section (m): initializers and members that wrappers and mocks of Core Data use.
@Suite("Conformance (m): open classes")
struct OpenMemberConformanceTests {
    private final class Policy: NSMergePolicy, @unchecked Sendable {
        override var mergeType: NSMergePolicyType { .overwriteMergePolicyType }
    }

    private final class Container: NSPersistentContainer, @unchecked Sendable {
        override var name: String { "overridden" }
    }

    private final class Change: NSConstraintConflict {
        override var constraint: [String] { ["email"] }
    }

    private final class Manager: NSMigrationManager {
        override func value(ofMethod name: String, arguments: [Any?]) throws -> Any? {
            name == "answer" ? 42 : try super.value(ofMethod: name, arguments: arguments)
        }
    }

    /// [AD]
    @Test("m.26 members that are open in Core Data can be overridden")
    func overriding() throws {
        #expect(Policy(merge: .errorMergePolicyType).mergeType == .overwriteMergePolicyType)
        #expect(Container(name: "x", managedObjectModel: Library.model()).name == "overridden")
        #expect(Change().constraint == ["email"])
        let manager = Manager(sourceModel: Library.model(), destinationModel: Library.model())
        #expect(try manager.value(ofMethod: "answer", arguments: []) as? Int == 42)
    }

    /// [AD]
    @Test("m.26 a conflict, an object ID and a token can be made of nothing")
    func empty() {
        #expect(NSConstraintConflict().conflictingObjects.isEmpty)
        #expect(NSManagedObjectID().isTemporaryID && NSManagedObjectID() != NSManagedObjectID())
        #expect(NSPersistentHistoryToken() == NSPersistentHistoryToken())
    }

    /// [AD]
    @Test("m.26 a property says whether Spotlight indexes it, and a copy says so too")
    func spotlight() {
        let attribute = ModelSketch.attribute("name")
        #expect(!attribute.isIndexedBySpotlight)
        attribute.isIndexedBySpotlight = true
        #expect(attribute.isIndexedBySpotlight)
        #expect((attribute.copy() as? NSAttributeDescription)?.isIndexedBySpotlight == true)
    }
}

import FirnModel
import Foundation
import Testing

import class FirnFoundation.NSExpression
import class FirnFoundation.NSPredicate
import class FirnFoundation.NSSortDescriptor
import struct FirnFoundation.Selector

@Suite("An archived fetch request")
struct RequestCodingTests {
    private static func request() -> NSFetchRequest<NSManagedObjectID> {
        let request = NSFetchRequest<NSManagedObjectID>(entityName: "Book")
        request.predicate = NSPredicate(format: "title BEGINSWITH[cd] %@ AND pages IN {1, 2}", "x")
        request.havingPredicate = NSPredicate(format: "most > 3")
        request.sortDescriptors = [
            NSSortDescriptor(key: "title", ascending: false, selector: Selector("caseInsensitiveCompare:"))
        ]
        (request.fetchLimit, request.fetchOffset, request.fetchBatchSize) = (1, 2, 3)
        request.resultType = .dictionaryResultType
        request.includesSubentities = false
        request.includesPropertyValues = false
        request.includesPendingChanges = false
        request.returnsObjectsAsFaults = false
        request.returnsDistinctResults = true
        request.shouldRefreshRefetchedObjects = true
        request.relationshipKeyPathsForPrefetching = ["author"]
        let column = NSExpressionDescription()
        (column.name, column.expression) = ("most", NSExpression(format: "max:(pages)"))
        request.propertiesToFetch = ["title", column]
        request.propertiesToGroupBy = [attribute("title")]
        request.nullRule = .memory
        return request
    }

    @Test("asks the same when it comes back, and converts to any result type")
    func roundTrip() throws {
        let request = Self.request()
        let data = try NSKeyedArchiver.archivedData(withRootObject: request, requiringSecureCoding: true)
        let decoded = try NSKeyedUnarchiver.unarchivedObject(ofClass: UntypedFetchRequest.self, from: data)
        #expect(decoded is NSFetchRequest<any NSFetchRequestResult>)
        let again = try #require(decoded).withResultType(NSManagedObjectID.self)
        #expect(again.entityName == "Book" && again.predicate == request.predicate)
        #expect(again.havingPredicate == request.havingPredicate && again.sortDescriptors == request.sortDescriptors)
        #expect((again.fetchLimit, again.fetchOffset, again.fetchBatchSize) == (1, 2, 3))
        #expect(again.resultType == .dictionaryResultType && again.nullRule == .memory)
        #expect(!again.includesSubentities && !again.includesPropertyValues && !again.includesPendingChanges)
        #expect(!again.returnsObjectsAsFaults && again.returnsDistinctResults && again.shouldRefreshRefetchedObjects)
        #expect(again.relationshipKeyPathsForPrefetching == ["author"])
        #expect(again.propertiesToFetch?.first as? String == "title")
        let column = again.propertiesToFetch?.last as? NSExpressionDescription
        #expect(column?.expression == NSExpression(format: "max:(pages)"))
        #expect(again.propertiesToGroupBy as? [String] == ["title"])
    }

    @Test("is decoded by a class with a result type, too")
    func typed() throws {
        let data = try NSKeyedArchiver.archivedData(withRootObject: Self.request(), requiringSecureCoding: false)
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
        unarchiver.requiresSecureCoding = false
        unarchiver.setClass(
            NSFetchRequest<NSManagedObjectID>.self, forClassName: NSStringFromClass(UntypedFetchRequest.self))
        let decoded = unarchiver.decodeObject(forKey: NSKeyedArchiveRootObjectKey)
        #expect((decoded as? NSFetchRequest<NSManagedObjectID>)?.fetchLimit == 1)
    }

    @Test("without anything asked comes back with Apple's defaults")
    func empty() throws {
        let data = try NSKeyedArchiver.archivedData(
            withRootObject: NSFetchRequest<NSManagedObjectID>(), requiringSecureCoding: true)
        let again = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: UntypedFetchRequest.self, from: data))
            .withResultType(NSManagedObjectID.self)
        #expect(again.entityName == nil && again.predicate == nil && again.sortDescriptors == nil)
        #expect(again.includesSubentities && again.returnsObjectsAsFaults && again.propertiesToFetch == nil)
    }
}

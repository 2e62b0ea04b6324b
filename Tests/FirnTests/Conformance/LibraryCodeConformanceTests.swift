import Firn
import class FirnFoundation.NSComparisonPredicate
import class FirnFoundation.NSExpression
import class FirnFoundation.NSPredicate
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// What libraries over Core Data do with predicates: arrays as values in a store in memory, optionals as constants,
/// paths of a subquery's variable.
@Suite("Conformance (m): predicates that libraries make")
struct LibraryCodeConformanceTests {
    private let context: NSManagedObjectContext

    init() throws {
        let model = try ModelText.model(
            """
            Owner: name String, born Date, purchases Transformable, pets ->> Pet.owner
            Pet: name String, owner -> Owner.pets
            """)
        context = try Library.inMemory(model).context()
        let ann = context.make("Owner", ["name": "Ann", "born": Date(), "purchases": [10, 20, 30] as NSArray])
        let bob = context.make("Owner", ["name": "Bob", "purchases": [1, 2] as NSArray])
        for (name, owner) in [("Rex", ann), ("Max", ann), ("Tom", bob)] {
            context.make("Pet", ["name": name]).setValue(owner, forKey: "owner")
        }
        try context.save()
    }

    private func request(_ predicate: NSPredicate) -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Owner")
        request.predicate = predicate
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        return request
    }

    private func names(_ predicate: NSPredicate) throws -> [String] {
        try context.fetch(request(predicate)).compactMap { $0.text("name") }
    }

    @Test(
        "m.43 a store in memory answers predicates over values that SQL cannot look into",
        arguments: [
            ("ANY purchases == 20", ["Ann"]), ("ALL purchases >= 10", ["Ann"]), ("NONE purchases > 5", ["Bob"]),
            ("max(purchases) == 30", ["Ann"]), ("sum(purchases) == 60", ["Ann"]), ("count(purchases) == 2", ["Bob"]),
            ("purchases[1] == 20", ["Ann"]), ("purchases[FIRST] == 1", ["Bob"]), ("purchases[SIZE] == 2", ["Bob"]),
            ("purchases.@count == 2", ["Bob"]), ("purchases.@max.doubleValue == 30", ["Ann"]),
            ("purchases[0] > 0", ["Ann", "Bob"]),
        ])
    func arrays(_ format: String, _ expected: [String]) throws {
        let predicate = NSPredicate(format: format)
        #expect(try names(predicate) == expected)
        #expect(try context.count(for: request(predicate)) == expected.count)
        let ids = request(predicate).withResultType(NSManagedObjectID.self)
        ids.resultType = .managedObjectIDResultType
        #expect(try context.fetch(ids).count == expected.count)
    }

    @Test("m.43 limit and offset, and unsaved changes, count after such a predicate")
    func window() throws {
        let all = request(NSPredicate(format: "purchases[0] > 0"))
        (all.fetchLimit, all.fetchOffset) = (1, 1)
        #expect(try context.fetch(all).compactMap { $0.text("name") } == ["Bob"])
        let ann = try #require(try context.fetch(request(NSPredicate(format: "name == 'Ann'"))).first)
        ann.setValue([-1] as NSArray, forKey: "purchases")
        #expect(try names(NSPredicate(format: "purchases[0] > 0")) == ["Bob"])
        #expect(try names(NSPredicate { object, _ in (object as? NSManagedObject)?.text("name") == "Ann" }) == ["Ann"])
    }

    @Test(
        "m.43 a store in memory refuses a key that is no property, and does not ask its objects for it",
        arguments: [
            "nqme == 'Ann'", "ANY purchases == 20 AND nqme == 'Ann'",
            "purchases[0] == 10 AND pets.@max.nqme == 1",
            "SUBQUERY(pets, $p, $p.nqme == 'Rex' AND purchases[0] == 1).@count > 0",
        ])
    func unknownKeys(_ format: String) throws {
        #expect(throws: (any Error).self) { try context.fetch(request(NSPredicate(format: format))) }
    }

    @Test("m.43 a step behind a value is refused by a store on disk, and not left out", arguments: ["bogus", "@count"])
    func stepBehindValue(step: String) throws {
        try withTemporaryDirectory { folder in
            let model = try ModelText.model("Owner: name String")
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            _ = try coordinator.addPersistentStore(type: .sqlite, at: folder.appending(path: "a.sqlite"))
            let asked = NSFetchRequest<NSManagedObject>(entityName: "Owner")
            asked.predicate = NSPredicate(format: "name.\(step) == 'Ann'")
            let onDisk = coordinator.context()
            #expect(throws: (any Error).self) { try onDisk.fetch(asked) }
        }
    }

    @Test("m.43 an optional without a value is nil as a constant", arguments: [false, true])
    func boxedNil(ignoresCase: Bool) throws {
        let predicate = NSComparisonPredicate(
            leftExpression: NSExpression(forKeyPath: "born"),
            rightExpression: NSExpression(forConstantValue: Date?.none as Any), modifier: .direct, type: .equalTo,
            options: ignoresCase ? .caseInsensitive : [])
        #expect(try names(predicate) == ["Bob"])
    }

    @Test("m.43 a key path that begins with a variable is one of the variable")
    func variablePath() throws {
        let inner = NSComparisonPredicate(
            leftExpression: NSExpression(forKeyPath: "$x.name"), rightExpression: NSExpression(forConstantValue: "X"),
            modifier: .direct, type: .contains, options: .caseInsensitive)
        #expect(inner.predicateFormat == #"$x.name CONTAINS[c] "X""#)
        let subquery = NSExpression(
            forSubquery: NSExpression(forKeyPath: "pets"), usingIteratorVariable: "x", predicate: inner)
        let count = NSExpression(forFunction: "count:", arguments: [subquery])
        let direct = NSComparisonPredicate(
            leftExpression: count, rightExpression: NSExpression(forConstantValue: 2), modifier: .direct,
            type: .equalTo)
        #expect(try names(direct) == ["Ann"])
        let parsed = NSPredicate(format: "(\(subquery))[SIZE] == 2")
        #expect(try names(parsed) == ["Ann"])
    }
}

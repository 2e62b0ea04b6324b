import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// The model's rules in batch requests.
@Suite("A batch under the model's rules")
struct BatchConstraintTests {
    let coordinator: NSPersistentStoreCoordinator
    let context: NSManagedObjectContext
    /// Sees what is in the store.
    let reader: NSManagedObjectContext

    init() throws {
        let model = ModelSketch.correspondence()
        let person = try #require(model.entitiesByName["Person"])
        person.attributesByName["city"]?.defaultValue = "London"
        let stamp = ModelSketch.entity(
            "Stamp",
            [
                ModelSketch.attribute("code", optional: false),
                ModelSketch.attribute("price", .integer32AttributeType),
            ])
        stamp.attributesByName["price"]?.setValidationPredicates(
            [NSPredicate(format: "SELF >= 1")], withValidationWarnings: ["too cheap"])
        model.entities.append(stamp)
        coordinator = try Library.inMemory(model)
        context = coordinator.context()
        reader = coordinator.context()
    }

    private func insert(_ rows: [[String: Any]], _ entity: String = "Person") throws -> [NSManagedObjectID] {
        let request = NSBatchInsertRequest(entityName: entity, objects: rows)
        request.resultType = .objectIDs
        return try (context.execute(request) as? NSBatchInsertResult)?.result as? [NSManagedObjectID] ?? []
    }

    private func people() throws -> [[String?]] {
        try reader.all("Person", sortedBy: "email").map {
            [$0.text("email"), $0.text("name"), $0.text("city")]
        }
    }

    private func expectFailure(_ code: Int, _ body: () throws -> Void) throws {
        let before = coordinator.currentPersistentHistoryToken(fromStores: nil)
        let error = #expect(throws: NSError.self) { try body() }
        #expect(error?.code == code, "\(String(describing: error))")
        #expect(coordinator.currentPersistentHistoryToken(fromStores: nil) == before)
    }

    @Test("applies defaults where a row says nothing")
    func defaults() throws {
        _ = try insert([["email": "ada@a"], ["email": "bob@b", "city": NSNull()]])
        #expect(try people() == [["ada@a", nil, "London"], ["bob@b", nil, nil]])
    }

    @Test("fails for a mandatory property without a value, and for a value that a rule refuses")
    func rules() throws {
        try expectFailure(NSValidationMissingMandatoryPropertyError) {
            _ = try insert([["code": "A"], ["price": 2]], "Stamp")
        }
        let error = #expect(throws: NSError.self) { try insert([["code": "A", "price": 0]], "Stamp") }
        #expect(error?.localizedDescription == "too cheap")
        _ = try insert([["code": "A", "price": 1]], "Stamp")
        let update = NSBatchUpdateRequest(entityName: "Stamp")
        update.validatesValues = true
        update.propertiesToUpdate = ["price": NSExpression(format: "price - 1")]
        #expect(throws: NSError.self) { try context.execute(update) }
        update.propertiesToUpdate = ["code": NSNull()]
        try expectFailure(NSValidationMissingMandatoryPropertyError) { _ = try context.execute(update) }
    }

    /// As the SQL that Core Data logs: INSERT OR IGNORE.
    @Test("leaves out, under the error policy, a row with the unique value of another, stored or of the batch")
    func errorPolicy() throws {
        #expect(try insert([["email": "ada@a", "name": "Ada"], ["email": "bob@b"], ["email": "ada@a"]]).count == 2)
        #expect(try insert([["email": "cay@c"], ["email": "ada@a", "name": "No"]]).count == 1)
        #expect(try insert([["email": "ada@a"]]).isEmpty)
        let names = [["ada@a", "Ada", "London"], ["bob@b", nil, "London"], ["cay@c", nil, "London"]]
        #expect(try people() == names)
    }

    @Test("gives the unique values of a row that was left out to a later one", arguments: [0, 1, 2])
    func leftOutClaims(_ policy: Int) throws {
        _ = try insert([["email": "ada@a"]], "Customer")
        context.mergePolicy = [NSMergePolicy.error, .rollback, .mergeByPropertyStoreTrump][policy]
        let ids = try insert([["email": "ada@a", "number": "1"], ["email": "bob@b", "number": "1"]], "Customer")
        #expect(ids.count == 1)
        #expect(try people().map { $0[0] } == ["ada@a", "bob@b"])
    }

    @Test("fails where a row would change two objects, as their unique values are in it")
    func ofTwo() throws {
        _ = try insert([["email": "ada@a", "number": "1"], ["email": "bob@b", "number": "2"]], "Customer")
        let row = [["email": "ada@a", "number": "2"]]
        #expect(try insert(row, "Customer").isEmpty)
        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        try expectFailure(NSManagedObjectConstraintMergeError) { _ = try insert(row, "Customer") }
    }

    @Test("compares texts by their scalars, as a store does")
    func scalars() throws {
        let emails = ["\u{E9}", "e\u{301}"]
        _ = try insert(emails.map { ["email": $0] })
        for email in emails { _ = context.make("Person", ["email": email + "2"]) }
        try context.save()
        let update = NSBatchUpdateRequest(entityName: "Person")
        update.propertiesToUpdate = ["email": NSExpression(format: "email")]
        _ = try context.execute(update)
        #expect(try people().count == 4)
    }

    @Test("lets nulls be equal")
    func nulls() throws {
        _ = try insert([["name": "Ada"], ["name": "Bob"]])
        #expect(try people().count == 2)
    }

    @Test("leaves out what is there already when the store wins", arguments: [true, false])
    func storeWins(isRollback: Bool) throws {
        _ = try insert([["email": "ada@a", "name": "Ada"]])
        context.mergePolicy = isRollback ? NSMergePolicy.rollback : NSMergePolicy.mergeByPropertyStoreTrump
        let ids = try insert([
            ["email": "ada@a", "name": "Not Ada"], ["email": "bob@b", "name": "Bob"], ["email": "bob@b", "name": "No"],
        ])
        #expect(ids.count == 1)
        #expect(try people() == [["ada@a", "Ada", "London"], ["bob@b", "Bob", "London"]])
    }

    @Test("updates what is there already with the given values when the object wins")
    func objectWins() throws {
        let first = try insert([["email": "ada@a", "name": "Ada", "city": "Paris"]])
        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        let ids = try insert([
            ["email": "ada@a", "name": "Ada L."], ["email": "bob@b", "city": "Rome"],
            ["email": "bob@b", "name": "Bob"],
        ])
        #expect(Set(ids).isSuperset(of: first) && ids.count == 2)
        #expect(try people() == [["ada@a", "Ada L.", "Paris"], ["bob@b", "Bob", "Rome"]])
    }

    @Test("writes the whole row when the policy is to overwrite")
    func overwrites() throws {
        _ = try insert([["email": "ada@a", "name": "Ada", "city": "Paris"]])
        context.mergePolicy = NSMergePolicy.overwrite
        _ = try insert([["email": "ada@a"]])
        #expect(try people() == [["ada@a", nil, "London"]])
    }

    @Test("takes the values of a row across an inherited constraint")
    func inherited() throws {
        let ada = try insert([["email": "ada@a", "name": "Ada"]])
        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        #expect(try insert([["email": "ada@a", "name": "Ada L.", "number": "1"]], "Customer") == ada)
        #expect(try people() == [["ada@a", "Ada L.", "London"]])
    }

    @Test("of an update that gives two objects one unique value changes nothing")
    func update() throws {
        _ = try insert([["email": "ada@a"], ["email": "bob@b"], ["email": "cay@c"]])
        let update = NSBatchUpdateRequest(entityName: "Person")
        update.propertiesToUpdate = ["email": "same@s", "name": "Same"]
        try expectFailure(NSManagedObjectConstraintMergeError) { _ = try context.execute(update) }
        update.predicate = NSPredicate(format: "email == 'bob@b'")
        update.propertiesToUpdate = ["email": "ada@a"]
        try expectFailure(NSManagedObjectConstraintMergeError) { _ = try context.execute(update) }
        update.propertiesToUpdate = ["email": "bo@b"]
        _ = try context.execute(update)
        #expect(try people().map { $0[0] } == ["ada@a", "bo@b", "cay@c"])
    }

    @Test("makes a new object of a row with a unique value that one before it freed", arguments: [false, true])
    func freed(isStored: Bool) throws {
        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        let first = ["email": "ada@a", "number": "1"]
        let others = [["email": "ada@a", "number": "2"], ["email": "cay@c", "number": "1"]]
        for rows in isStored ? [[first], others] : [[first] + others] { _ = try insert(rows, "Customer") }
        let customers = try reader.all("Customer", sortedBy: "email").map { [$0.text("email"), $0.text("number")] }
        #expect(customers == [["ada@a", "2"], ["cay@c", "1"]])
    }
}

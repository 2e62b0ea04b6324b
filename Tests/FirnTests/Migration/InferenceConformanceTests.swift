import Firn
import FirnModel
import Foundation
import StoreSupport
import Testing

/// What a lightweight migration infers without a mapping model.
@Suite("Inferred migrations")
struct InferenceConformanceTests {
    private let store: MigratingStore

    init() throws { store = try MigratingStore() }

    private static let conversions = [
        ("Integer16", "Integer64", 7), ("Integer64", "Integer16", -7), ("Integer32", "Integer16", 32_767),
        ("Boolean", "Integer32", 1), ("Integer16", "Double", 12), ("Integer64", "Float", 1_000),
        ("Float", "Double", 3),
    ]

    @Test("m.27a numbers become numbers of another type", arguments: conversions)
    func numbers(old: String, new: String, value: Int) throws {
        let (_, after) = try store.migrate("Item: count \(old)", to: "Item: count \(new)") { context in
            _ = context.make("Item", ["count": NSNumber(value: value)])
            _ = context.make("Item")
        }
        #expect(after.objects.count == 2)
        #expect(after.objects.values.compactMap { $0["count"].flatMap(Double.init) } == [Double(value)])
    }

    @Test("m.27a a renamed attribute may change its numeric type, and become mandatory with a default")
    func renamed() throws {
        let new = "Item: !amount Double = 5 was count"
        let (_, after) = try store.migrate("Item: count Integer16", to: new) { context in
            _ = context.make("Item", ["count": 3])
            _ = context.make("Item")
        }
        #expect(Set(after.objects.values.compactMap { $0["amount"].flatMap(Double.init) }) == [3, 5])
    }

    @Test("m.27a history tells old numbers in the new type")
    func history() throws {
        _ = try store.migrate("Item: count Integer16", to: "Item: count Double") { _ = $0.make("Item", ["count": 3]) }
        let coordinator = try store.coordinator(ModelText.model("Item: count Double"))
        let context = coordinator.context()
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
        let result = try #require(try context.execute(request) as? NSPersistentHistoryResult)
        let changes = (result.result as? [NSPersistentHistoryTransaction] ?? []).flatMap { $0.changes ?? [] }
        #expect(changes.compactMap { $0.newValues["count"] as? Double } == [3])
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }

    @Test("m.27a a value that the narrower type cannot hold is named, and the store stays as it was")
    func tooLarge() throws {
        let before = try store.with("Item: count Integer64") { _ = $0.make("Item", ["count": 70_000]) }
        let error = try store.refusal("Item: count Integer16")
        #expect(error?.code == NSMigrationError)
        #expect(error?.localizedDescription.contains("Item 1") == true)
        #expect(try store.with("Item: count Integer64") == before)
    }

    @Test(
        "m.27a other types are refused: to decimal, to Boolean, to text, from decimal",
        arguments: [("Integer32", "Decimal"), ("Integer16", "Boolean"), ("Integer16", "String"), ("Decimal", "Double")])
    func refused(old: String, new: String) throws {
        try store.with("Item: count \(old)")
        #expect(try store.refusal("Item: count \(new)")?.code == NSInferredMappingModelError)
    }

    @Test("m.27a a relationship that became an attribute of its name was removed, and the attribute added; and back")
    func kinds() throws {
        let old = "Person: name String, home -> Place, city String\nPlace: name String"
        let new = "Person: name String, home String, city -> Place\nPlace: name String"
        let (_, after) = try store.migrate(old, to: new) { context in
            let place = context.make("Place", ["name": "Turin"])
            _ = context.make("Person", ["name": "Ada", "home": place, "city": "Rome"])
        }
        #expect(after["Person/p1"] == ["name": "Ada"])
        #expect(after["Place/p1"] == ["name": "Turin"])
    }

    @Test("m.27a a renaming identifier that leads from a relationship to an attribute is an error")
    func renamedKind() throws {
        try store.with("Person: home -> Place\nPlace: name String")
        let error = try store.refusal("Person: address String was home\nPlace: name String")
        #expect(error?.localizedDescription.contains("Person.address") == true)
    }

    @Test("m.27a of several objects whose to-one gets a to-one inverse one is kept, and the log says which")
    func oneToOne() throws {
        let old = "Person: name String, passport -> Passport\nPassport: number String"
        let new = """
            Person: name String, passport -> Passport.holder
            Passport: number String, holder -> Person.passport
            """
        let (_, after) = try store.migrate(old, to: new) { context in
            let passport = context.make("Passport", ["number": "X"])
            for name in ["Ada", "Alan", "Grace"] {
                let person = context.make("Person", ["name": name])
                person.setValue(passport, forKey: "passport")
                try context.save()
            }
            let own = context.make("Passport", ["number": "Y"])
            _ = context.make("Person", ["name": "Edsger", "passport": own])
        }
        #expect(after["Passport/p1"]["holder"] == "Person/p1")
        let holders = after.objects.filter { $0.value["passport"] == "Passport/p1" }.map(\.key)
        #expect(holders == ["Person/p1"])
        #expect(after["Passport/p2"]["holder"] == "Person/p4")
        let notes = try StoredTables.migrationNotes(store.url)
        #expect(notes?.contains("Person 2 does not lead to Passport 1") == true)
        #expect(notes?.contains("Person 3 does not lead to Passport 1") == true)
    }

    @Test("m.27a two attributes that claim one renaming identifier are an error that names them")
    func sharedIdentifier() throws {
        let before = try store.with("Person: name String") { _ = $0.make("Person", ["name": "Ada"]) }
        let error = try store.refusal("Person: first String was name, last String was name")
        #expect(error?.code == NSInferredMappingModelError)
        let text = error?.localizedDescription ?? ""
        #expect(text.contains("Person.first") && text.contains("Person.last") && text.contains("'name'"))
        #expect(try store.with("Person: name String") == before)
    }

    @Test("m.27a two entities that claim one renaming identifier are an error that names them")
    func sharedEntityIdentifier() throws {
        try store.with("Person: name String")
        let error = try store.refusal("Man was Person: name String\nWoman was Person: name String")
        let text = error?.localizedDescription ?? ""
        #expect(text.contains("Man") && text.contains("Woman") && text.contains("'Person'"))
    }
}

import Firn
import FirnModel
import Foundation
import StoreSupport
import Testing

@Suite("A lightweight migration")
struct LightweightMigrationTests {
    private let store: MigratingStore

    init() throws { store = try MigratingStore() }

    @Test("adds and removes attributes; what is new has its default")
    func attributes() throws {
        let (_, after) = try store.migrate(
            "Person: name String, age Integer32",
            to: "Person: name String, !city String = Rome, mood String, rank Integer16 = 4"
        ) { context in
            _ = context.make("Person", ["name": "Ada", "age": 36])
            _ = context.make("Person")
        }
        #expect(after["Person/p1"] == ["name": "Ada", "city": "Rome", "rank": "4"])
        #expect(after["Person/p2"] == ["city": "Rome", "rank": "4"])
    }

    @Test("makes an optional attribute mandatory with its default, and back")
    func mandatory() throws {
        let (_, after) = try store.migrate("Person: name String", to: "Person: !name String = Nobody") { context in
            _ = context.make("Person", ["name": "Ada"])
            _ = context.make("Person")
        }
        #expect(after["Person/p1"]["name"] == "Ada")
        #expect(after["Person/p2"]["name"] == "Nobody")
        #expect(try store.with("Person: name String") == after)
    }

    @Test("follows renaming identifiers of entities, attributes and relationships")
    func renaming() throws {
        let (_, after) = try store.migrate(
            """
            Person: name String, pets ->> Pet.owner
            Pet: call String, owner -> Person.pets
            """,
            to: """
                Human was Person: fullName String was name, animals ->> Animal.keeper was pets
                Animal was Pet: call String, keeper -> Human.animals was owner
                Pet: owner String
                """
        ) { context in
            let ada = context.make("Person", ["name": "Ada"])
            _ = context.make("Pet", ["call": "Rex", "owner": ada])
        }
        #expect(after["Human/p1"] == ["fullName": "Ada", "animals": "Animal/p1"])
        #expect(after["Animal/p1"] == ["call": "Rex", "keeper": "Human/p1"])
        #expect(after.count("Pet") == 0)
    }

    @Test("skips a version where renaming identifiers chain")
    func skippedVersions() throws {
        let first = "Car: color String"
        let last = "Vehicle was Car: bodyColor String was color"
        let fill: (NSManagedObjectContext) -> Void = { _ = $0.make("Car", ["color": "red"]) }
        #expect(try store.migrate(first, to: last, fill).after["Vehicle/p1"] == ["bodyColor": "red"])
        let slow = try MigratingStore()
        try slow.with(first, fill)
        try slow.with("Automobile was Car: paintColor String was color")
        #expect(try slow.with(last)["Vehicle/p1"] == ["bodyColor": "red"])
    }

    @Test("gives a name that was given up to something else, and an entity's number never twice")
    func reusedNames() throws {
        try store.with("Note: text String\nTag: label String") { _ = $0.make("Tag", ["label": "old"]) }
        try store.with("Note: text String")
        let state = try store.with("Note: text String\nTag: label String") { _ = $0.make("Tag", ["label": "new"]) }
        #expect(state["Tag/p1"] == ["label": "new"])
        #expect(state.count("Tag") == 1)
        let dumps = try StoredTables.dumps(store.url)
        #expect(dumps.present == dumps.rebuilt)
    }

    @Test(
        "turns to-one into to-many, and one to many into many to many",
        arguments: [
            (
                "friend -> Person.friendOf, friendOf ->> Person.friend",
                "friend ->> Person.friendOf, friendOf ->> Person.friend"
            ),
            (
                "friend -> Person.friendOf, friendOf -> Person.friend",
                "friend -> Person.friendOf, friendOf ->> Person.friend"
            ),
            ("friend -> Person", "friend ->> Person"),
            ("friend -> Person", "friend ->> Person ordered"),
            ("friend -> Person", "friend -> Person.friendOf, friendOf ->> Person.friend"),
        ])
    func cardinality(_ old: String, _ new: String) throws {
        let (before, after) = try store.migrate(
            "Person: name String, \(old)", to: "Person: name String, \(new)"
        ) { context in
            let people = (0..<4).map { context.make("Person", ["name": "\($0)"]) }
            try context.save()
            people[0].setValue(people[1], forKey: "friend")
            people[2].setValue(people[3], forKey: "friend")
        }
        for person in ["Person/p1", "Person/p2", "Person/p3", "Person/p4"] {
            #expect(after[person]["friend"] ?? "" == before[person]["friend"] ?? "")
            if new.contains("friendOf"), old.contains("friendOf") {
                #expect(after[person]["friendOf"] ?? "" == before[person]["friendOf"] ?? "")
            }
        }
    }

    @Test("makes an unordered relationship ordered and an ordered one unordered, with its members")
    func order() throws {
        func model(_ order: String) -> String {
            "List: items ->> Item.list \(order), tags ->> Item.tagged \(order)\n"
                + "Item: name String, list -> List.items, tagged ->> List.tags"
        }
        let (before, ordered) = try store.migrate(model(""), to: model("ordered")) { context in
            let list = context.make("List")
            let items = (0..<3).map { context.make("Item", ["name": "\($0)"]) }
            list.setValue(NSSet(array: items), forKey: "items")
            list.setValue(NSSet(array: items), forKey: "tags")
        }
        #expect(ordered["List/p1"] == before["List/p1"])
        let moved = try store.with(model("ordered")) { context in
            let list = try context.all("List")[0]
            let items = (list.value(forKey: "items") as? NSOrderedSet)?.array ?? []
            list.setValue(NSOrderedSet(array: [items[2], items[0], items[1]]), forKey: "items")
        }
        #expect(moved["List/p1"]["items"] == "Item/p3 Item/p1 Item/p2")
        #expect(try store.with(model(""))["List/p1"] == before["List/p1"])
    }

    @Test("moves properties up and down, and puts a new parent over an entity and a new child under it")
    func hierarchy() throws {
        let (before, after) = try store.migrate(
            """
            Shape: name String
            Circle < Shape: radius Double, tint String
            Square < Shape: tint String
            Note: text String
            """,
            to: """
                abstract Thing: title String
                Shape < Thing: name String, tint String
                Circle < Shape: radius Double
                Square < Shape
                Star < Circle: points Integer16
                Note: text String
                """
        ) { context in
            _ = context.make("Circle", ["name": "c", "radius": 2.0, "tint": "red"])
            _ = context.make("Square", ["name": "s", "tint": "blue"])
            _ = context.make("Shape", ["name": "x"])
            _ = context.make("Note", ["text": "n"])
        }
        #expect(after == before)
    }

    @Test("moves an entity into a hierarchy and out of it; keys that are taken there move")
    func movedEntities() throws {
        let apart = "Person: name String, best -> Robot\nRobot: name String, owner -> Person"
        let (_, inside) = try store.migrate(
            apart, to: "Person: name String, best -> Robot\nRobot < Person: owner -> Person"
        ) { context in
            let ada = context.make("Person", ["name": "Ada"])
            let robot = context.make("Robot", ["name": "R2", "owner": ada])
            ada.setValue(robot, forKey: "best")
            try context.save()
            context.delete(context.make("Person"))
        }
        #expect(inside["Person/p1"] == ["name": "Ada", "best": "Robot/p2"])
        #expect(inside["Robot/p2"] == ["name": "R2", "owner": "Person/p1"])
        let sequence = try StoredTables.head(store.url)
        let outside = try store.with(apart) { _ = $0.make("Robot", ["name": "new"]) }
        #expect(outside["Robot/p3"] == ["name": "new"])
        #expect(outside["Person/p1"]["best"] == "Robot/p2")
        try store.check(inside, at: sequence, ModelText.model(apart))
    }

    @Test("drops what leads to an entity that is gone")
    func removedEntities() throws {
        let (_, after) = try store.migrate(
            "Person: name String, home -> Place, places ->> Place\nPlace: name String",
            to: "Person: name String"
        ) { context in
            let place = context.make("Place", ["name": "Rome"])
            let ada = context.make("Person", ["name": "Ada", "home": place])
            ada.setValue(NSSet(object: place), forKey: "places")
        }
        #expect(after["Person/p1"] == ["name": "Ada"])
    }

    @Test("is followed by another and another: history, keys and the past hold")
    func manyMigrations() throws {
        var states: [(StoreState, UInt64)] = []
        for version in 1...5 {
            let attributes = (1...version).map { "a\($0) String = v\($0)" }.joined(separator: ", ")
            let model = "Item: name String, \(attributes)"
            let state = try store.with(model) { _ = $0.make("Item", ["name": "made in \(version)"]) }
            states.append((state, try StoredTables.head(store.url).rawValue))
            #expect(state.count("Item") == version)
        }
        let last = try ModelText.model("Item: name String")
        try store.with(last)
        for (state, sequence) in states { try store.check(state, at: .init(sequence), last) }
        let coordinator = try store.coordinator(last)
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
        let result = try coordinator.context().execute(request) as? NSPersistentHistoryResult
        let changes = (result?.result as? [NSPersistentHistoryTransaction] ?? []).flatMap { $0.changes ?? [] }
        #expect(changes.map { $0.newValues["name"] as? String } == (1...5).map { "made in \($0)" })
    }
}

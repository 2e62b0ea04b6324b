import Firn
import FirnModel
import Foundation
import Testing

/// Things that take each other's names between two versions of a model. Renaming identifiers are no part of a version
/// hash: something else has to differ, or the versions are the same.
@Suite("Conformance (m): names that are swapped")
struct SwappedNamesConformanceTests {
    private let store: MigratingStore

    init() throws { store = try MigratingStore() }

    @Test("m.42 two attributes that swap their names in a migration keep their values")
    func attributes() throws {
        let (_, after) = try store.migrate(
            "Person: first String, last String",
            to: "Person: first String was last, last String was first, mood String"
        ) { context in
            _ = context.make("Person", ["first": "Ada", "last": "Lovelace"])
        }
        #expect(after["Person/p1"] == ["first": "Lovelace", "last": "Ada"])
    }

    @Test("m.42 two entities that swap their names in a migration keep their objects")
    func entities() throws {
        let (_, after) = try store.migrate(
            """
            Cat: name String
            Dog: name String
            """,
            to: """
                Cat was Dog: name String
                Dog was Cat: name String
                """
        ) { context in
            _ = context.make("Cat", ["name": "Tom"])
            _ = context.make("Dog", ["name": "Rex"])
            _ = context.make("Dog", ["name": "Max"])
        }
        #expect(after.count("Cat") == 2)
        #expect(after.count("Dog") == 1)
        #expect(after["Dog/p1"] == ["name": "Tom"])
    }

    @Test("m.42 two relationships that swap their names in a migration keep what they lead to")
    func relationships() throws {
        let (_, after) = try store.migrate(
            """
            Pet: name String, owner -> Person.owned, sitter -> Person.sat
            Person: name String, owned ->> Pet.owner, sat ->> Pet.sitter
            """,
            to: """
                Pet: name String, owner -> Person.owned was sitter, sitter -> Person.sat was owner, mood String
                Person: name String, owned ->> Pet.owner was sat, sat ->> Pet.sitter was owned
                """
        ) { context in
            let (ada, bob) = (context.make("Person", ["name": "Ada"]), context.make("Person", ["name": "Bob"]))
            try context.obtainPermanentIDs(for: [ada, bob])
            _ = context.make("Pet", ["name": "Rex", "owner": ada, "sitter": bob])
        }
        let people = ["p1", "p2"].map { after["Person/\($0)"] }
        let ada = people[0]["name"] == "Ada" ? "Person/p1" : "Person/p2"
        let bob = people[0]["name"] == "Ada" ? "Person/p2" : "Person/p1"
        #expect(after["Pet/p1"] == ["name": "Rex", "owner": bob, "sitter": ada])
    }
}

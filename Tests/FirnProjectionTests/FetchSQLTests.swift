import FirnFoundation
import FirnLog
import FirnModel
import FirnProjection
import Foundation
import Testing

import class FirnFoundation.NSPredicate
import class FirnFoundation.NSSortDescriptor

/// A store with a few people and animals, and what fetches of it show.
struct FetchSample {
    let sample: Sample

    init() throws {
        sample = try Sample()
        let schema = sample.schema
        func person(_ key: Int64) -> PropertyValue {
            .reference(ObjectKey(entity: schema.named("Person"), primaryKey: key))
        }
        try sample.save([
            schema.group(
                .insert, "Person", 1,
                ["name": .text("Ada"), "age": .integer(36), "money": .text("10.5")]),
            schema.group(
                .insert, "Person", 2,
                ["name": .text("Zoë"), "age": .integer(20), "money": .text("9")]),
            schema.group(.insert, "Person", 3, ["age": .integer(50)]),
            schema.group(
                .insert, "Dog", 1,
                ["name": .text("Rex"), "barks": .integer(3), "owner": person(1), "Z_ORD_owner": .integer(1)]),
            schema.group(
                .insert, "Bird", 2,
                ["name": .text("Tweety"), "owner": person(1), "Z_ORD_owner": .integer(0)]),
            schema.group(
                .insert, "Dog", 3,
                ["name": .text("rex"), "barks": .integer(9), "owner": person(2), "Z_ORD_owner": .integer(0)]),
            schema.group(.insert, "Animal", 4, ["weight": .real(2)]),
        ])
    }

    func request(
        _ entity: String, _ predicate: NSPredicate? = nil, sort: [NSSortDescriptor] = []
    ) -> NSFetchRequest<any NSFetchRequestResult> {
        let request = NSFetchRequest<any NSFetchRequestResult>()
        request.entity = sample.schema.entities.first { $0.name == entity }
        request.predicate = predicate
        request.sortDescriptors = sort
        return request
    }

    func plan(_ entity: String, _ format: String, _ arguments: [Any] = []) throws -> FetchPlan {
        try FetchPlan(
            request(entity, NSPredicate(format: format, argumentArray: arguments)),
            schema: sample.schema)
    }

    /// The keys as a set: without a sort descriptor the order is SQLite's.
    func keys(_ entity: String, _ format: String, _ arguments: [Any] = []) throws -> Set<Int64> {
        let plan = try plan(entity, format, arguments)
        return try sample.projection.read { Set(try $0.keys(plan).map(\.primaryKey)) }
    }

    /// What follows FROM, with the values and the plan.
    func explain(_ entity: String, _ format: String, _ arguments: [Any] = []) throws -> String {
        let plan = try plan(entity, format, arguments)
        let explanation = try sample.projection.read { try $0.explain(plan) }
        let sql = explanation.sql
        let from = sql.range(of: "FROM").map { String(sql[$0.lowerBound...]) } ?? sql
        return ([from] + explanation.bindings + explanation.plan).joined(separator: "\n")
    }

    func id(_ entity: String, _ key: Int64) throws -> NSManagedObjectID {
        let number = sample.schema.named(entity)
        let description = try #require(sample.schema.entity(number))
        let root = sample.schema.number(of: description.rootEntity)
        return NSManagedObjectID(
            entity: description, entityNumber: number.rawValue, rootNumber: root.rawValue,
            primaryKey: key, store: StoreIdentity(identifier: "S"))
    }
}

@Suite("A fetch in SQL")
struct FetchSQLTests {
    let fetch: FetchSample

    init() throws { fetch = try FetchSample() }

    @Test("finds a text by an index")
    func equality() throws {
        #expect(
            try fetch.explain("Person", "name == 'Ada'") == """
                FROM "Person" AS t0 WHERE (t0."name" = ?1)
                'Ada'
                SEARCH t0 USING INDEX Z_IX_Person_unique_name (name=?)
                """)
    }

    @Test("finds a prefix by an index, and asks the function what is left")
    func prefix() throws {
        #expect(
            try fetch.explain("Person", "name BEGINSWITH 'Ad'") == """
                FROM "Person" AS t0 WHERE (t0."name" >= ?1 AND t0."name" < ?2 AND firn_prefix(t0."name", ?1, 0))
                'Ad'
                'Ae'
                SEARCH t0 USING INDEX Z_IX_Person_unique_name (name>? AND name<?)
                """)
    }

    @Test("joins a to-one once")
    func toOne() throws {
        #expect(
            try fetch.explain("Animal", "owner.name == 'Ada' AND owner.age > 30") == """
                FROM "Animal" AS t0 LEFT JOIN "Person" AS t1 ON t1.Z_PK = t0."owner" \
                WHERE ((t1."name" = ?1) AND (t1."age" > ?2))
                'Ada'
                30
                SEARCH t1 USING INDEX Z_IX_Person_unique_name (name=?)
                SEARCH t0 USING INDEX Z_IX_Animal_owner (owner=?)
                """)
    }

    @Test("asks members of a to-many by EXISTS")
    func toMany() throws {
        #expect(
            try fetch.explain("Person", "ANY pets.name == 'Rex'") == """
                FROM "Person" AS t0 WHERE (EXISTS (SELECT 1 FROM "Animal" AS t1 \
                WHERE t1."owner" = t0.Z_PK AND (t1."name" = ?1)))
                'Rex'
                SCAN t0
                CORRELATED SCALAR SUBQUERY 1
                  SEARCH t1 USING INDEX Z_IX_Animal_owner (owner=?)
                """)
    }

    @Test("asks only rows of the entity")
    func subentity() throws {
        #expect(
            try fetch.explain("Dog", "barks > 1") == """
                FROM "Animal" AS t0 WHERE (t0."barks" > ?1) AND t0.Z_ENT=3
                1
                SEARCH t0 USING INDEX Z_IX_Animal_Z_ENT (Z_ENT=?)
                """)
    }

    static let answers: [(String, String, [Int64])] = [
        ("Person", "TRUEPREDICATE", [1, 2, 3]),
        ("Person", "name == nil", [3]),
        ("Person", "name != nil", [1, 2]),
        // As in Core Data's store: null is not different from anything.
        ("Person", "name != 'Ada'", [2]),
        ("Person", "NOT (name == 'Ada')", [2]),
        ("Person", "name ==[cd] 'ZOE'", [2]),
        ("Person", "name CONTAINS[cd] 'o'", [2]),
        ("Person", "name LIKE 'A*'", [1]),
        ("Person", "name MATCHES '[A-Z].+ë'", [2]),
        ("Person", "name ENDSWITH 'a' OR age == 50", [1, 3]),
        ("Person", "age BETWEEN {20, 36}", [1, 2]),
        ("Person", "age IN {20, 50, 99}", [2, 3]),
        ("Person", "name IN {'Ada', nil}", [1, 3]),
        ("Person", "money > 9.5", [1]),
        ("Person", "money < 10", [2]),
        ("Person", "money == 10.50", [1]),
        ("Person", "age + 1 == 21", [2]),
        ("Person", "age / 2 == 18", [1]),
        ("Person", "pets.@count == 2", [1]),
        ("Person", "pets[SIZE] == 0", [3]),
        ("Person", "ANY pets.name ==[c] 'rex'", [1, 2]),
        ("Person", "ALL pets.name BEGINSWITH 'r'", [2, 3]),
        ("Person", "NONE pets.name == 'Rex'", [2, 3]),
        ("Person", "SUBQUERY(pets, $p, $p.name == 'Tweety' AND $p.owner.age > 30).@count > 0", [1]),
        ("Person", "pets.@max.name == 'Tweety'", [1]),
        ("Person", "pets.weight.@sum == 0", [1, 2, 3]),
        ("Animal", "owner.name == 'Ada'", [1, 2]),
        ("Animal", "owner == nil", [4]),
        ("Animal", "owner.pets.@count == 1", [3]),
        ("Animal", "ANY owner.pets.name == 'Rex'", [1, 2]),
        ("Animal", "weight > 1", [4]),
        ("Dog", "barks > 5", [3]),
        ("Person", "TERNARY(age > 30, 'old', 'young') == 'young'", [2]),
        ("Person", "uppercase(name) == 'ADA'", [1]),
        ("Person", "FALSEPREDICATE OR age == 20", [2]),
        ("Person", "age == '20'", [2]),
    ]

    @Test("answers", arguments: answers)
    func answer(_ entity: String, _ format: String, _ expected: [Int64]) throws {
        #expect(try fetch.keys(entity, format) == Set(expected))
    }

    @Test("takes objects and identities as values")
    func identities() throws {
        let (ada, rex) = (try fetch.id("Person", 1), try fetch.id("Dog", 1))
        #expect(try fetch.keys("Animal", "owner == %@", [ada]) == [1, 2])
        #expect(try fetch.keys("Animal", "owner IN %@", [[ada]]) == [1, 2])
        #expect(try fetch.keys("Person", "%@ IN pets", [rex]) == [1])
        #expect(try fetch.keys("Person", "pets CONTAINS %@", [rex]) == [1])
        #expect(try fetch.keys("Person", "SELF == %@", [ada]) == [1])
        #expect(try fetch.keys("Person", "objectID IN %@", [NSSet(array: [ada])]) == [1])
        // An identity of another entity tree equals nothing, though the key is the same.
        #expect(try fetch.keys("Person", "SELF == %@", [rex]) == [])
        let dog = try #require(fetch.sample.schema.entity(fetch.sample.schema.named("Dog")))
        #expect(try fetch.keys("Animal", "entity == %@", [dog]) == [1, 3])
        let temporary = NSManagedObjectID(temporaryFor: ada.entity)
        #expect(try fetch.keys("Animal", "owner == %@", [temporary]) == [])
    }

    @Test("takes 100,000 values of IN as one parameter")
    func longList() throws {
        let ages = Array(-49_999...50_000)
        #expect(try fetch.keys("Person", "age IN %@", [ages]) == [1, 2, 3])
        let names = ages.map { "name \($0)" } + ["Ada"]
        #expect(try fetch.keys("Person", "name IN %@", [names]) == [1])
    }

    @Test("sorts with nil first, by key paths and by Foundation's orders")
    func sorting() throws {
        func sorted(_ entity: String, _ descriptors: NSSortDescriptor...) throws -> [Int64] {
            let plan = try FetchPlan(
                fetch.request(entity, sort: descriptors), schema: fetch.sample.schema)
            return try fetch.sample.projection.read { try $0.keys(plan).map(\.primaryKey) }
        }
        #expect(try sorted("Person", NSSortDescriptor(key: "name", ascending: true)) == [3, 1, 2])
        #expect(try sorted("Person", NSSortDescriptor(key: "money", ascending: false)) == [1, 2, 3])
        #expect(
            try sorted(
                "Animal", NSSortDescriptor(key: "owner.age", ascending: false),
                NSSortDescriptor(key: "name", ascending: true)) == [1, 2, 3, 4])
        #expect(
            try sorted(
                "Animal",
                NSSortDescriptor(
                    key: "name", ascending: true, selector: Selector("caseInsensitiveCompare:")))
                == [4, 1, 3, 2])
    }

    @Test("counts and returns what limit and offset leave")
    func window() throws {
        let request = fetch.request(
            "Person", sort: [NSSortDescriptor(key: "age", ascending: true)])
        request.fetchLimit = 1
        request.fetchOffset = 1
        let plan = try FetchPlan(request, schema: fetch.sample.schema)
        let (keys, count, rows) = try fetch.sample.projection.read {
            (try $0.keys(plan).map(\.primaryKey), try $0.count(plan), try $0.rows(plan))
        }
        #expect(keys == [1])
        #expect(count == 1)
        #expect(rows.count == 1)
    }

    @Test("returns as many rows as are asked for, by the plan of a request for another number too")
    func windows() throws {
        for limit in [1, 2, 1, 3, 1] {
            let request = fetch.request("Person", sort: [NSSortDescriptor(key: "age", ascending: true)])
            request.predicate = NSPredicate(format: "age >= %d", 0)
            request.fetchLimit = limit
            let plan = try fetch.sample.schema.plan(request.settings)
            let all = try fetch.sample.projection.read { try $0.rows(plan) }
            var parts: [[ObjectKey]] = []
            try fetch.sample.projection.read { try $0.forEachPart(plan, nil) { parts.append($0.keys) } }
            #expect(all.count == min(limit, 3))
            #expect(parts == [all.keys])
        }
    }

    @Test("returns rows of several entities in one order")
    func mixedRows() throws {
        let plan = try FetchPlan(
            fetch.request("Animal", sort: [NSSortDescriptor(key: "name", ascending: false)]),
            schema: fetch.sample.schema)
        let rows = try fetch.sample.projection.read { try $0.rows(plan) }
        #expect((0..<rows.count).map { rows.key(at: $0).primaryKey } == [3, 2, 1, 4])
        #expect(rows.batches.count == 3)
        let dog = rows[0].batch
        let barks = Int(fetch.sample.schema.slot(dog.entity, "barks"))
        #expect(dog.value(at: rows[0].row, slot: barks) == .integer(9))
    }

    static let refused: [(String, String)] = [
        ("pets.name == 'Rex'", "to-many"), ("nothing == 1", "nothing"), ("name == $x", "$x"),
        ("pets == 1", "to-many"), ("SELF < 3", "no order"),
    ]

    @Test("that SQL cannot answer is refused by name", arguments: refused)
    func unsupported(_ format: String, _ word: String) throws {
        let error = #expect(throws: UnsupportedPredicate.self) {
            try fetch.plan("Person", format)
        }
        #expect(error?.description.contains(word) == true, "\(error?.description ?? "")")
    }

    @Test("with a block is refused")
    func block() throws {
        let request = fetch.request("Person", NSPredicate { _, _ in true })
        #expect(throws: UnsupportedPredicate.self) {
            try FetchPlan(request, schema: fetch.sample.schema)
        }
    }

    static let hostile = [
        "'; DROP TABLE \"Person\"; --", "\"", "?1", "a\0b", "%", "_", "\\", "*",
        String(repeating: "x'\"", count: 350_000),
    ]

    @Test("never takes a value for SQL", arguments: hostile.indices)
    func injection(_ index: Int) throws {
        let value = Self.hostile[index]
        for operation in ["==", "!=", "<", ">=", "BEGINSWITH", "ENDSWITH", "CONTAINS", "LIKE"] {
            _ = try fetch.keys("Person", "name \(operation) %@", [value])
            _ = try fetch.keys("Person", "name \(operation)[cd] %@", [value])
            _ = try fetch.keys("Person", "ANY pets.name \(operation) %@", [value])
        }
        _ = try fetch.keys("Person", "name IN %@", [[value]])
        _ = try fetch.keys("Person", "name BETWEEN %@", [[value, value]])
        #expect(try fetch.keys("Person", "TRUEPREDICATE") == [1, 2, 3])
    }
}

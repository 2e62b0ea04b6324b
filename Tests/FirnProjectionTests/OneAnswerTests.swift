import FirnFoundation
import FirnLog
import FirnModel
import FirnProjection
import Foundation
import Testing

import class FirnFoundation.NSPredicate
import class FirnFoundation.NSSortDescriptor

/// A row of the sample model as an object in memory.
private final class MemoryObject: NSObject, KeyValueCoding {
    let name: String
    var values: [String: Any] = [:]

    init(_ name: String) { self.name = name }

    func value(forKey key: String) -> Any? { values[key] }
    func setValue(_ value: Any?, forKey key: String) { values[key] = value }
}

/// The same objects in memory and in a store, and predicates at random over both.
private struct TwoWorlds {
    let sample: Sample
    var people: [MemoryObject] = []
    var animals: [MemoryObject] = []
    var generator: SeededGenerator

    static let words = ["Ada", "ada", "Zoë", "Zoe", "", "É", "E\u{301}", "漢字", "K9", "a*b", "Straße"]
    static let decimals = ["0", "10", "9", "-1.5", "2.25"]
    static let reals = [0, -0.0, 1.5, 36, -7.25]

    init(seed: UInt64) throws {
        sample = try Sample()
        generator = SeededGenerator(seed: seed)
        var groups: [ChangeGroup] = []
        for key in 1...12 {
            let (object, group) = person(Int64(key))
            people.append(object)
            groups.append(group)
        }
        for key in 1...20 {
            let (object, group) = animal(Int64(key))
            animals.append(object)
            groups.append(group)
        }
        try sample.save(groups)
    }

    private mutating func pick<T>(_ values: [T]) -> T? {
        Int.random(in: 0..<4, using: &generator) == 0 ? nil : values.randomElement(using: &generator)
    }

    private mutating func person(_ key: Int64) -> (MemoryObject, ChangeGroup) {
        let object = MemoryObject("Person \(key)")
        object.values["pets"] = NSMutableSet()
        var values: [String: PropertyValue] = [:]
        if let name = pick(Self.words) {
            object.values["name"] = name
            values["name"] = .text(name)
        }
        if let age = pick([-1, 0, 20, 36, 50]) {
            object.values["age"] = age
            values["age"] = .integer(Int64(age))
        }
        if let money = pick(Self.decimals), let decimal = Decimal(string: money) {
            object.values["money"] = decimal
            values["money"] = .text(money)
        }
        if let score = pick(Self.reals) {
            object.values["score"] = score
            values["score"] = .real(score)
        }
        if let flag = pick([true, false]) {
            object.values["isAdult"] = flag
            values["isAdult"] = .integer(flag ? 1 : 0)
        }
        return (object, sample.schema.group(.insert, "Person", key, values))
    }

    private mutating func animal(_ key: Int64) -> (MemoryObject, ChangeGroup) {
        let object = MemoryObject("Animal \(key)")
        var values: [String: PropertyValue] = [:]
        if let name = pick(Self.words) {
            object.values["name"] = name
            values["name"] = .text(name)
        }
        if let weight = pick(Self.reals) {
            object.values["weight"] = weight
            values["weight"] = .real(weight)
        }
        if let owner = pick(Array(people.indices)) {
            object.values["owner"] = people[owner]
            (people[owner].values["pets"] as? NSMutableSet)?.add(object)
            values["owner"] = .reference(
                ObjectKey(entity: sample.schema.named("Person"), primaryKey: Int64(owner + 1)))
        }
        let entity = ["Animal", "Dog", "Bird"].randomElement(using: &generator) ?? "Dog"
        return (object, sample.schema.group(.insert, entity, key, values))
    }

    private mutating func any(_ values: [String]) -> String {
        values.randomElement(using: &generator) ?? ""
    }

    private mutating func text() -> String { "'" + any(Self.words) + "'" }

    private mutating func number() -> String {
        any(["0", "1", "9", "36", "-1", "1.5", "2.25", "-7.25", "50.0"])
    }

    private mutating func textTest(_ key: String) -> String {
        let options = any(["", "", "[c]", "[d]", "[cd]"])
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: return "\(key) IN {\(text()), \(text()), nil}"
        case 1: return "\(key) \(any(["==", "!="])) nil"
        case 2: return "\(key) \(any(["<", "<=", ">", ">="])) \(text())"
        case 3: return "\(key) MATCHES '\(any(["[A-Z].*", ".*a", "...", "É"]))'"
        default:
            let operation = any(["==", "!=", "BEGINSWITH", "ENDSWITH", "CONTAINS", "LIKE", "TOKENMATCHES"])
            return "\(key) \(operation)\(options) \(text())"
        }
    }

    private mutating func numberTest(_ key: String) -> String {
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: return "\(key) BETWEEN {\(number()), \(number())}"
        case 1: return "\(key) IN {\(number()), \(number()), \(number())}"
        case 2: return "\(key) \(any(["==", "!="])) nil"
        default: return "\(key) \(any(["==", "!=", "<", "<=", ">", ">="])) \(number())"
        }
    }

    private mutating func personTest(_ prefix: String) -> String {
        switch Int.random(in: 0..<6, using: &generator) {
        case 0, 1: return textTest(prefix + "name")
        case 2: return numberTest(prefix + "age")
        case 3: return numberTest(prefix + "money")
        case 4: return numberTest(prefix + "score")
        default: return "\(prefix)isAdult == \(any(["YES", "NO"]))"
        }
    }

    private mutating func toManyTest() -> String {
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: return "pets.@count \(any(["==", ">", "<="])) \(any(["0", "1", "2", "3"]))"
        case 1: return "\(any(["ANY", "ALL", "NONE"])) " + textTest("pets.name")
        case 2: return "\(any(["ANY", "ALL"])) " + numberTest("pets.weight")
        case 3: return numberTest("pets.@\(any(["sum", "max", "min"])).weight")
        case 4: return "SUBQUERY(pets, $p, $p.name == name AND $p.weight \(any(["<", ">"])) age).@count > 0"
        default: return "SUBQUERY(pets, $p, \(textTest("$p.name"))).@count > \(any(["0", "1"]))"
        }
    }

    /// A predicate on people or on animals.
    mutating func predicate(_ entity: String, depth: Int = 2) -> String {
        if depth > 0 {
            let (left, right) = (predicate(entity, depth: depth - 1), predicate(entity, depth: depth - 1))
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: return "(\(left)) AND (\(right))"
            case 1: return "(\(left)) OR (\(right))"
            case 2: return "NOT (\(left))"
            default: break
            }
        }
        if entity == "Person" {
            return Bool.random(using: &generator) ? personTest("") : toManyTest()
        }
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: return textTest("name")
        case 1: return numberTest("weight")
        case 2: return "owner \(any(["==", "!="])) nil"
        default: return personTest("owner.")
        }
    }
}

@Suite("The store's answer")
struct OneAnswerTests {
    /// Predicates for each seed; more with FIRN_ANSWERS=n.
    static let count = ProcessInfo.processInfo.environment["FIRN_ANSWERS"].flatMap(Int.init) ?? 300

    @Test("equals the answer in memory, with memory's rule for null", arguments: [11, 12, 13] as [UInt64])
    func equalsMemory(seed: UInt64) throws {
        var worlds = try TwoWorlds(seed: seed)
        for index in 0..<Self.count {
            let entity = index % 2 == 0 ? "Person" : "Animal"
            let format = worlds.predicate(entity)
            let predicate = try NSPredicate(validatingFormat: format)
            let request = NSFetchRequest<any NSFetchRequestResult>()
            request.entity = worlds.sample.schema.entities.first { $0.name == entity }
            request.predicate = predicate
            request.nullRule = .memory
            let plan = try FetchPlan(request, schema: worlds.sample.schema)
            let store = try worlds.sample.projection.read { Set(try $0.keys(plan).map(\.primaryKey)) }
            let objects = entity == "Person" ? worlds.people : worlds.animals
            let memory = Set(try objects.indices.filter { try predicate.holds(for: objects[$0]) }.map { Int64($0 + 1) })
            #expect(store == memory, "seed \(seed), \(entity): \(format)\n\(plan)")
        }
    }

    @Test("equals the answer in memory, with the store's rule for null", arguments: [31, 32, 33] as [UInt64])
    func equalsUnsaved(seed: UInt64) throws {
        var worlds = try TwoWorlds(seed: seed)
        for index in 0..<Self.count {
            let entity = index % 2 == 0 ? "Person" : "Animal"
            let format = worlds.predicate(entity)
            let request = NSFetchRequest<any NSFetchRequestResult>()
            request.entity = worlds.sample.schema.entities.first { $0.name == entity }
            request.predicate = try NSPredicate(validatingFormat: format)
            let plan = try FetchPlan(request, schema: worlds.sample.schema)
            let store = try worlds.sample.projection.read { Set(try $0.keys(plan).map(\.primaryKey)) }
            let objects = entity == "Person" ? worlds.people : worlds.animals
            let unsaved = try objects.indices.filter { try request.settings.isMet(by: objects[$0]) }
            #expect(store == Set(unsaved.map { Int64($0 + 1) }), "seed \(seed), \(entity): \(format)\n\(plan)")
        }
    }

    @Test("comes of the same SQL, be the plan made for it or for another request", arguments: [21, 22] as [UInt64])
    func knownPlan(seed: UInt64) throws {
        var worlds = try TwoWorlds(seed: seed)
        for index in 0..<Self.count * 2 {
            let entity = index % 2 == 0 ? "Person" : "Animal"
            let format = worlds.predicate(entity, depth: 1)
            let request = NSFetchRequest<any NSFetchRequestResult>()
            request.entity = worlds.sample.schema.entities.first { $0.name == entity }
            request.predicate = try NSPredicate(validatingFormat: format)
            request.fetchLimit = [0, 0, 5].randomElement(using: &worlds.generator) ?? 0
            request.fetchOffset = [0, 0, 2].randomElement(using: &worlds.generator) ?? 0
            request.includesSubentities = Bool.random(using: &worlds.generator)
            request.nullRule = Bool.random(using: &worlds.generator) ? .store : .memory
            if Bool.random(using: &worlds.generator) {
                request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: index % 3 == 0)]
            }
            let schema = worlds.sample.schema
            try worlds.sample.projection.read { reader in
                let fresh = try reader.explain(FetchPlan(request, schema: schema)).description
                let known = try reader.explain(schema.plan(request.settings)).description
                #expect(known == fresh, "seed \(seed): \(format)")
            }
        }
    }
}

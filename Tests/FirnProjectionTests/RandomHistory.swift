import FirnLog
import FirnProjection

/// A small generator with a seed, so that a failure can be repeated (https://prng.di.unimi.it/splitmix64.c).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// Makes random change sets of the sample model that fit one after the other.
struct RandomHistory {
    private let schema: StoreSchema
    private var generator: SeededGenerator
    private var people: [Int64] = []
    private var animals: [(Int64, String)] = []
    /// Animals that were deleted, and may come back as by a revert.
    private var deleted: [(Int64, String)] = []
    private var tags: [Int64] = []
    private var friends: Set<[Int64]> = []
    private var tagged: Set<[Int64]> = []
    private var nextPerson: Int64 = 1
    private var nextAnimal: Int64 = 1
    private var nextTag: Int64 = 1

    init(_ schema: StoreSchema, seed: UInt64) {
        self.schema = schema
        generator = SeededGenerator(seed: seed)
    }

    private mutating func chance(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &generator) < percent
    }

    private mutating func word() -> PropertyValue {
        let words = ["Ada", "ada", "Zoë", "Zoe", "", "a\0b", "漢字", "É", "K9", "longer than fifteen bytes"]
        return chance(10) ? .null : .text(words.randomElement(using: &generator) ?? "")
    }

    private mutating func person() -> [String: PropertyValue] {
        var values: [String: PropertyValue] = ["name": word()]
        if chance(80) { values["age"] = .integer(Int64.random(in: -2...80, using: &generator)) }
        if chance(50) {
            values["money"] = .text(["0", "10", "9", "-1.50", "2.5"].randomElement(using: &generator) ?? "0")
        }
        if chance(50) { values["score"] = .real([0, -0.0, 1.5, .infinity, .nan].randomElement(using: &generator) ?? 0) }
        if chance(30) { values["born"] = .real(Double(Int.random(in: -9_000_000...9_000_000, using: &generator)) / 4) }
        if chance(20) { values["id"] = .blob((0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }) }
        if chance(40), let (key, entity) = animals.randomElement(using: &generator) {
            values["best"] = .reference(ObjectKey(entity: schema.named(entity), primaryKey: key))
        }
        return values
    }

    private mutating func animal() -> [String: PropertyValue] {
        var values: [String: PropertyValue] = ["name": word()]
        if chance(70), let owner = people.randomElement(using: &generator) {
            values["owner"] = .reference(ObjectKey(entity: schema.named("Person"), primaryKey: owner))
            values["Z_ORD_owner"] = .integer(Int64.random(in: 0..<5, using: &generator))
        }
        if chance(50) { values["weight"] = .real(Double.random(in: 0..<50, using: &generator)) }
        return values
    }

    /// The next change set: inserts, updates, deletes and links.
    mutating func next() -> ChangeSet {
        var groups: [ChangeGroup] = []
        var links = [changeFriends()]
        for _ in 0..<Int.random(in: 0..<4, using: &generator) {
            groups.append(schema.group(.insert, "Person", nextPerson, person()))
            people.append(nextPerson)
            nextPerson += Int64.random(in: 1...3, using: &generator)
        }
        for _ in 0..<Int.random(in: 0..<4, using: &generator) {
            var (key, entity) = (nextAnimal, ["Animal", "Dog", "Bird"].randomElement(using: &generator) ?? "Dog")
            if chance(20), let old = deleted.popLast() { (key, entity) = old } else { nextAnimal += 1 }
            groups.append(schema.group(.insert, entity, key, animal()))
            animals.append((key, entity))
        }
        if chance(50) {
            groups.append(schema.group(.insert, "Tag", nextTag, ["label": word()]))
            tags.append(nextTag)
            nextTag += 1
        }
        if chance(70), let key = people.randomElement(using: &generator) {
            groups.append(schema.group(.update, "Person", key, person()))
        }
        if chance(60), let (key, entity) = animals.randomElement(using: &generator) {
            groups.append(schema.group(.update, entity, key, animal()))
        }
        if chance(30), !animals.isEmpty {
            let (key, entity) = animals.remove(at: Int.random(in: animals.indices, using: &generator))
            groups.removeAll {
                $0.operation == .update && $0.primaryKeys == [key] && $0.entity != schema.named("Person")
            }
            let wasInserted = groups.contains {
                $0.operation == .insert && $0.primaryKeys == [key] && $0.entity == schema.named(entity)
            }
            groups.append(schema.group(.delete, entity, key))
            if !wasInserted { deleted.append((key, entity)) }
        }
        links.append(changeTags())
        return ChangeSet(
            model: 1, groups: groups, links: links.filter { !$0.removed.isEmpty || !$0.added.isEmpty })
    }

    private mutating func changeFriends() -> LinkGroup {
        let entity = schema.named("Person")
        var group = LinkGroup(entity: entity, slot: schema.slot(entity, "friendOf"))
        func link(_ pair: [Int64]) -> Link {
            Link(
                source: ObjectKey(entity: entity, primaryKey: pair[0]),
                destination: ObjectKey(entity: entity, primaryKey: pair[1]))
        }
        if chance(30),
            let pair = friends.sorted(by: { $0.lexicographicallyPrecedes($1) })
                .randomElement(using: &generator)
        {
            friends.remove(pair)
            group.removed.append(link(pair))
        }
        if let first = people.randomElement(using: &generator),
            let second = people.randomElement(using: &generator),
            friends.insert([first, second]).inserted
        {
            group.added.append(link([first, second]))
        }
        return group
    }

    private mutating func changeTags() -> LinkGroup {
        let (person, tag) = (schema.named("Person"), schema.named("Tag"))
        var group = LinkGroup(entity: person, slot: schema.slot(person, "tags"))
        if let owner = people.randomElement(using: &generator),
            let label = tags.randomElement(using: &generator)
        {
            let link = Link(
                source: ObjectKey(entity: person, primaryKey: owner),
                destination: ObjectKey(entity: tag, primaryKey: label),
                sourceOrder: Int64.random(in: 0..<9, using: &generator))
            // A moved member is removed and added.
            if !tagged.insert([owner, label]).inserted { group.removed.append(link) }
            group.added.append(link)
        }
        return group
    }
}

import Foundation
import SwiftData
import Testing

@Suite("Aggregates and groups, computed by the store")
struct AggregateTests {
    let zoo: Zoo
    var context: ModelContext { zoo.context }

    init() throws { zoo = try Zoo.sample() }

    @Test("a count, a sum, an average, a minimum and a maximum are Swift values")
    func single() throws {
        #expect(try context.aggregate(Aggregate<Creature, Int>.count()) == 5)
        #expect(try context.aggregate(.count(\Creature.weight)) == 2)
        #expect(try context.aggregate(.sum(\Creature.count)) == 10)
        #expect(try context.aggregate(.sum(\Creature.small)) == 2)
        #expect(try context.aggregate(.sum(\Creature.weight)) == 4.5)
        #expect(try context.aggregate(.sum(\Creature.price)) == Decimal(string: "10.1"))
        #expect(try context.aggregate(.average(\Creature.count)) == 2)
        #expect(try context.aggregate(.average(\Creature.weight)) == 2.25)
        #expect(try context.aggregate(.minimum(\Creature.name)) == "Cat")
        #expect(try context.aggregate(.maximum(\Creature.born)) == Date(timeIntervalSinceReferenceDate: 1000))
        #expect(try context.aggregate(.maximum(\Creature.weight)) == 4)
        #expect(try context.aggregate(.maximum(\Creature.level)) == .high)
        #expect(try context.aggregate(.maximum(\Creature.place.zip)) == 3000)
        #expect(try context.aggregate(.maximum(\Bird.wings)) == 2)
    }

    @Test("a predicate says of which models; of none the sum is zero, and the others are nil")
    func filtered() throws {
        let none = #Predicate<Creature> { $0.name == "" }
        #expect(try context.aggregate(.sum(\.count), where: #Predicate<Creature> { $0.isWild }) == 7)
        #expect(try context.aggregate(.sum(\.count), where: none) == 0)
        #expect(try context.aggregate(.average(\.count), where: none) == nil)
        #expect(try context.aggregate(.minimum(\.name), where: none) == nil)
    }

    @Test("models are grouped by an attribute, an enumeration, a part of a structure, a model, and through a model")
    func groups() throws {
        let kinds = try context.groups(by: \Creature.kind, computing: .count(), .sum(\.count))
        #expect(kinds.map(\.key) == [.business, .leisure])
        #expect(kinds.map(\.values.0) == [1, 4])
        #expect(kinds.map(\.values.1) == [7, 3])
        let cities = try context.groups(by: \Creature.place.city, computing: .maximum(\.count))
        #expect(cities.map(\.key) == ["", "Bern"])
        #expect(cities.map(\.values) == [4, 7])
        let owners = try context.groups(by: \Creature.owner, computing: .count())
        let counts = Dictionary(uniqueKeysWithValues: owners.map { ($0.key?.name, $0.values) })
        #expect(counts == ["Ada": 2, "Bob": 1, nil: 2])
        let names = try context.groups(by: \Creature.owner?.name, computing: .average(\.count))
        #expect(names.map(\.key) == [nil, "Ada", "Bob"])
        #expect(names.map(\.values) == [-1.5, 4.5, 4])
    }

    @Test("models are grouped by several key paths, and those that meet a predicate alone")
    func severalKeys() throws {
        let groups = try context.groups(
            by: \Creature.isWild, \Creature.level, computing: .count(), where: #Predicate { $0.count >= 0 })
        #expect(groups.map(\.key.0) == [false, false, true])
        #expect(groups.map(\.key.1) == [.low, .middle, .high])
        #expect(groups.map(\.values) == [2, 1, 1])
    }

    @Test("unsaved changes are refused, unless they are left out")
    func pending() throws {
        context.insert(Creature(name: "New"))
        #expect(throws: SwiftDataError.includePendingChangesWithBatchSize) {
            try context.aggregate(.sum(\Creature.count))
        }
        #expect(try context.aggregate(Aggregate<Creature, Int>.count(), includePendingChanges: false) == 5)
    }

    @Test("what is encoded or computed cannot be computed with")
    func refused() throws {
        #expect(throws: SwiftDataError.self) { try context.aggregate(.maximum(\Creature.tags)) }
        #expect(throws: SwiftDataError.unsupportedKeyPath) {
            try context.groups(by: \Creature.name.count, computing: .count())
        }
    }
}

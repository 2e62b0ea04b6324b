import Foundation
import SwiftData
import Testing

/// A model with a property of every kind that a predicate can meet.
@Model
class Creature {
    var name: String
    var note: String?
    var count: Int = 0
    var small: Int16 = 0
    var ratio: Double = 0
    var weight: Double?
    var isWild: Bool = false
    var born: Date = Date(timeIntervalSinceReferenceDate: 0)
    var died: Date?
    var key: UUID = UUID()
    var home: URL?
    var price: Decimal = 0
    var kind: Kind = Kind.leisure
    var other: Kind?
    var level: Level = Level.low
    var place: Place = Place(city: "", country: "")
    var spot: Place?
    var tags: [String] = []
    var parent: Creature?
    @Relationship(inverse: \Creature.parent) var children: [Creature] = []
    var owner: Owner?
    var keeper: Owner?

    init(name: String) { self.name = name }
}

enum Level: Int, Codable, CaseIterable {
    case low = 1, middle = 5, high = 9
}

@Model
final class Bird: Creature {
    var wings: Int = 2
    var song: String?

    init(name: String, wings: Int) {
        self.wings = wings
        super.init(name: name)
    }
}

@Model
final class Fish: Creature {
    var fins: Int = 4

    init(name: String, fins: Int) {
        self.fins = fins
        super.init(name: name)
    }
}

@Model
final class Owner {
    var name: String
    var age: Int?
    var place: Place?
    @Relationship(inverse: \Creature.owner) var creatures: [Creature] = []
    @Relationship(inverse: \Creature.keeper) var kept: [Creature]?

    init(name: String) { self.name = name }
}

/// A store of creatures, and predicates that are answered three times: by the store, by the store with unsaved changes
/// over it, and by Swift on the models.
struct Zoo {
    let container: ModelContainer
    let context: ModelContext
    /// The same models in another container, never saved.
    let unsaved: ModelContext

    init(_ fill: (ModelContext) -> Void) throws {
        func make() throws -> ModelContainer {
            let memory = ModelConfiguration(isStoredInMemoryOnly: true)
            return try ModelContainer(for: Bird.self, Fish.self, Owner.self, configurations: memory)
        }
        container = try make()
        context = ModelContext(container)
        unsaved = ModelContext(try make())
        fill(context)
        fill(unsaved)
        try context.save()
    }

    /// The names of the creatures for which the predicate holds. A disagreement between store, unsaved models and
    /// memory is an issue, and so is a refusal.
    ///
    /// - Parameter skips: what Swift refuses to evaluate, as the value of nil, or what unsaved models have otherwise.
    func names(
        _ predicate: Predicate<Creature>, skips: Skip = [], at place: SourceLocation = #_sourceLocation
    ) -> Set<String> {
        do {
            let descriptor = FetchDescriptor(predicate: predicate)
            let saved = Set(try ModelContext(container).fetch(descriptor).map(\.name))
            let pending = try skips.contains(.unsaved) ? saved : Set(unsaved.fetch(descriptor).map(\.name))
            let all = try context.fetch(FetchDescriptor<Creature>())
            let inMemory = try skips.contains(.memory) ? saved : Set(all.filter(predicate.evaluate).map(\.name))
            let count = try context.fetchCount(descriptor)
            if saved != inMemory || pending != inMemory || count != saved.count {
                Issue.record(
                    "store \(saved.sorted()), unsaved \(pending.sorted()), memory \(inMemory.sorted()), count \(count)",
                    sourceLocation: place)
            }
            return saved
        } catch {
            Issue.record("\(error)", sourceLocation: place)
            return []
        }
    }

    struct Skip: OptionSet {
        let rawValue: Int
        static let memory = Skip(rawValue: 1)
        static let unsaved = Skip(rawValue: 2)
    }

    /// Why the store refuses the predicate; nil if it does not.
    func refusal(_ predicate: Predicate<Creature>) -> String? {
        do {
            _ = try context.fetch(FetchDescriptor(predicate: predicate))
            return nil
        } catch let error as SwiftDataError where error == .unsupportedPredicate {
            return error.message
        } catch {
            Issue.record("of another kind: \(error)")
            return nil
        }
    }
}

extension Zoo {
    /// A cat with two kittens, a bird and a fish, and two owners.
    static func sample() throws -> Zoo { try Zoo(fill) }

    private static func fill(_ context: ModelContext) {
        let cat = Creature(name: "Cat"), tom = Creature(name: "Tom"), kit = Creature(name: "Kit")
        let bird = Bird(name: "Tit", wings: 2), fish = Fish(name: "Eel", fins: 1)
        let ada = Owner(name: "Ada"), bob = Owner(name: "Bob")
        ada.age = 36
        ada.place = Place(city: "Rom", country: "IT", zip: 3)
        cat.children = [tom, kit]
        (cat.owner, tom.owner, bird.owner) = (ada, ada, bob)
        (cat.keeper, bird.keeper) = (ada, ada)
        (cat.count, tom.count, kit.count, bird.count, fish.count) = (7, 2, -3, 4, 0)
        (cat.small, tom.small) = (3, -1)
        (cat.ratio, tom.ratio, bird.ratio) = (1.5, -0.25, 2)
        (cat.weight, bird.weight) = (4, 0.5)
        (cat.note, tom.note, fish.note) = ("likes fish", "", "É")
        cat.isWild = true
        cat.born = Date(timeIntervalSinceReferenceDate: 1000)
        cat.died = Date(timeIntervalSinceReferenceDate: 2000)
        bird.born = Date(timeIntervalSinceReferenceDate: -5)
        cat.home = URL(string: "https://example.org/cat")
        (cat.price, tom.price) = (Decimal(string: "1.10") ?? 0, 9)
        (cat.kind, tom.other) = (.business, .leisure)
        (cat.level, bird.level) = (.high, .middle)
        cat.place = Place(city: "Bern", country: "CH", zip: 3000)
        tom.spot = Place(city: "Rom", country: "IT")
        cat.tags = ["a"]
        bird.song = "la"
        for model in [cat, tom, kit, bird, fish] { context.insert(model) }
    }

    func creature(_ name: String) throws -> Creature? {
        try context.fetch(FetchDescriptor<Creature>()).first { $0.name == name }
    }
}

import Foundation
import SwiftData
import Testing

/// SplitMix64: the same numbers for the same seed.
struct SeededNumbers: RandomNumberGenerator {
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

/// Creatures at random, and predicates at random over them.
private struct RandomZoo {
    var numbers: SeededNumbers

    static let words = ["Ada", "ada", "Zoë", "", "É", "漢字", "K9", "a*b", "Straße", "Ab"]
    static let reals = [0, 1.5, 4, -7.25, 36]

    mutating func maybe<T>(_ values: [T]) -> T? { Int.random(in: 0..<3, using: &numbers) == 0 ? nil : one(values) }
    mutating func one<T>(_ values: [T]) -> T { values[Int.random(in: 0..<values.count, using: &numbers)] }
    mutating func number() -> Int { Int.random(in: -4...9, using: &numbers) }
    mutating func date(_ start: Int = 0) -> Date {
        Date(timeIntervalSinceReferenceDate: Double(start + number() * 100))
    }

    mutating func fill(_ context: ModelContext) {
        let owners = (0..<4).map { Owner(name: Self.words[$0]) }
        for owner in owners {
            owner.age = maybe([1, 20, 36])
            if let city = maybe(Self.words) { owner.place = Place(city: city, country: "X", zip: maybe([1, 3000])) }
        }
        let creatures = (0..<40).map { index -> Creature in
            switch index % 4 {
            case 0: Bird(name: "\(index)" + one(Self.words), wings: number())
            case 1: Fish(name: "\(index)" + one(Self.words), fins: number())
            default: Creature(name: "\(index)" + one(Self.words))
            }
        }
        for creature in creatures {
            (creature.note, creature.count, creature.small) = (maybe(Self.words), number(), Int16(number()))
            (creature.ratio, creature.weight) = (one(Self.reals), maybe(Self.reals))
            (creature.isWild, creature.born, creature.died) = (one([true, false]), date(), maybe([date()]))
            (creature.price, creature.kind) = (Decimal(number()), one(Kind.allCases))
            (creature.other, creature.level) = (maybe(Kind.allCases), one(Level.allCases))
            creature.place = Place(city: one(Self.words), country: "", zip: maybe([1, 3000]))
            if let city = maybe(Self.words) { creature.spot = Place(city: city, country: "") }
            (creature.owner, creature.keeper) = (maybe(owners), maybe(owners))
            creature.parent = maybe(creatures)
            if let bird = creature as? Bird { bird.song = maybe(Self.words) }
        }
        for creature in creatures { context.insert(creature) }
    }

    /// A predicate, and what it is made of.
    mutating func predicate(_ depth: Int) -> (Predicate<Creature>, String) {
        if depth == 0 { return leaf() }
        let ((a, first), (b, second)) = (predicate(depth - 1), predicate(depth - 1))
        let (count, least) = (Int.random(in: 0...2, using: &numbers), number())
        let both = "(\(first), \(second))"
        switch Int.random(in: 0..<12, using: &numbers) {
        case 0, 1: return (#Predicate { a.contains($0) && b.contains($0) }, "and\(both)")
        case 2, 3: return (#Predicate { a.contains($0) || b.contains($0) }, "or\(both)")
        case 4: return (#Predicate { !a.contains($0) }, "not(\(first))")
        case 5: return (#Predicate { a.contains($0) ? b.contains($0) : $0.count > least }, "if\(both)")
        case 6: return (#Predicate { $0.children.contains { a.contains($0) } }, "some(\(first))")
        case 7: return (#Predicate { $0.children.allSatisfy { a.contains($0) } }, "all(\(first))")
        case 8: return (#Predicate { $0.children.filter { a.contains($0) }.count > count }, "count(\(first))")
        case 9: return (#Predicate { $0.parent.flatMap { a.contains($0) } == true }, "parent(\(first))")
        case 10: return (#Predicate { $0.parent.flatMap { a.contains($0) } ?? b.contains($0) }, "parentOr\(both)")
        default: return (#Predicate { a.contains($0) == b.contains($0) }, "same\(both)")
        }
    }

    private mutating func leaf() -> (Predicate<Creature>, String) {
        switch Int.random(in: 0..<5, using: &numbers) {
        case 0: textLeaf(Int.random(in: 0..<10, using: &numbers))
        case 1: numberLeaf(Int.random(in: 0..<11, using: &numbers))
        case 2: optionalLeaf(Int.random(in: 0..<10, using: &numbers))
        case 3: constantLeaf(Int.random(in: 0..<7, using: &numbers))
        default: otherLeaf(Int.random(in: 0..<12, using: &numbers))
        }
    }

    private mutating func textLeaf(_ form: Int) -> (Predicate<Creature>, String) {
        let (word, optional, number) = (one(Self.words), maybe(Self.words), abs(number()))
        switch form {
        case 0: return (#Predicate { $0.note == optional }, "text \(form)")
        case 1: return (#Predicate { $0.note != optional }, "text \(form)")
        case 2: return (#Predicate { $0.place.city < word }, "text \(form)")
        case 3: return (#Predicate { $0.place.city >= word }, "text \(form)")
        case 4: return (#Predicate { $0.name.contains(word) }, "text \(form)")
        case 5: return (#Predicate { $0.note?.starts(with: word) == true }, "text \(form)")
        case 6: return (#Predicate { $0.place.city.localizedStandardContains(word) }, "text \(form)")
        case 7: return (#Predicate { $0.name.count > number }, "text \(form)")
        case 8: return (#Predicate { $0.note?.isEmpty ?? false }, "text \(form)")
        default: return (#Predicate { ($0.note ?? word) == $0.place.city }, "text \(form)")
        }
    }

    private mutating func numberLeaf(_ form: Int) -> (Predicate<Creature>, String) {
        let (first, second, real) = (number(), number(), one(Self.reals))
        let (range, list, divisor) = (min(first, second)...max(first, second), [first, second, 3], max(1, abs(first)))
        switch form {
        case 0: return (#Predicate { $0.count < first }, "number \(form)")
        case 1: return (#Predicate { $0.count * first - second >= $0.count }, "number \(form)")
        case 2: return (#Predicate { $0.count % divisor == 0 }, "number \(form)")
        case 3: return (#Predicate { $0.count / divisor > second }, "number \(form)")
        case 4: return (#Predicate { range.contains($0.count) }, "number \(form)")
        case 5: return (#Predicate { list.contains($0.count) }, "number \(form)")
        case 6: return (#Predicate { $0.ratio / 2 < real }, "number \(form)")
        case 7: return (#Predicate { -$0.ratio <= real }, "number \(form)")
        case 8: return (#Predicate { ($0.weight ?? real) > $0.ratio }, "number \(form)")
        case 9: return (#Predicate { $0.weight.flatMap { $0 > real } != true }, "number \(form)")
        default: return (#Predicate { ($0.isWild ? $0.count : first) == second }, "number \(form)")
        }
    }

    private mutating func optionalLeaf(_ form: Int) -> (Predicate<Creature>, String) {
        let (number, word, zip) = (maybe([1, 20, 36]), one(Self.words), maybe([1, 3000]))
        switch form {
        case 0: return (#Predicate { $0.owner?.age == number }, "optional \(form)")
        case 1: return (#Predicate { $0.owner?.age != number }, "optional \(form)")
        case 2: return (#Predicate { $0.owner?.place?.zip == zip }, "optional \(form)")
        case 3: return (#Predicate { $0.parent?.owner?.name == word }, "optional \(form)")
        case 4: return (#Predicate { $0.parent?.parent == nil }, "optional \(form)")
        case 5: return (#Predicate { $0.owner == $0.keeper }, "optional \(form)")
        case 6: return (#Predicate { ($0.owner?.age ?? 0) > 10 }, "optional \(form)")
        case 7: return (#Predicate { $0.spot?.city == word }, "optional \(form)")
        case 8: return (#Predicate { $0.spot == nil || $0.place.zip == zip }, "optional \(form)")
        default: return (#Predicate { $0.owner?.kept?.count == 2 }, "optional \(form)")
        }
    }

    /// Constants that may be nil, as a search form has them.
    private mutating func constantLeaf(_ form: Int) -> (Predicate<Creature>, String) {
        let (word, list, limit) = (maybe(Self.words), maybe([Self.words, []]), maybe([0, 3]))
        let (reals, days): (ClosedRange<Double>?, Range<Date>?) = (maybe([0...4, -8...1]), maybe([date()..<date(2000)]))
        switch form {
        case 0: return (#Predicate { one in reals.flatMap { $0.contains(one.ratio) } ?? true }, "constant \(form)")
        case 1: return (#Predicate { one in reals.flatMap { $0.contains(one.ratio) } == nil }, "constant \(form)")
        case 2: return (#Predicate { one in days.flatMap { $0.contains(one.born) } == true }, "constant \(form)")
        case 3: return (#Predicate { $0.note != word }, "constant \(form)")
        case 4: return (#Predicate { one in list.flatMap { $0.contains(one.name) } ?? false }, "constant \(form)")
        case 5: return (#Predicate { (limit ?? 2) < $0.count }, "constant \(form)")
        default: return (#Predicate { $0.name.contains(word ?? "a") || limit != nil }, "constant \(form)")
        }
    }

    private mutating func otherLeaf(_ form: Int) -> (Predicate<Creature>, String) {
        let (kind, level, date) = (one(Kind.allCases), one(Level.allCases), date())
        let (optional, wings, place) = (maybe(Kind.allCases), number(), Place(city: one(Self.words), country: ""))
        switch form {
        case 0: return (#Predicate { $0.kind == kind }, "other \(form)")
        case 1: return (#Predicate { $0.other != optional }, "other \(form)")
        case 2: return (#Predicate { $0.level.rawValue < 6 && $0.level != level }, "other \(form)")
        case 3: return (#Predicate { $0.born < date }, "other \(form)")
        case 4: return (#Predicate { ($0.died ?? date) >= date }, "other \(form)")
        case 5: return (#Predicate { $0 is Bird }, "other \(form)")
        case 6: return (#Predicate { ($0 as? Bird)?.wings == wings }, "other \(form)")
        case 7: return (#Predicate { ($0 as? Bird)?.song != nil }, "other \(form)")
        case 8: return (#Predicate { $0.spot == place }, "other \(form)")
        case 9: return (#Predicate { $0.spot != place }, "other \(form)")
        case 10: return (#Predicate { $0.children.isEmpty }, "other \(form)")
        default: return (#Predicate { $0.price > 2 && $0.isWild }, "other \(form)")
        }
    }
}

@Suite("Predicates at random: the store answers as Swift does")
struct RandomPredicateTests {
    @Test("predicates over saved and unsaved models", arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
    func agree(seed: UInt64) throws {
        // The same models twice.
        let zoo = try Zoo { context in
            var random = RandomZoo(numbers: SeededNumbers(seed: seed))
            random.fill(context)
        }
        let all = try zoo.context.fetch(FetchDescriptor<Creature>())
        #expect(try zoo.unsaved.fetchCount(FetchDescriptor<Creature>()) == 40)
        var random = RandomZoo(numbers: SeededNumbers(seed: seed &+ 1000))
        var sizes: Set<Int> = []
        for number in 0..<80 {
            let (predicate, text) = random.predicate(number % 4)
            let memory = Set(try all.filter(predicate.evaluate).map(\.name))
            let saved = Set(try ModelContext(zoo.container).fetch(FetchDescriptor(predicate: predicate)).map(\.name))
            let unsaved = Set(try zoo.unsaved.fetch(FetchDescriptor(predicate: predicate)).map(\.name))
            let (wrong, wrongUnsaved) = (saved.symmetricDifference(memory), unsaved.symmetricDifference(memory))
            #expect(wrong.isEmpty, "store, seed \(seed), predicate \(number): \(text)")
            #expect(wrongUnsaved.isEmpty, "unsaved, seed \(seed), predicate \(number): \(text)")
            sizes.insert(memory.count)
        }
        #expect(sizes.count > 10)
    }
}

import Foundation
import SwiftData
import Testing

/// Every type of Foundation's `PredicateExpressions`, and every one that this package adds, has a line here: what it
/// stands for is answered by the store as by Swift, or refused with its part named.
@Suite("Nodes of predicates: translated, or refused by name")
struct PredicateNodeTests {
    let zoo: Zoo

    init() throws { zoo = try Zoo.sample() }

    @Test("Value, Variable, KeyPath, Equal, NotEqual, NilLiteral")
    func comparisonsForEquality() throws {
        let (name, none) = ("Cat", String?.none)
        #expect(zoo.names(#Predicate { $0.name == name }) == ["Cat"])
        #expect(zoo.names(#Predicate { $0.name != "Cat" }) == ["Tom", "Kit", "Tit", "Eel"])
        #expect(zoo.names(#Predicate { $0.note == nil }) == ["Kit", "Tit"])
        #expect(zoo.names(#Predicate { $0.note != nil }) == ["Cat", "Tom", "Eel"])
        #expect(zoo.names(#Predicate { $0.note == none }) == ["Kit", "Tit"])
        #expect(zoo.names(#Predicate { $0.note != "" }) == ["Cat", "Kit", "Tit", "Eel"])
        #expect(zoo.names(#Predicate { $0.weight != 4 }) == ["Tom", "Kit", "Tit", "Eel"])
        #expect(zoo.names(#Predicate { !($0.weight == 4) }) == ["Tom", "Kit", "Tit", "Eel"])
        #expect(zoo.names(#Predicate { $0.isWild }) == ["Cat"])
        #expect(zoo.names(#Predicate { $0.isWild == false }).count == 4)
        #expect(zoo.names(#Predicate { _ in true }).count == 5)
        #expect(zoo.names(#Predicate { ($0.weight ?? 0) == $0.ratio }) == ["Kit", "Eel"])
        #expect(zoo.names(#Predicate { nil == $0.note }) == ["Kit", "Tit"])
    }

    @Test("Comparison of numbers, texts, dates, decimals and identifiers")
    func orders() throws {
        let date = Date(timeIntervalSinceReferenceDate: 0), decimal = Decimal(string: "1.1") ?? 0
        #expect(zoo.names(#Predicate { $0.count < 2 }) == ["Kit", "Eel"])
        #expect(zoo.names(#Predicate { $0.small <= -1 }) == ["Tom"])
        #expect(zoo.names(#Predicate { $0.ratio > 1.5 }) == ["Tit"])
        #expect(zoo.names(#Predicate { $0.ratio >= 1.5 }) == ["Cat", "Tit"])
        #expect(zoo.names(#Predicate { $0.name > "Kit" }) == ["Tit", "Tom"])
        #expect(zoo.names(#Predicate { $0.born > date }) == ["Cat"])
        #expect(zoo.names(#Predicate { $0.born < date }) == ["Tit"])
        #expect(zoo.names(#Predicate { $0.price == decimal }) == ["Cat"])
        #expect(zoo.names(#Predicate { $0.price > decimal }) == ["Tom"])
        let key = try #require(try zoo.creature("Kit")).key
        #expect(zoo.names(#Predicate { $0.key == key }, skips: .unsaved) == ["Kit"])
        #expect(zoo.names(#Predicate { $0.key < key || $0.key >= key }, skips: .unsaved).count == 5)
        let url = URL(string: "https://example.org/cat")
        #expect(zoo.names(#Predicate { $0.home == url }) == ["Cat"])
        #expect(zoo.names(#Predicate { $0.name < $0.place.city }).isEmpty)
    }

    @Test("Conjunction, Disjunction, Negation")
    func logic() throws {
        #expect(zoo.names(#Predicate { $0.count > 0 && $0.isWild }) == ["Cat"])
        #expect(zoo.names(#Predicate { $0.count > 5 || $0.count < 0 }) == ["Cat", "Kit"])
        #expect(zoo.names(#Predicate { !($0.count > 0) }) == ["Kit", "Eel"])
        #expect(zoo.names(#Predicate { !($0.count > 0 && $0.isWild) || $0.name == "Cat" }).count == 5)
        #expect(zoo.names(#Predicate { !(($0.weight ?? 0) > 1) }) == ["Tom", "Kit", "Tit", "Eel"])
        #expect(zoo.names(#Predicate { ($0.count > 0) == $0.isWild }) == ["Cat", "Kit", "Eel"])
        #expect(zoo.names(#Predicate { ($0.count > 0) != ($0.note == nil) }) == ["Cat", "Tom", "Kit"])
    }

    @Test("Arithmetic, UnaryMinus, IntDivision, IntRemainder, FloatDivision")
    func arithmetic() throws {
        let three = 3
        #expect(zoo.names(#Predicate { $0.count + 1 == 3 }) == ["Tom"])
        #expect(zoo.names(#Predicate { 10 - $0.count == 3 }) == ["Cat"])
        #expect(zoo.names(#Predicate { $0.count * three == -9 }) == ["Kit"])
        #expect(zoo.names(#Predicate { -$0.count == three }) == ["Kit"])
        #expect(zoo.names(#Predicate { $0.count / 2 == 3 }) == ["Cat"])
        #expect(zoo.names(#Predicate { $0.count / 2 == -1 }) == ["Kit"])
        #expect(zoo.names(#Predicate { $0.count % 2 == -1 }) == ["Kit"])
        #expect(zoo.names(#Predicate { $0.count % 2 == 0 }) == ["Tom", "Tit", "Eel"])
        #expect(zoo.names(#Predicate { $0.ratio / 2 == 0.75 }) == ["Cat"])
        #expect(zoo.names(#Predicate { $0.ratio * 2 + 1 == 0.5 }) == ["Tom"])
        #expect(zoo.names(#Predicate { -$0.ratio > 0 }) == ["Tom"])
        #expect(zoo.names(#Predicate { ($0.weight ?? 1) * 2 == 2 }) == ["Tom", "Kit", "Eel"])
        #expect(zoo.names(#Predicate { $0.price * 2 == 18 }) == ["Tom"])
    }

    @Test("NilCoalesce, ForcedUnwrap, OptionalFlatMap, Conditional")
    func optionals() throws {
        #expect(zoo.names(#Predicate { ($0.note ?? "none") == "none" }) == ["Kit", "Tit"])
        #expect(zoo.names(#Predicate { ($0.note ?? $0.name) == "Kit" }) == ["Kit"])
        #expect(zoo.names(#Predicate { $0.note != nil && $0.note!.isEmpty }) == ["Tom"])
        #expect(zoo.names(#Predicate { $0.weight.flatMap { $0 > 1 } ?? true }) == ["Cat", "Tom", "Kit", "Eel"])
        #expect(zoo.names(#Predicate { $0.owner?.age == 36 }) == ["Cat", "Tom"])
        #expect(zoo.names(#Predicate { $0.owner?.age != 36 }) == ["Kit", "Tit", "Eel"])
        #expect(zoo.names(#Predicate { $0.owner?.place?.city == "Rom" }) == ["Cat", "Tom"])
        #expect(zoo.names(#Predicate { $0.owner?.place?.zip == nil }) == ["Kit", "Tit", "Eel"])
        #expect(zoo.names(#Predicate { $0.parent?.owner?.age == 36 }) == ["Tom", "Kit"])
        #expect(zoo.names(#Predicate { $0.parent?.owner?.name.count == 3 }) == ["Tom", "Kit"])
        #expect(zoo.names(#Predicate { ($0.parent?.owner?.age ?? 0) < 1 }) == ["Cat", "Tit", "Eel"])
        #expect(zoo.names(#Predicate { $0.owner!.name == "Ada" || $0.owner == nil }, skips: .memory)
            == ["Cat", "Tom", "Kit", "Eel"])
        #expect(zoo.names(#Predicate { ($0.isWild ? $0.count : $0.count + 10) == 12 }) == ["Tom"])
        #expect(zoo.names(#Predicate { if $0.isWild { $0.count == 7 } else { $0.count == 0 } }) == ["Cat", "Eel"])
        #expect(zoo.names(#Predicate { $0.isWild ? $0.count == 7 : false }) == ["Cat"])
        #expect(zoo.names(#Predicate { if let note = $0.note { note.count > 1 } else { false } }) == ["Cat"])
    }

    @Test("KeyPath of enumerations, by value and raw value, and of parts of structures")
    func partsOfValues() throws {
        let (kind, level, place) = (Kind.leisure, Level.high, Place(city: "Bern", country: "CH", zip: 3000))
        #expect(zoo.names(#Predicate { $0.kind != kind }) == ["Cat"])
        #expect(zoo.names(#Predicate { $0.kind.rawValue == "business" }) == ["Cat"])
        #expect(zoo.names(#Predicate { $0.other == kind }) == ["Tom"])
        #expect(zoo.names(#Predicate { $0.other != kind }).count == 4)
        #expect(zoo.names(#Predicate { $0.other?.rawValue == "leisure" }) == ["Tom"])
        #expect(zoo.names(#Predicate { $0.level == level }) == ["Cat"])
        #expect(zoo.names(#Predicate { $0.level.rawValue > 1 }) == ["Cat", "Tit"])
        let levels: Set<Level> = [.middle, .high]
        #expect(zoo.names(#Predicate { levels.contains($0.level) }) == ["Cat", "Tit"])
        #expect(zoo.names(#Predicate { $0.place.zip == 3000 }) == ["Cat"])
        #expect(zoo.names(#Predicate { $0.place.zip != 3000 }).count == 4)
        #expect(zoo.names(#Predicate { $0.spot?.city == "Rom" }) == ["Tom"])
        #expect(zoo.names(#Predicate { $0.spot?.zip == nil }).count == 5)
        #expect(zoo.names(#Predicate { ($0.spot?.city ?? $0.place.city) == "Bern" }) == ["Cat"])
        #expect(zoo.names(#Predicate { $0.place == place }) == ["Cat"])
        #expect(zoo.names(#Predicate { $0.place != place }).count == 4)
        #expect(zoo.names(#Predicate { $0.spot == nil }).count == 4)
        #expect(zoo.names(#Predicate { $0.spot != nil }) == ["Tom"])
    }

    @Test("KeyPath of relationships: nil, identifiers, other relationships")
    func relationships() throws {
        try zoo.context.save()
        let cat = try #require(try zoo.creature("Cat")), id = cat.persistentModelID
        let owner = try #require(cat.owner).persistentModelID
        let (known, optional) = ([id, owner], Optional(id))
        #expect(zoo.names(#Predicate { $0.parent == nil }) == ["Cat", "Tit", "Eel"])
        #expect(zoo.names(#Predicate { $0.owner != nil }) == ["Cat", "Tom", "Tit"])
        #expect(zoo.names(#Predicate { $0.parent?.persistentModelID == id }, skips: .unsaved) == ["Tom", "Kit"])
        #expect(zoo.names(#Predicate { $0.parent?.persistentModelID != id }, skips: .unsaved) == ["Cat", "Tit", "Eel"])
        #expect(zoo.names(#Predicate { $0.parent?.id == optional }, skips: .unsaved) == ["Tom", "Kit"])
        #expect(zoo.names(#Predicate { $0.owner == $0.keeper }) == ["Cat", "Kit", "Eel"])
        #expect(zoo.names(#Predicate { $0.owner != $0.keeper }) == ["Tom", "Tit"])
        #expect(zoo.names(#Predicate { known.contains($0.persistentModelID) }, skips: .unsaved) == ["Cat"])
        #expect(zoo.names(#Predicate { $0.parent?.owner?.persistentModelID == owner }, skips: .unsaved)
            == ["Tom", "Kit"])
    }

    @Test("SequenceContains, SequenceContainsWhere, SequenceAllSatisfy, Filter, and the kinds of KeyPath")
    func collections() throws {
        let (counts, names, none) = ([0, 7], Set(["Kit"]), [Int]())
        #expect(zoo.names(#Predicate { counts.contains($0.count) }) == ["Cat", "Eel"])
        #expect(zoo.names(#Predicate { !counts.contains($0.count) }).count == 3)
        #expect(zoo.names(#Predicate { names.contains($0.name) }) == ["Kit"])
        #expect(zoo.names(#Predicate { none.contains($0.count) }).isEmpty)
        #expect(zoo.names(#Predicate { $0.children.contains { $0.count < 0 } }) == ["Cat"])
        #expect(zoo.names(#Predicate { $0.children.contains { $0.owner?.name == "Ada" } }) == ["Cat"])
        #expect(zoo.names(#Predicate { !$0.children.contains { $0.count < 0 } }).count == 4)
        #expect(zoo.names(#Predicate { $0.children.allSatisfy { $0.count > 0 } }).count == 4)
        #expect(zoo.names(#Predicate { $0.children.filter { $0.count > 0 }.count == 1 }) == ["Cat"])
        #expect(zoo.names(#Predicate { $0.children.filter { $0.count > 0 }.isEmpty }).count == 4)
        #expect(zoo.names(#Predicate { $0.children.filter { $0.count > 0 }.contains { $0.name == "Tom" } }) == ["Cat"])
        #expect(zoo.names(#Predicate { $0.children.isEmpty }).count == 4)
        #expect(zoo.names(#Predicate { $0.children.count == 2 }) == ["Cat"])
        #expect(zoo.names(#Predicate { $0.owner?.creatures.count == 2 }) == ["Cat", "Tom"])
        #expect(zoo.names(#Predicate { $0.owner?.kept?.count == 2 }) == ["Cat", "Tom"])
        #expect(zoo.names(#Predicate { $0.owner?.kept?.contains { $0.name == "Tit" } == true }) == ["Cat", "Tom"])
        #expect(zoo.names(#Predicate { ($0.owner?.creatures.contains { $0.isWild }) ?? true })
            == ["Cat", "Tom", "Kit", "Eel"])
        #expect(zoo.names(#Predicate { one in one.children.contains { $0.count < one.count } }) == ["Cat"])
        #expect(zoo.names(#Predicate { one in one.children.contains { $0.owner == one.owner && $0.count == 2 } })
            == ["Cat"])
        #expect(zoo.names(#Predicate { one in one.children.contains { $0.parent == one.parent } }).isEmpty)
        #expect(zoo.refusal(#Predicate { $0.children.first?.name == "Tom" })?.contains("children") == true)
        #expect(zoo.refusal(#Predicate { $0.children.last?.name == "Tom" })?.contains("children") == true)
        #expect(zoo.refusal(#Predicate { $0.tags.contains("a") })?.contains("tags") == true)
        #expect(zoo.refusal(#Predicate { $0.tags.count == 1 })?.contains("tags") == true)
        #expect(zoo.refusal(#Predicate { $0.tags.isEmpty })?.contains("tags") == true)
    }

    @Test("SequenceMinimum, SequenceMaximum, CollectionIndexSubscript and the subscripts of dictionaries")
    func constants() throws {
        let (counts, names) = ([7, -3], ["Tom": 2, "Kit": 9])
        #expect(zoo.names(#Predicate { (counts.min() ?? 0) == $0.count }) == ["Kit"])
        #expect(zoo.names(#Predicate { (counts.max() ?? 0) == $0.count }) == ["Cat"])
        #expect(zoo.names(#Predicate { counts[0] == $0.count }) == ["Cat"])
        #expect(zoo.names(#Predicate { (names["Tom"] ?? 0) == $0.count }) == ["Tom"])
        #expect(zoo.names(#Predicate { names["Eel", default: 7] == $0.count }) == ["Cat"])
        #expect(zoo.refusal(#Predicate { (names[$0.name] ?? 7) == $0.count })?.contains("name") == true)
        #expect(zoo.refusal(#Predicate { names[$0.name, default: 0] == $0.count })?.contains("name") == true)
        #expect(zoo.refusal(#Predicate { counts[$0.count] == 3 })?.contains("count") == true)
        #expect(zoo.refusal(#Predicate { $0.tags.max() == "a" })?.contains("tags") == true)
        #expect(zoo.refusal(#Predicate { $0.tags[0] == "a" })?.contains("tags") == true)
        #expect(zoo.refusal(#Predicate { $0.tags[0..<1].isEmpty })?.contains("tags") == true)
    }

    @Test("Range, ClosedRange, RangeExpressionContains")
    func ranges() throws {
        let (half, closed, from) = (0..<4, 0...4, 4...)
        let dates = Date(timeIntervalSinceReferenceDate: 1)..<Date(timeIntervalSinceReferenceDate: 1001)
        #expect(zoo.names(#Predicate { half.contains($0.count) }) == ["Tom", "Eel"])
        #expect(zoo.names(#Predicate { closed.contains($0.count) }) == ["Tom", "Tit", "Eel"])
        #expect(zoo.names(#Predicate { from.contains($0.count) }) == ["Cat", "Tit"])
        let (upTo, through) = (..<0, ...0)
        #expect(zoo.names(#Predicate { upTo.contains($0.count) }) == ["Kit"])
        #expect(zoo.names(#Predicate { through.contains($0.count) }) == ["Kit", "Eel"])
        #expect(zoo.names(#Predicate { (1...2).contains($0.count) }) == ["Tom"])
        #expect(zoo.names(#Predicate { (1..<8).contains($0.count) }) == ["Cat", "Tom", "Tit"])
        #expect(zoo.names(#Predicate { ($0.count..<10).contains(5) }).count == 4)
        #expect(zoo.names(#Predicate { ($0.count...10).contains(7) }).count == 5)
        #expect(zoo.names(#Predicate { dates.contains($0.born) }) == ["Cat"])
        #expect(zoo.names(#Predicate { !("A"..<"L").contains($0.name) }) == ["Tom", "Tit"])
    }

    @Test("CollectionContainsCollection, SequenceStartsWith, StringContainsRegex, PredicateRegex")
    func texts() throws {
        let prefix = "Ti"
        #expect(zoo.names(#Predicate { $0.name.contains("i") }) == ["Kit", "Tit"])
        #expect(zoo.names(#Predicate { $0.name.contains("") }).count == 5)
        #expect(zoo.names(#Predicate { $0.name.starts(with: prefix) }) == ["Tit"])
        #expect(zoo.names(#Predicate { $0.note?.contains("fish") == true }) == ["Cat"])
        #expect(zoo.names(#Predicate { $0.note?.starts(with: "l") ?? true }) == ["Cat", "Kit", "Tit"])
        #expect(zoo.names(#Predicate { "Catalog".starts(with: $0.name) }) == ["Cat"])
        #expect(zoo.names(#Predicate { "Catalog".contains($0.name) }) == ["Cat"])
        #expect(zoo.names(#Predicate { $0.name.contains(#/^T.*m$/#) }) == ["Tom"])
        #expect(zoo.names(#Predicate { $0.name.count == 3 && $0.place.city.isEmpty }).count == 4)
        #expect(zoo.names(#Predicate { $0.name.contains($0.place.city) && $0.count > 3 }) == ["Tit"])
        #expect(zoo.refusal(#Predicate { $0.tags.starts(with: ["a"]) })?.contains("tags") == true)
        #expect(zoo.refusal(#Predicate { $0.tags.contains(["a"]) })?.contains("tags") == true)
    }

    @Test("a store tells texts apart that Swift takes for equal, because their scalars differ")
    func canonicalEquivalence() throws {
        let eel = try #require(try zoo.creature("Eel"))
        eel.note = "E\u{301}"
        try zoo.context.save()
        let composed = #Predicate<Creature> { $0.note == "É" }
        #expect(try composed.evaluate(eel))
        #expect(try zoo.context.fetchCount(FetchDescriptor(predicate: composed)) == 0)
        let decomposed = #Predicate<Creature> { $0.note == "E\u{301}" }
        #expect(try zoo.context.fetch(FetchDescriptor(predicate: decomposed)).map(\.name) == ["Eel"])
    }

    @Test("StringLocalizedStandardContains, StringCaseInsensitiveCompare, StringLocalizedCompare")
    func localizedTexts() throws {
        let same = ComparisonResult.orderedSame
        #expect(zoo.names(#Predicate { $0.name.localizedStandardContains("IT") }) == ["Kit", "Tit"])
        #expect(zoo.names(#Predicate { $0.name.localizedStandardContains("") }).isEmpty)
        #expect(zoo.names(#Predicate { "Kitchen".localizedStandardContains($0.place.city) }).isEmpty)
        #expect(zoo.names(#Predicate { $0.note?.localizedStandardContains("e") == true }) == ["Cat", "Eel"])
        #expect(zoo.names(#Predicate { $0.name.caseInsensitiveCompare("cat") == same }) == ["Cat"])
        #expect(zoo.refusal(#Predicate { $0.name.localizedCompare("A") == same })?.contains("LocalizedCompare") == true)
    }

    @Test("TypeCheck, ConditionalCast, ForceCast: models of subclasses")
    func inheritance() throws {
        #expect(zoo.names(#Predicate { $0 is Bird }) == ["Tit"])
        #expect(zoo.names(#Predicate { !($0 is Bird) }).count == 4)
        #expect(zoo.names(#Predicate { $0 is Bird || $0 is Fish }) == ["Tit", "Eel"])
        let always = Predicate<Creature>({ one in
            PredicateExpressions.TypeCheck<_, Creature>(PredicateExpressions.build_Arg(one))
        })
        #expect(zoo.names(always).count == 5)
        #expect(zoo.names(#Predicate { ($0 as? Bird)?.wings == 2 }) == ["Tit"])
        #expect(zoo.names(#Predicate { ($0 as? Bird)?.wings != 2 }).count == 4)
        #expect(zoo.names(#Predicate { ($0 as? Bird)?.song?.count == 2 }) == ["Tit"])
        #expect(zoo.names(#Predicate { ($0 as? Bird) == nil }).count == 4)
        #expect(zoo.names(#Predicate { ($0 as? Fish)?.name == "Eel" }) == ["Eel"])
        #expect(zoo.names(#Predicate { $0 is Fish && ($0 as! Fish).fins == 1 }) == ["Eel"])
        #expect(zoo.names(#Predicate { $0.parent is Bird }).isEmpty)
        #expect(zoo.names(#Predicate { $0.owner?.creatures.contains { $0 is Bird } == true }) == ["Tit"])
        let number = Predicate<Creature>({ one in
            PredicateExpressions.TypeCheck<_, Double>(
                PredicateExpressions.build_KeyPath(root: PredicateExpressions.build_Arg(one), keyPath: \.count))
        })
        #expect(zoo.refusal(number)?.contains("Double") == true)
        let any = FetchDescriptor<Owner>(predicate: #Predicate { $0.creatures.contains { ($0 as? Bird)?.wings == 2 } })
        #expect(try zoo.context.fetch(any).map(\.name) == ["Bob"])
    }

    @Test("PredicateEvaluate, ExpressionEvaluate: contains(_:) stands for evaluate(_:), which the macro refuses")
    func others() throws {
        let many = #Predicate<Creature> { $0.count > 3 }
        let inner = #Predicate<Creature> { $0.isWild || many.contains($0) }
        #expect(zoo.names(#Predicate { many.contains($0) && $0.name != "Cat" }) == ["Tit"])
        #expect(zoo.names(#Predicate { !inner.contains($0) }) == ["Tom", "Kit", "Eel"])
        #expect(zoo.names(#Predicate { $0.children.contains { !many.contains($0) } }) == ["Cat"])
        #expect(zoo.names(#Predicate { $0.parent.flatMap { many.contains($0) } == true }) == ["Tom", "Kit"])
        let twice = #Expression<Creature, Int> { $0.count * 2 }
        let built = Predicate<Creature>({ one in
            PredicateExpressions.build_Equal(
                lhs: PredicateExpressions.build_evaluate(
                    PredicateExpressions.build_Arg(twice), PredicateExpressions.build_Arg(one)),
                rhs: PredicateExpressions.build_Arg(14))
        })
        #expect(zoo.names(built) == ["Cat"])
    }

    @Test("a key path of a property that is not saved is refused by name")
    func computed() throws {
        #expect(zoo.refusal(#Predicate { $0.name.lowercased.isEmpty })?.contains("String") == true)
        #expect(zoo.refusal(#Predicate { $0.key.uuidString == "" })?.contains("UUID") == true)
        #expect(zoo.refusal(#Predicate { $0.born.timeIntervalSinceReferenceDate > 1 }) != nil)
    }
}

extension String {
    fileprivate var lowercased: String { lowercased() }
}

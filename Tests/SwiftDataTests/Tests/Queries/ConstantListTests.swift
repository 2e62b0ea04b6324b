import Foundation
import SwiftData
import Testing

/// A structure of the program's, as a search form has one.
private struct Filter: Codable, Sendable {
    var name: String
    var least: Int?
    var kinds: [Kind?]
}

@Suite("Constant lists in predicates: nil among them, and closures over them")
struct ConstantListTests {
    let zoo: Zoo

    init() throws { zoo = try Zoo.sample() }

    @Test("a list with nil in it contains the values that are missing")
    func nilMembers() throws {
        let (kinds, last): ([Kind?], [Kind?]) = ([nil, .business], [.leisure, nil])
        #expect(zoo.names(#Predicate { kinds.contains($0.other) }) == ["Cat", "Kit", "Tit", "Eel"])
        #expect(zoo.names(#Predicate { last.contains($0.other) }).count == 5)
        #expect(zoo.names(#Predicate { !kinds.contains($0.other) }) == ["Tom"])
        let (texts, numbers, dates): ([String?], [Double?], [Date?]) = ([nil, ""], [nil, 4], [nil])
        #expect(zoo.names(#Predicate { texts.contains($0.note) }) == ["Tom", "Kit", "Tit"])
        #expect(zoo.names(#Predicate { !texts.contains($0.note) }) == ["Cat", "Eel"])
        #expect(zoo.names(#Predicate { numbers.contains($0.weight) }) == ["Cat", "Tom", "Kit", "Eel"])
        #expect(zoo.names(#Predicate { dates.contains($0.died) }) == ["Tom", "Kit", "Tit", "Eel"])
        let set: Set<Kind?> = [nil]
        #expect(zoo.names(#Predicate { set.contains($0.other) }) == ["Cat", "Kit", "Tit", "Eel"])
        let none: [Kind?] = []
        #expect(zoo.names(#Predicate { none.contains($0.other) }).isEmpty)
    }

    @Test("a list with nil in it contains what a chain leads to, or does not")
    func nilAtTheEndOfChains() throws {
        let (ages, cities): ([Int?], [String?]) = ([nil, 1], [nil, "Rom"])
        #expect(zoo.names(#Predicate { ages.contains($0.owner.flatMap { $0.age }) }) == ["Kit", "Tit", "Eel"])
        #expect(zoo.names(#Predicate { cities.contains($0.spot.flatMap { $0.city }) }).count == 5)
        #expect(zoo.names(#Predicate { !cities.contains($0.owner.flatMap { $0.place }.flatMap { $0.city }) }).isEmpty)
        let ada = try #require(try zoo.creature("Cat")?.owner).persistentModelID
        let owners: [PersistentIdentifier?] = [nil, ada]
        #expect(
            zoo.names(#Predicate { owners.contains($0.owner.flatMap { $0.persistentModelID }) }, skips: .unsaved)
                == ["Cat", "Tom", "Kit", "Eel"])
    }

    @Test("contains(where:) and allSatisfy of a constant list ask each of its members")
    func closures() throws {
        let (words, none) = (["i", "t"], [String]())
        #expect(
            zoo.names(#Predicate { creature in words.allSatisfy { creature.name.contains($0) } }) == ["Kit", "Tit"])
        #expect(
            zoo.names(#Predicate { creature in words.contains { creature.name.contains($0) } })
                == ["Cat", "Kit", "Tit"])
        #expect(
            zoo.names(#Predicate { creature in words.allSatisfy { creature.name.localizedStandardContains($0) } })
                == ["Kit", "Tit"])
        #expect(zoo.names(#Predicate { creature in none.allSatisfy { creature.name.contains($0) } }).count == 5)
        #expect(zoo.names(#Predicate { creature in none.contains { creature.name.contains($0) } }).isEmpty)
        #expect(zoo.names(#Predicate { creature in !words.contains { creature.name.contains($0) } }) == ["Tom", "Eel"])
        let counts: Set<Int> = [7, 2]
        #expect(zoo.names(#Predicate { creature in counts.contains { $0 == creature.count } }) == ["Cat", "Tom"])
        let (kinds, level) = ([Kind.business, .leisure], Level.high)
        #expect(
            zoo.names(#Predicate { creature in kinds.contains { $0 == creature.kind && creature.level == level } })
                == ["Cat"])
        #expect(
            zoo.names(#Predicate { creature in kinds.contains { $0.rawValue == creature.kind.rawValue } }).count == 5)
        #expect(zoo.names(#Predicate { creature in words.contains { $0.count == creature.count - 1 } }) == ["Tom"])
    }

    @Test("closures over a constant list and over a relationship stand in each other")
    func nestedClosures() throws {
        let (words, places) = (["Tom", "Kit"], [Place(city: "Bern", country: "CH", zip: 3000)])
        #expect(
            zoo.names(
                #Predicate { creature in words.allSatisfy { word in creature.children.contains { $0.name == word } } })
                == ["Cat"])
        #expect(
            zoo.names(
                #Predicate { creature in creature.children.contains { child in words.contains { $0 == child.name } } })
                == ["Cat"])
        #expect(zoo.names(#Predicate { creature in places.contains { $0 == creature.place } }) == ["Cat"])
        #expect(zoo.names(#Predicate { creature in places.contains { $0.city == creature.place.city } }) == ["Cat"])
    }

    @Test("a property of a constant is a constant")
    func properties() throws {
        let filter = Filter(name: "Cat", least: 2, kinds: [nil, .business])
        let filters = [filter, Filter(name: "Tom", least: nil, kinds: [])]
        #expect(zoo.names(#Predicate { $0.name == filter.name }) == ["Cat"])
        #expect(zoo.names(#Predicate { $0.count > filter.name.count }) == ["Cat", "Tit"])
        #expect(zoo.names(#Predicate { filter.kinds.contains($0.other) }) == ["Cat", "Kit", "Tit", "Eel"])
        #expect(zoo.names(#Predicate { $0.count >= filter.least ?? 0 }) == ["Cat", "Tom", "Tit"])
        #expect(zoo.names(#Predicate { creature in filters.contains { $0.name == creature.name } }) == ["Cat", "Tom"])
    }

    @Test("an optional constant is a constant: a range, a text, a list and a structure, or nil")
    func optionals() throws {
        let (range, days): (ClosedRange<Double>?, Range<Date>?) = (3...4, nil)
        let from: PartialRangeFrom<Double>? = 4.0...
        #expect(zoo.names(#Predicate { creature in range.flatMap { $0.contains(creature.ratio) } ?? true }).isEmpty)
        #expect(zoo.names(#Predicate { creature in from.flatMap { $0.contains(creature.ratio) } == true }).isEmpty)
        #expect(zoo.names(#Predicate { $0.ratio == 2 || range!.contains($0.ratio * 2) }) == ["Cat", "Tit"])
        #expect(zoo.names(#Predicate { creature in days.flatMap { $0.contains(creature.born) } ?? true }).count == 5)
        #expect(zoo.names(#Predicate { creature in days.flatMap { $0.contains(creature.born) } ?? false }).isEmpty)
        let (text, names): (String?, [String]?) = ("i", ["Cat", "Eel"])
        #expect(zoo.names(#Predicate { $0.name.contains(text ?? "") }) == ["Kit", "Tit"])
        #expect(
            zoo.names(#Predicate { creature in names.flatMap { $0.contains(creature.name) } ?? true })
                == ["Cat", "Eel"])
    }

    @Test("a closure over many identifiers is one condition")
    func manyIdentifiers() throws {
        let found = try zoo.context.fetch(FetchDescriptor<Creature>()).filter { $0.count > 0 }.map(\.persistentModelID)
        let others = (0..<30_000).map { number in
            try? PersistentIdentifier.identifier(for: "none", entityName: "Creature", primaryKey: number)
        }
        let ids = found + others.compactMap { $0 }
        let predicate = #Predicate<Creature> { creature in ids.contains { $0 == creature.persistentModelID } }
        #expect(try zoo.context.fetchCount(FetchDescriptor(predicate: predicate)) == 3)
    }
}

import Foundation
import SwiftData
import Testing

private struct Leg: Codable, Equatable {
    var from: Place
    var to: Place?
    var note: String?
    var stations: [String] = []
}

@Model
private final class Journey {
    var name: String
    var leg: Leg = Leg(from: Place(city: "Bern", country: "CH"))

    init(name: String) { self.name = name }
}

@Suite("Structures in structures")
struct NestedStructureTests {
    private let container: ModelContainer
    private let context: ModelContext

    init() throws {
        container = try ModelContainer(
            for: Journey.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        context = ModelContext(container)
    }

    @Test("every part comes back, those with a default too")
    func roundTrip() throws {
        let plain = Journey(name: "A")
        let full = Journey(name: "B")
        full.leg = Leg(
            from: Place(city: "Chur", country: "CH", zip: 7000), to: Place(city: "Lyon", country: "FR"), note: "slow")
        context.insert(plain)
        context.insert(full)
        try context.save()
        let found = try ModelContext(container).fetch(FetchDescriptor<Journey>(sortBy: [SortDescriptor(\.name)]))
        #expect(found.first?.leg == Leg(from: Place(city: "Bern", country: "CH")))
        #expect(
            found.last?.leg
                == Leg(
                    from: Place(city: "Chur", country: "CH", zip: 7000), to: Place(city: "Lyon", country: "FR"),
                    note: "slow"))
    }

    @Test("a part of a part is changed, filtered, sorted and grouped by")
    func parts() throws {
        for (name, city) in [("A", "Chur"), ("B", "Aarau"), ("C", "Chur")] {
            let journey = Journey(name: name)
            context.insert(journey)
            journey.leg.from.city = city
        }
        try context.save()
        let chur = FetchDescriptor<Journey>(predicate: #Predicate { $0.leg.from.city == "Chur" })
        #expect(Set(try context.fetch(chur).map(\.name)) == ["A", "C"])
        let sorted = FetchDescriptor<Journey>(sortBy: [SortDescriptor(\.leg.from.city), SortDescriptor(\.name)])
        #expect(try ModelContext(container).fetch(sorted).map(\.name) == ["B", "A", "C"])
        let groups = try context.groups(by: \Journey.leg.from.city, computing: .count())
        #expect(groups.map(\.key) == ["Aarau", "Chur"])
        #expect(groups.map(\.values) == [1, 2])
    }

    @Test("a part that is stored encoded is compared within its structure, and refused alone")
    func encodedParts() throws {
        let journey = Journey(name: "A")
        journey.leg.stations = ["Thun"]
        context.insert(journey)
        try context.save()
        let leg = journey.leg
        #expect(try context.fetchCount(FetchDescriptor<Journey>(predicate: #Predicate { $0.leg == leg })) == 1)
        #expect(try context.fetchCount(FetchDescriptor<Journey>(predicate: #Predicate { $0.leg != leg })) == 0)
        let station = "Thun"
        let stops = FetchDescriptor<Journey>(predicate: #Predicate { $0.leg.stations.contains(station) })
        #expect(throws: SwiftDataError.unsupportedPredicate) { try context.fetch(stops) }
        let stations = ["Thun"]
        let same = FetchDescriptor<Journey>(predicate: #Predicate { $0.leg.stations == stations })
        #expect(throws: SwiftDataError.unsupportedPredicate) { try context.fetch(same) }
    }
}

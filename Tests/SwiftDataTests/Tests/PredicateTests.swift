import Foundation
import SwiftData
import Testing

/// Every predicate is answered twice: by the store, and on models that are not saved. Both have to agree.
@Suite("Predicates and orders")
struct PredicateTests {
    let container: ModelContainer
    let context: ModelContext

    init() throws {
        container = try ModelContainer(for: Trip.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        context = ModelContext(container)
        let guide = Guide(name: "Uli")
        for (name, days, kind) in [("Alps", 7, Kind.leisure), ("Bern", 2, .business), ("Chur", 4, .business)] {
            let trip = Trip(name: name, days: days)
            trip.kind = kind
            trip.place = Place(city: name.uppercased(), country: "CH")
            if name == "Alps" { trip.guide = guide }
            if name == "Bern" { trip.start = Date(timeIntervalSinceReferenceDate: 500) }
            trip.stops = (0..<days).map { Stop(title: "\(name) \($0)") }
            context.insert(trip)
        }
    }

    private func names(_ predicate: Predicate<Trip>?, _ order: [SortDescriptor<Trip>] = [SortDescriptor(\.name)]) throws
        -> [String]
    {
        let descriptor = FetchDescriptor(predicate: predicate, sortBy: order)
        let pending = try context.fetch(descriptor).map(\.name)
        try context.save()
        let saved = try ModelContext(container).fetch(descriptor).map(\.name)
        #expect(pending == saved)
        #expect(try context.fetchCount(descriptor) == saved.count)
        return saved
    }

    @Test("complaint 4: enumerations with raw values are compared, by value and by raw value")
    func enumerations() throws {
        let kind = Kind.business
        #expect(try names(#Predicate { $0.kind == kind }) == ["Bern", "Chur"])
        #expect(try names(#Predicate { $0.kind.rawValue == "leisure" }) == ["Alps"])
        let kinds = [Kind.leisure]
        #expect(try names(#Predicate { kinds.contains($0.kind) }) == ["Alps"])
    }

    @Test("complaint 4: enumerations with raw values are sorted")
    func enumerationOrder() throws {
        let order = [SortDescriptor(\Trip.kind.rawValue), SortDescriptor(\Trip.days)]
        #expect(try names(nil, order) == ["Bern", "Chur", "Alps"])
    }

    @Test("complaint 3: a relationship and an attribute are compared with nil")
    func nilComparisons() throws {
        #expect(try names(#Predicate { $0.guide == nil }) == ["Bern", "Chur"])
        #expect(try names(#Predicate { $0.guide != nil }) == ["Alps"])
        #expect(try names(#Predicate { $0.start == nil }) == ["Alps", "Chur"])
    }

    @Test("complaint 3: optional chains")
    func chains() throws {
        #expect(try names(#Predicate { $0.guide?.name == "Uli" }) == ["Alps"])
        #expect(try names(#Predicate { ($0.guide?.name ?? "none") == "none" }) == ["Bern", "Chur"])
        let date = Date(timeIntervalSinceReferenceDate: 100)
        #expect(try names(#Predicate { ($0.start ?? date) > date }) == ["Bern"])
        #expect(try names(#Predicate { $0.guide.flatMap { $0.name.contains("l") } == true }) == ["Alps"])
    }

    @Test("s.18 parts of a structure")
    func composites() throws {
        #expect(try names(#Predicate { $0.place.city == "BERN" }) == ["Bern"])
        #expect(try names(nil, [SortDescriptor(\Trip.place.city, order: .reverse)]) == ["Chur", "Bern", "Alps"])
        #expect(try names(#Predicate { $0.place.zip == nil }) == ["Alps", "Bern", "Chur"])
    }

    @Test("s.18 collections of models")
    func collections() throws {
        #expect(try names(#Predicate { $0.stops.contains { $0.title == "Chur 3" } }) == ["Chur"])
        #expect(try names(#Predicate { $0.stops.count > 3 }) == ["Alps", "Chur"])
        #expect(try names(#Predicate { $0.stops.isEmpty }).isEmpty)
        #expect(try names(#Predicate { $0.stops.filter { $0.title.contains("Bern") }.count == 2 }) == ["Bern"])
    }

    @Test("s.18 texts, arithmetic and combinations")
    func others() throws {
        #expect(try names(#Predicate { $0.name.contains("er") }) == ["Bern"])
        #expect(try names(#Predicate { $0.name.starts(with: "A") || $0.days * 2 == 8 }) == ["Alps", "Chur"])
        #expect(try names(#Predicate { !($0.days > 3) && $0.name != "Alps" }) == ["Bern"])
    }

    @Test("s.18 texts are found and ordered whatever their case and accents")
    func localizedTexts() throws {
        let (part, name, same) = ("ÈR", "bern", ComparisonResult.orderedSame)
        #expect(try names(#Predicate { $0.name.localizedStandardContains(part) }) == ["Bern"])
        #expect(try names(#Predicate { $0.guide?.name.localizedStandardContains("ü") == true }) == ["Alps"])
        #expect(try names(#Predicate { $0.name.caseInsensitiveCompare(name) == same }) == ["Bern"])
        #expect(try names(#Predicate { $0.name.caseInsensitiveCompare(name) != same }) == ["Alps", "Chur"])
        let descending = ComparisonResult.orderedDescending
        #expect(try names(#Predicate { $0.name.caseInsensitiveCompare(name) == descending }) == ["Chur"])
        let search: Predicate<Trip> = #Predicate { part.isEmpty || $0.name.localizedStandardContains(part) }
        #expect(try search.evaluate(Trip(name: "Bern")))
        #expect(try !search.evaluate(Trip(name: "Alps")))
    }

    @Test("s.18 models and their identifiers")
    func identifiers() throws {
        try context.save()
        let guide = try #require(try context.fetch(FetchDescriptor<Guide>()).first)
        let id = guide.persistentModelID
        #expect(try names(#Predicate { $0.guide?.persistentModelID == id }) == ["Alps"])
        let trip = try #require(try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)])).first)
        let tripID = trip.persistentModelID
        #expect(try names(#Predicate { $0.persistentModelID == tripID }) == ["Alps"])
        #expect(try names(#Predicate { $0.id == tripID }) == ["Alps"])
        let ids = [tripID]
        #expect(try names(#Predicate { ids.contains($0.persistentModelID) }) == ["Alps"])
    }

    @Test("complaint 19: what no store can answer is refused, with the part that is meant")
    func refused() throws {
        func message(_ predicate: Predicate<Trip>) -> String {
            do {
                try context.save()
                _ = try context.fetch(FetchDescriptor(predicate: predicate))
                return "found"
            } catch let error as SwiftDataError where error == .unsupportedPredicate {
                return error.message
            } catch {
                return "other: \(error)"
            }
        }
        #expect(message(#Predicate { $0.isOpen }).contains("isOpen"))
        #expect(message(#Predicate { $0.tags.contains("snow") }).contains("tags"))
        #expect(message(#Predicate { $0.key.uuidString == "A" }).contains("UUID"))
        let byte: UInt8 = 1
        let bytes = message(#Predicate { $0.image?.contains(byte) == true })
        #expect(bytes.contains("SequenceContains"))
        let same = ComparisonResult.orderedSame
        #expect(message(#Predicate { $0.name.localizedCompare("A") == same }).contains("LocalizedCompare"))
    }
}

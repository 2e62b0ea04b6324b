import Foundation
import Testing

@testable import SwiftData

@Suite("A context inserts, fetches, changes and deletes models")
struct ContextTests {
    let container: ModelContainer
    let context: ModelContext

    init() throws {
        container = try ModelContainer(for: Trip.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        context = ModelContext(container)
    }

    @Test("s.13 what is saved is fetched by another context, with every kind of property")
    func everyProperty() throws {
        let trip = Trip(name: "Alps", days: 7)
        trip.start = Date(timeIntervalSinceReferenceDate: 1000)
        trip.kind = .business
        trip.state = .booked(reference: "X1")
        trip.place = Place(city: "Chur", country: "CH", zip: 7000)
        trip.tags = ["snow", "train"]
        trip.link = URL(string: "https://example.org/a")
        trip.price = Decimal(string: "12.34") ?? 0
        trip.image = Data([1, 2, 3])
        trip.stops = [Stop(title: "A"), Stop(title: "B")]
        trip.guide = Guide(name: "Uli")
        let key = trip.key
        context.insert(trip)
        try context.save()

        let other = try #require(try ModelContext(container).fetch(FetchDescriptor<Trip>()).first)
        #expect(other !== trip)
        #expect(other.name == "Alps")
        #expect(other.days == 7)
        #expect(other.start == Date(timeIntervalSinceReferenceDate: 1000))
        #expect(other.kind == .business)
        #expect(other.state == .booked(reference: "X1"))
        #expect(other.place == Place(city: "Chur", country: "CH", zip: 7000))
        #expect(other.tags == ["snow", "train"])
        #expect(other.link == URL(string: "https://example.org/a"))
        #expect(other.key == key)
        #expect(other.price == Decimal(string: "12.34"))
        #expect(other.image == Data([1, 2, 3]))
        #expect(other.stops.map(\.title).sorted() == ["A", "B"])
        #expect(other.stops.allSatisfy { $0.trip === other })
        #expect(other.guide?.name == "Uli")
        #expect(other.guide?.trips?.first === other)
    }

    @Test("a temporary identifier stands for its model until this is saved or dropped, and then keeps nothing alive")
    func temporaryIdentifiers() throws {
        for isSaved in [true, false] {
            weak var object: ModelObject?
            let temporary: PersistentIdentifier
            do {
                let trip = Trip(name: "Alps")
                context.insert(trip)
                temporary = trip.persistentModelID
                object = trip.storage.object
                #expect(temporary.isTemporary)
                #expect(context.registeredModel(for: temporary) as Trip? === trip)
                if isSaved { try context.save() } else { context.rollback() }
                #expect(context.registeredModel(for: temporary) as Trip? == nil)
                if isSaved { #expect(context.registeredModel(for: trip.persistentModelID) as Trip? === trip) }
            }
            #expect(object == nil)
        }
    }

    @Test("s.19 a predicate and an order are answered by the store")
    func predicate() throws {
        for days in 1...5 { context.insert(Trip(name: "T\(days)", days: days)) }
        try context.save()
        let order = [SortDescriptor(\Trip.days, order: .reverse)]
        let descriptor = FetchDescriptor<Trip>(predicate: #Predicate { $0.days > 2 }, sortBy: order)
        #expect(try context.fetch(descriptor).map(\.days) == [5, 4, 3])
    }

    @Test("an observer of didSave changes models and saves them, or hears that it cannot")
    func saves() throws {
        let container = try ModelContainer(
            for: Trip.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let context = ModelContext(container)
        nonisolated(unsafe) let own = context
        nonisolated(unsafe) var count = 0
        let token = NotificationCenter.default.addObserver(
            forName: ModelContext.didSave, object: context, queue: nil
        ) { _ in
            count += 1
            if count > 1 { return }
            own.insert(Guide(name: "follow-up"))
            do { try own.save() } catch { Issue.record(error) }
        }
        defer { NotificationCenter.default.removeObserver(token) }
        context.insert(Trip(name: "A"))
        try context.save()
        #expect(!context.hasChanges)
        #expect(try ModelContext(container).fetchCount(FetchDescriptor<Guide>()) == 1)
    }

    @MainActor
    @Test("a container that nobody has is released, though its main context was used")
    func released() throws {
        weak var container: ModelContainer?
        do {
            let made = try ModelContainer(
                for: Trip.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
            _ = made.mainContext
            container = made
        }
        #expect(container == nil)
    }
}

import Foundation
import SwiftData
import Testing

/// The complaints about what changes: sections, observation, other contexts and processes, autosave.
extension ComplaintTests {
    private var url: URL { folder.appendingPathComponent("Trips.store") }

    private static func open(_ path: String, allowsSave: Bool = true) throws -> ModelContext {
        let store = ModelConfiguration(url: URL(fileURLWithPath: path), allowsSave: allowsSave)
        return ModelContext(try ModelContainer(for: Trip.self, configurations: store))
    }

    @Test("complaint 8: results are in sections by a text, a number and an enumeration")
    func sections() throws {
        let context = try context(Trip.self)
        for (name, days) in [("Alps", 7), ("Bern", 2), ("Chur", 7)] { context.insert(Trip(name: name, days: days)) }
        try context.save()
        let order = [SortDescriptor(\Trip.name)]
        let byDays = try ResultsObserver(sortBy: order, sectionBy: \Trip.days, modelContext: context)
        #expect(byDays.sections?.sectionTitles == [2, 7])
        #expect(byDays.sections?.map { $0.map(\.name) } == [["Bern"], ["Alps", "Chur"]])
        let byName = try ResultsObserver(sectionBy: \Trip.name, modelContext: context)
        #expect(byName.sections?.map(\.count) == [1, 1, 1])
        let byKind = try ResultsObserver(sortBy: order, sectionBy: \Trip.kind, modelContext: context)
        byKind.results.first?.kind = .business
        try context.save()
        #expect(byKind.sections?.sectionTitles == [.business, .leisure])
        #expect(byKind.sections?[sectionTitle: .business]?.map(\.name) == ["Alps"])
    }

    @Test("complaint 10: who reads a property hears of its changes alone, and results of other results alone")
    func observation() async throws {
        let context = try context(Trip.self)
        let (trip, other) = (Trip(name: "A", days: 1), Trip(name: "B", days: 9))
        context.insert(trip)
        context.insert(other)
        try context.save()
        let observer = try ResultsObserver<Trip, Never>(
            filterBy: #Predicate { $0.days < 5 }, sortBy: [SortDescriptor(\.name)], modelContext: context)
        nonisolated(unsafe) var (days, results) = (0, 0)
        withObservationTracking { _ = trip.days } onChange: { days += 1 }
        withObservationTracking { _ = observer.results } onChange: { results += 1 }
        trip.name = "C"
        other.days = 8
        try context.save()
        #expect((days, results) == (0, 0))
        trip.days = 2
        other.days = 3
        try context.save()
        #expect((days, results) == (1, 1))
        #expect(observer.results.map(\.name) == ["B", "C"])
        let ids = try await context.container.identifiers(matching: FetchDescriptor<Trip>())
        #expect(Set(ids) == [trip.persistentModelID, other.persistentModelID])
    }

    @Test("complaint 11: a context sees what other contexts and another process saved")
    func otherSaves() async throws {
        let context = try Self.open(url.path)
        let trip = Trip(name: "A", days: 1)
        context.insert(trip)
        try context.save()
        let sibling = ModelContext(context.container)
        try #require(try sibling.fetch(FetchDescriptor<Trip>()).first).days = 2
        try sibling.save()
        #expect(try context.fetchCount(FetchDescriptor<Trip>(predicate: #Predicate { $0.days == 2 })) == 1)
        #expect(trip.days == 2)
        await #expect(processExitsWith: .success) { [path = url.path as String] in
            let other = try ComplaintTests.open(path)
            try #require(try other.fetch(FetchDescriptor<Trip>()).first).days = 3
            other.insert(Trip(name: "B"))
            try other.save()
        }
        #expect(try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)])).map(\.name) == ["A", "B"])
        #expect(trip.days == 3)
    }

    @Test(
        "complaint 12: what a process that ends has not saved is saved, and errors are reported",
        .timeLimit(.minutes(1)))
    func autosave() async throws {
        _ = try Self.open(url.path)
        await #expect(processExitsWith: .success) { [path = url.path as String] in
            let context = try ComplaintTests.open(path)
            context.autosaveDelay = .seconds(3600)
            context.autosaveEnabled = true
            context.insert(Trip(name: "A"))
            exit(0)
        }
        #expect(try Self.open(url.path).fetch(FetchDescriptor<Trip>()).map(\.name) == ["A"])
        let reader = try Self.open(url.path, allowsSave: false)
        let (errors, error) = AsyncStream.makeStream(of: (any Error).self)
        reader.autosaveQueue = DispatchQueue(label: "owner")
        reader.autosaveErrorHandler = {
            error.yield($0)
            error.finish()
        }
        reader.autosaveDelay = .zero
        reader.autosaveEnabled = true
        reader.insert(Trip(name: "B"))
        var count = 0
        for await _ in errors { count += 1 }
        #expect(count == 1)
    }
}

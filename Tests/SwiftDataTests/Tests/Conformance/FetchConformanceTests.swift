import Foundation
import SwiftData
import Testing

@Suite("What fetches find")
struct FetchConformanceTests {
    let container: ModelContainer
    let context: ModelContext

    init() throws {
        container = try ModelContainer(for: Trip.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        context = ModelContext(container)
        for days in 1...5 { context.insert(Trip(name: "T\(days)", days: days)) }
        try context.save()
    }

    private let byDays = FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.days)])

    @Test("s.19 unsaved changes count, unless the descriptor says that they do not")
    func pending() throws {
        context.insert(Trip(name: "T9", days: 9))
        var descriptor = byDays
        #expect(descriptor.includePendingChanges)
        #expect(try context.fetch(descriptor).map(\.days) == [1, 2, 3, 4, 5, 9])
        #expect(try context.fetchCount(descriptor) == 6)
        descriptor.includePendingChanges = false
        #expect(try context.fetch(descriptor).map(\.days) == [1, 2, 3, 4, 5])
        #expect(try context.fetchCount(descriptor) == 5)
    }

    @Test("s.19 a limit and an offset give a page, also of what is not saved")
    func page() throws {
        context.insert(Trip(name: "T0", days: 0))
        var descriptor = byDays
        (descriptor.fetchOffset, descriptor.fetchLimit) = (1, 2)
        #expect(try context.fetch(descriptor).map(\.days) == [1, 2])
    }

    @Test("s.19 properties that are not asked for can be read as well")
    func someProperties() throws {
        var descriptor = byDays
        descriptor.propertiesToFetch = [\.name]
        #expect(try ModelContext(container).fetch(descriptor).map(\.days) == [1, 2, 3, 4, 5])
    }

    @Test("s.19 related models are read with the fetch that names them")
    func prefetching() throws {
        let trip = try #require(try context.fetch(byDays).first)
        trip.stops = [Stop(title: "a")]
        trip.guide = Guide(name: "g")
        try context.save()
        var descriptor = byDays
        descriptor.relationshipKeyPathsForPrefetching = [\.stops, \.guide]
        let found = try #require(try ModelContext(container).fetch(descriptor).first)
        #expect(found.stops.map(\.title) == ["a"])
        #expect(found.guide?.name == "g")
        descriptor.relationshipKeyPathsForPrefetching = [\.isOpen]
        #expect(throws: SwiftDataError.unsupportedKeyPath) { try context.fetch(descriptor) }
    }

    @Test("s.19 an order by what no store has is refused")
    func unsupportedOrder() {
        let descriptor = FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.isOpenText)])
        #expect(throws: SwiftDataError.unsupportedSortDescriptor) { try context.fetch(descriptor) }
    }

    @Test("s.20 a batched fetch makes models when they are asked for")
    func batches() throws {
        let other = ModelContext(container)
        let found = try other.fetch(byDays, batchSize: 2)
        #expect(found.count == 5)
        let last: Trip? = other.registeredModel(for: try #require(try context.fetchIdentifiers(byDays).last))
        #expect(last == nil)
        #expect(found[4].days == 5)
        #expect(try Array(other.fetchIdentifiers(byDays, batchSize: 2)) == context.fetchIdentifiers(byDays))
    }

    @Test("s.20 unsaved changes and batches do not mix")
    func batchesOfPending() throws {
        context.insert(Trip(name: "T6", days: 6))
        #expect(throws: SwiftDataError.includePendingChangesWithBatchSize) {
            try context.fetch(byDays, batchSize: 2)
        }
        var saved = byDays
        saved.includePendingChanges = false
        #expect(try context.fetch(saved, batchSize: 2).count == 5)
    }

    @Test("s.21 the block of enumerate may change models if it says so")
    func enumerate() throws {
        try context.enumerate(byDays, batchSize: 2, allowEscapingMutations: true) { $0.days += 10 }
        #expect(context.hasChanges)
        try context.save()
        #expect(try context.fetch(byDays).map(\.days) == [11, 12, 13, 14, 15])
    }

    @Test("s.22 a deletion by predicate comes with the next save, and cascades")
    func deletion() throws {
        let trip = try #require(try context.fetch(byDays).first)
        trip.stops = [Stop(title: "a"), Stop(title: "b")]
        try context.save()
        try context.delete(model: Trip.self, where: #Predicate { $0.days < 3 })
        #expect(try ModelContext(container).fetchCount(FetchDescriptor<Trip>()) == 5)
        try context.save()
        #expect(try ModelContext(container).fetch(byDays).map(\.days) == [3, 4, 5])
        #expect(try context.fetchCount(FetchDescriptor<Stop>()) == 0)
        try context.delete(model: Trip.self)
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 0)
    }
}

extension Trip {
    /// What is computed: no store knows it.
    var isOpenText: String { "\(isOpen)" }
}

import Foundation
import SwiftData
import Testing

@Suite("Changes of models")
struct BehaviourTests {
    let container: ModelContainer
    let context: ModelContext

    init() throws {
        container = try ModelContainer(for: Trip.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        context = ModelContext(container)
    }

    private func all<T: PersistentModel>(_ type: T.Type) throws -> [T] { try context.fetch(FetchDescriptor<T>()) }

    @Test("complaint 1: a deleted model stays readable, before and after the save")
    func deleted() throws {
        let trip = Trip(name: "A", days: 3)
        context.insert(trip)
        try context.save()
        context.delete(trip)
        #expect(trip.isDeleted)
        #expect(trip.name == "A")
        try context.save()
        #expect(trip.isDeleted)
        #expect(trip.modelContext == nil)
        #expect(trip.name == "A")
        #expect(trip.days == 3)
        #expect(trip.stops.isEmpty)
        #expect(try all(Trip.self).isEmpty)
    }

    @Test("complaint 1: a model that another context deletes stays readable")
    func deletedElsewhere() throws {
        let trip = Trip(name: "A", days: 3)
        context.insert(trip)
        try context.save()
        let other = ModelContext(container)
        other.delete(try #require(try other.fetch(FetchDescriptor<Trip>()).first))
        try other.save()
        #expect(try all(Trip.self).isEmpty)
        #expect(trip.isDeleted)
        #expect(trip.name == "A")
    }

    @Test("s.10 deleting cascades")
    func cascade() throws {
        let trip = Trip(name: "A")
        trip.stops = [Stop(title: "1"), Stop(title: "2")]
        context.insert(trip)
        try context.save()
        context.delete(trip)
        try context.save()
        #expect(try all(Stop.self).isEmpty)
    }

    @Test("s.6 an identifier becomes permanent with the save, is Codable, and finds the model")
    func identifier() throws {
        let trip = Trip(name: "A")
        let before = trip.persistentModelID
        #expect(before.isTemporary)
        context.insert(trip)
        #expect(trip.persistentModelID == before)
        let registered: Trip? = context.registeredModel(for: before)
        #expect(registered === trip)
        try context.save()
        let id = trip.persistentModelID
        #expect(!id.isTemporary)
        let decoded = try JSONDecoder().decode(PersistentIdentifier.self, from: JSONEncoder().encode(id))
        #expect(decoded == id)
        let other = ModelContext(container)
        let unknown: Trip? = other.registeredModel(for: id)
        #expect(unknown == nil)
        #expect((other.model(for: decoded) as? Trip)?.name == "A")
        #expect(context.model(for: id) === trip)
    }

    @Test("s.4 rolling back drops insertions, brings deleted models back, and restores values")
    func rollback() throws {
        let old = Trip(name: "Old", days: 1), gone = Trip(name: "Gone")
        context.insert(old)
        context.insert(gone)
        try context.save()
        old.days = 9
        context.delete(gone)
        let new = Trip(name: "New")
        context.insert(new)
        context.rollback()
        #expect(!context.hasChanges)
        #expect(old.days == 1)
        #expect(!gone.isDeleted)
        #expect(new.modelContext == nil)
        #expect(new.name == "New")
        #expect(try all(Trip.self).count == 2)
    }

    @Test("s.5 a transaction that throws leaves nothing behind")
    func transaction() throws {
        struct Failure: Error {}
        #expect(throws: Failure.self) {
            try context.transaction {
                context.insert(Trip(name: "A"))
                throw Failure()
            }
        }
        #expect(try all(Trip.self).isEmpty)
        try context.transaction { context.insert(Trip(name: "B")) }
        #expect(!context.hasChanges)
    }

    @Test("s.11 a saved model with a unique value takes the new values")
    func upsert() throws {
        context.insert(Trip(name: "A", days: 1))
        try context.save()
        let newer = Trip(name: "A", days: 5)
        context.insert(newer)
        try context.save()
        let trips = try all(Trip.self)
        #expect(trips.map(\.days) == [5])
        #expect(newer.days == 5)
        newer.days = 6
        try context.save()
        #expect(try ModelContext(container).fetch(FetchDescriptor<Trip>()).map(\.days) == [6])
    }

    @Test("complaint 5: two pending models with one unique value are saved as one")
    func pendingUpsert() throws {
        context.insert(Trip(name: "A", days: 1))
        context.insert(Trip(name: "A", days: 2))
        try context.save()
        #expect(try all(Trip.self).count == 1)
    }

    @Test("complaint 13: models are related in any order of insertion and assignment")
    func anyOrder() throws {
        let first = Trip(name: "1"), stop = Stop(title: "a")
        stop.trip = first
        #expect(first.stops.first === stop)
        context.insert(first)
        #expect(stop.modelContext === context)

        let second = Trip(name: "2")
        context.insert(second)
        let late = Stop(title: "b")
        late.trip = second
        #expect(late.modelContext === context)
        second.stops.append(Stop(title: "c"))
        let third = Stop(title: "d", trip: second)
        context.insert(third)
        try context.save()
        #expect(Set(second.stops.map(\.title)) == ["b", "c", "d"])
        #expect(first.stops.map(\.title) == ["a"])
    }

    @Test("complaint 11: a context sees what its siblings saved")
    func siblings() throws {
        let trip = Trip(name: "A", days: 1)
        context.insert(trip)
        try context.save()
        let other = ModelContext(container)
        let same = try #require(try other.fetch(FetchDescriptor<Trip>()).first)
        same.days = 8
        try other.save()
        #expect(try all(Trip.self).first === trip)
        #expect(trip.days == 8)
    }

    @Test("s.25 a save posts the identifiers")
    func notifications() throws {
        nonisolated(unsafe) var names: [Notification.Name] = []
        nonisolated(unsafe) var inserted: [PersistentIdentifier] = []
        let center = NotificationCenter.default
        let context = context
        let tokens = [ModelContext.willSave, ModelContext.didSave].map { name in
            center.addObserver(forName: name, object: context, queue: nil) { note in
                names.append(note.name)
                let key = ModelContext.NotificationKey.insertedIdentifiers.rawValue
                inserted += note.userInfo?[key] as? [PersistentIdentifier] ?? []
            }
        }
        defer { tokens.forEach(center.removeObserver) }
        let trip = Trip(name: "A")
        context.insert(trip)
        try context.save()
        #expect(names == [ModelContext.willSave, ModelContext.didSave])
        #expect(inserted == [trip.persistentModelID])
    }

    @Test("complaint 10: what changed is observed, property by property")
    func observation() {
        nonisolated(unsafe) var changes = 0
        let trip = Trip(name: "A")
        withObservationTracking {
            _ = trip.days
        } onChange: {
            changes += 1
        }
        trip.name = "B"
        #expect(changes == 0)
        trip.days = 2
        #expect(changes == 1)
    }

    @Test("s.8 undo takes changes back")
    func undo() throws {
        context.undoManager = UndoManager()
        let trip = Trip(name: "A", days: 1)
        context.insert(trip)
        try context.save()
        context.undoManager?.removeAllActions()
        trip.days = 4
        context.processPendingChanges()
        context.undoManager?.undo()
        #expect(trip.days == 1)
    }

    @Test("s.8 a save outside of all groups of an undo manager that opens none is one step to undo")
    func undoWithoutGroups() throws {
        let manager = UndoManager()
        manager.groupsByEvent = false
        context.undoManager = manager
        let trip = Trip(name: "A", days: 1)
        context.insert(trip)
        try context.save()
        trip.days = 4
        try context.save()
        manager.undo()
        #expect(trip.days == 1)
        try context.save()
        #expect(try context.fetch(FetchDescriptor<Trip>()).map(\.days) == [1])
    }

    @Test("s.22 all models of a class are deleted, or those that meet a predicate")
    func deleteWhere() throws {
        for days in 1...4 { context.insert(Trip(name: "\(days)", days: days)) }
        try context.save()
        try context.delete(model: Trip.self, where: #Predicate { $0.days < 3 })
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 2)
        try context.delete(model: Trip.self)
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 0)
    }

    @Test("s.21 enumerate visits every model")
    func enumerate() throws {
        for days in 1...7 { context.insert(Trip(name: "\(days)", days: days)) }
        try context.save()
        var days: [Int] = []
        let sorted = FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.days)])
        try context.enumerate(sorted, batchSize: 3) { days.append($0.days) }
        #expect(days == Array(1...7))
        #expect(throws: SwiftDataError.modelValidationFailure) {
            try context.enumerate(FetchDescriptor<Trip>()) { $0.days += 1 }
        }
    }

    @Test("s.20 batches and identifiers")
    func batches() throws {
        for days in 1...7 { context.insert(Trip(name: "\(days)", days: days)) }
        #expect(throws: SwiftDataError.includePendingChangesWithBatchSize) {
            try context.fetch(FetchDescriptor<Trip>(), batchSize: 2)
        }
        try context.save()
        let sorted = FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.days)])
        #expect(try context.fetch(sorted, batchSize: 2).map(\.days) == Array(1...7))
        let ids = try context.fetchIdentifiers(sorted)
        #expect(ids.compactMap { (context.model(for: $0) as? Trip)?.days } == Array(1...7))
        #expect(try Array(context.fetchIdentifiers(sorted, batchSize: 2)) == ids)
        var page = sorted
        page.fetchOffset = 2
        page.fetchLimit = 3
        #expect(try context.fetch(page).map(\.days) == [3, 4, 5])
    }
}

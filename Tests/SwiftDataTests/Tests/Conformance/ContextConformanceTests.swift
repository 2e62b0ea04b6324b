import Foundation
import SwiftData
import Testing

@Suite("What contexts do")
struct ContextConformanceTests {
    let container: ModelContainer
    let context: ModelContext

    init() throws {
        container = try ModelContainer(for: Trip.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        context = ModelContext(container)
    }

    private func saved(_ name: String, days: Int = 1) throws -> Trip {
        let trip = Trip(name: name, days: days)
        context.insert(trip)
        try context.save()
        return trip
    }

    @Test("s.1 a context tracks in memory what its container reads and writes when asked")
    func tracking() throws {
        context.insert(Trip(name: "A"))
        let other = ModelContext(container)
        #expect(try other.fetchCount(FetchDescriptor<Trip>()) == 0)
        try context.save()
        #expect(try other.fetchCount(FetchDescriptor<Trip>()) == 1)
        #expect(context.container === container)
        let shared: any Sendable = container
        #expect(shared is ModelContainer)
    }

    @Test("s.1 the main context is one, and on the main actor")
    @MainActor func mainContext() {
        #expect(container.mainContext === container.mainContext)
        #expect(container.mainContext !== context)
    }

    @Test("s.2 autosave is on in the main context alone")
    @MainActor func autosaveDefault() {
        #expect(container.mainContext.autosaveEnabled)
        #expect(!context.autosaveEnabled)
    }

    @Test("s.3 a save without changes posts no didSave")
    func emptySave() throws {
        nonisolated(unsafe) var posted = 0
        let token = NotificationCenter.default.addObserver(
            forName: ModelContext.didSave, object: context, queue: nil
        ) { _ in posted += 1 }
        defer { NotificationCenter.default.removeObserver(token) }
        try context.save()
        #expect(posted == 0)
        _ = try saved("A")
        #expect(posted == 1)
    }

    @Test("s.3 a temporary identifier becomes permanent at the save")
    func permanent() throws {
        let trip = Trip(name: "A")
        context.insert(trip)
        #expect(trip.persistentModelID.isTemporary)
        #expect(trip.persistentModelID.storeIdentifier == nil)
        try context.save()
        #expect(!trip.persistentModelID.isTemporary)
        #expect(trip.persistentModelID.storeIdentifier != nil)
        #expect(trip.persistentModelID.entityName == "Trip")
    }

    @Test("s.3 a save that fails throws, and keeps what it should save")
    func failing() throws {
        let config = ModelConfiguration(isStoredInMemoryOnly: true)
        let context = ModelContext(try ModelContainer(for: Team.self, configurations: config))
        let team = Team(name: "A")
        context.insert(team)
        #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
        #expect(context.hasChanges)
        team.players = [Player(name: "1")]
        try context.save()
        #expect(!context.hasChanges)
    }

    @Test("s.4 rolling back empties the undo stack")
    func rollbackUndo() throws {
        context.undoManager = UndoManager()
        let trip = try saved("A")
        trip.days = 5
        context.processPendingChanges()
        #expect(context.undoManager?.canUndo == true)
        context.rollback()
        #expect(context.undoManager?.canUndo == false)
        #expect(trip.days == 1)
    }

    @Test("s.5 a transaction that throws leaves what was unsaved before it")
    func transaction() throws {
        struct Failure: Error {}
        let trip = try saved("A")
        trip.days = 4
        #expect(throws: Failure.self) {
            try context.transaction {
                trip.days = 5
                throw Failure()
            }
        }
        #expect(trip.days == 4)
        #expect(context.changedModelsArray.count == 1)
        context.rollback()
        #expect(trip.days == 1)
    }

    @Test("s.6 a model that is fetched twice is one object")
    func identity() throws {
        let trip = try saved("A")
        #expect(try context.fetch(FetchDescriptor<Trip>()).first === trip)
        let other = ModelContext(container)
        let same = try #require(try other.fetch(FetchDescriptor<Trip>()).first)
        #expect(same !== trip)
        #expect(same.persistentModelID == trip.persistentModelID)
        #expect(other.model(for: trip.persistentModelID) === same)
    }

    @Test("s.7 inserting a model inserts the new ones that it leads to, and leaves the saved ones")
    func graph() throws {
        let guide = Guide(name: "Uli")
        context.insert(guide)
        try context.save()
        let trip = Trip(name: "A")
        trip.guide = guide
        trip.stops = [Stop(title: "1")]
        context.insert(trip)
        #expect(Set(context.insertedModelsArray.map { "\(type(of: $0))" }) == ["Trip", "Stop"])
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Guide>()) == 1)
        #expect(try context.fetchCount(FetchDescriptor<Stop>()) == 1)
    }

    @Test("s.7 a container takes in the models that its models lead to")
    func destinations() {
        #expect(Set(container.schema.entities.map(\.name)) == ["Trip", "Stop", "Guide"])
    }

    @Test("s.8 pending models are listed by what the next save does")
    func pending() throws {
        let (changed, deleted) = (try saved("C"), try saved("D"))
        #expect(!context.hasChanges)
        changed.days = 2
        context.delete(deleted)
        let inserted = Trip(name: "I")
        context.insert(inserted)
        #expect(context.insertedModelsArray.map { $0 as? Trip } == [inserted])
        #expect(context.changedModelsArray.map { $0 as? Trip } == [changed])
        #expect(context.deletedModelsArray.map { $0 as? Trip } == [deleted])
        #expect(context.hasChanges)
        #expect(changed.hasChanges && inserted.hasChanges)
        try context.save()
        #expect(context.insertedModelsArray.isEmpty && context.changedModelsArray.isEmpty)
        #expect(context.deletedModelsArray.isEmpty && !context.hasChanges)
    }

    @Test("s.25 the notifications of a save have the identifiers by key and by the key's name")
    func userInfo() throws {
        nonisolated(unsafe) var info: [AnyHashable: Any] = [:]
        let (changed, deleted) = (try saved("C"), try saved("D"))
        let token = NotificationCenter.default.addObserver(
            forName: ModelContext.didSave, object: context, queue: nil
        ) { info = $0.userInfo ?? [:] }
        defer { NotificationCenter.default.removeObserver(token) }
        changed.days = 2
        let deletedID = deleted.persistentModelID
        context.delete(deleted)
        let inserted = try saved("I")
        let expected: [(ModelContext.NotificationKey, PersistentIdentifier)] = [
            (.insertedIdentifiers, inserted.persistentModelID), (.updatedIdentifiers, changed.persistentModelID),
            (.deletedIdentifiers, deletedID),
        ]
        for (key, id) in expected {
            #expect(info[key] as? [PersistentIdentifier] == [id])
            #expect(info[key.rawValue] as? [PersistentIdentifier] == [id])
        }
    }
}

@Model
final class Team {
    var name: String
    @Relationship(deleteRule: .deny, minimumModelCount: 1, maximumModelCount: 2) var players: [Player] = []

    init(name: String) { self.name = name }
}

@Model
final class Player {
    var name: String

    init(name: String) { self.name = name }
}

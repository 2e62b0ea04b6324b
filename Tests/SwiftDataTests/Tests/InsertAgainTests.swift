import Foundation
import Observation
import SwiftData
import Testing

@Suite("Models that left their context, or are about to, and come back")
struct InsertAgainTests {
    let container: ModelContainer
    let context: ModelContext

    init() throws {
        container = try ModelContainer(
            for: Trip.self, Account.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        context = ModelContext(container)
    }

    private func saved<T: PersistentModel>(_ type: T.Type) throws -> Int {
        try ModelContext(container).fetchCount(FetchDescriptor<T>())
    }

    @Test("to insert a deleted model before the save takes the deletion back")
    func deleted() throws {
        let trip = Trip(name: "A")
        context.insert(trip)
        try context.save()
        context.delete(trip)
        context.insert(trip)
        #expect(!trip.isDeleted)
        try context.save()
        #expect(try saved(Trip.self) == 1)
    }

    @Test("a new model that went with its owner can be inserted, or given to another one", arguments: [true, false])
    func cascaded(isGiven: Bool) throws {
        let (trip, stop) = (Trip(name: "A"), Stop(title: "s"))
        trip.stops = [stop]
        context.insert(trip)
        context.delete(trip)
        #expect(stop.modelContext == nil)
        if isGiven {
            let other = Trip(name: "B")
            context.insert(other)
            other.stops.append(stop)
        } else {
            context.insert(stop)
        }
        try context.save()
        #expect(try saved(Stop.self) == 1)
    }

    @Test("a model whose insertion was undone can be inserted")
    func undone() throws {
        let manager = UndoManager()
        manager.groupsByEvent = false
        context.undoManager = manager
        let trip = Trip(name: "A")
        context.insert(trip)
        context.processPendingChanges()
        manager.undo()
        context.processPendingChanges()
        #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 0)
        context.insert(trip)
        try context.save()
        #expect(try saved(Trip.self) == 1)
    }

    @Test("a new model leaves with the owner that nobody has, and is inserted with it", arguments: [true, false])
    func owner(isUndo: Bool) throws {
        let manager = UndoManager()
        manager.groupsByEvent = false
        context.undoManager = manager
        let stop = Stop(title: "s")
        context.insert(Trip(name: "A"))
        stop.trip = try context.fetch(FetchDescriptor<Trip>()).first
        context.processPendingChanges()
        if isUndo {
            while manager.canUndo { manager.undo() }
            context.processPendingChanges()
        } else {
            context.rollback()
        }
        #expect(stop.modelContext == nil && stop.trip?.modelContext == nil)
        #expect(stop.trip?.name == "A")
        context.insert(stop)
        try context.save()
        #expect(try saved(Trip.self) == 1)
        #expect(stop.trip?.stops == [stop])
    }

    enum Leaving: CaseIterable { case rollback, undo, transaction, deletion }

    @Test("a new model that leaves keeps its members, and is inserted with them", arguments: Leaving.allCases)
    func members(way: Leaving) throws {
        let manager = UndoManager()
        manager.groupsByEvent = false
        context.undoManager = manager
        let trip = Trip(name: "A")
        func insert() {
            context.insert(trip)
            trip.stops = [Stop(title: "s"), Stop(title: "t")]
        }
        switch way {
        case .rollback:
            insert()
            context.rollback()
        case .undo:
            insert()
            context.processPendingChanges()
            manager.undo()
            context.processPendingChanges()
        case .transaction:
            try? context.transaction {
                insert()
                throw CancellationError()
            }
        case .deletion:
            insert()
            context.delete(trip)
        }
        #expect(trip.modelContext == nil)
        #expect(trip.stops.map(\.title).sorted() == ["s", "t"])
        context.insert(trip)
        try context.save()
        #expect(try saved(Stop.self) == 2)
        #expect(trip.stops.map(\.title).sorted() == ["s", "t"])
    }

    @Test("a model whose saved deletion is undone is the same object, and in its context")
    func undoneDeletion() throws {
        let manager = UndoManager()
        manager.groupsByEvent = false
        context.undoManager = manager
        let trip = Trip(name: "A")
        context.insert(trip)
        try context.save()
        context.delete(trip)
        try context.save()
        manager.undo()
        context.processPendingChanges()
        #expect(!trip.isDeleted)
        #expect(try context.fetch(FetchDescriptor<Trip>()).first === trip)
    }

    @Test("observers of a property hear of a rollback and of an undo", arguments: [true, false])
    func observation(isUndo: Bool) throws {
        context.undoManager = UndoManager()
        let trip = Trip(name: "A", days: 1)
        context.insert(trip)
        try context.save()
        trip.days = 2
        context.processPendingChanges()
        nonisolated(unsafe) var count = 0
        withObservationTracking { _ = trip.days } onChange: { count += 1 }
        if isUndo { context.undoManager?.undo() } else { context.rollback() }
        #expect(trip.days == 1)
        #expect(count == 1)
    }

    @Test("a model that stands for another one is deleted with it")
    func standIn() throws {
        let first = Account(mail: "a@x", nick: "a", number: 1)
        context.insert(first)
        try context.save()
        let second = Account(mail: "b@x", nick: "a", number: 2)
        context.insert(second)
        try context.save()
        context.delete(first)
        try context.save()
        #expect(first.isDeleted && first.modelContext == nil)
        #expect(second.isDeleted && second.modelContext == nil)
        context.delete(second)
    }

    @Test("a deleted model that is inserted again has the partner that it had, read before or not",
        arguments: [true, false], [true, false])
    func partner(isRead: Bool, isPartnerRead: Bool) throws {
        let container = try ModelContainer(
            for: Rack.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let (context, rack, tome) = (ModelContext(container), Rack(1, 1), Tome(2, 2))
        rack.shown = tome
        context.insert(rack)
        try context.save()
        let other = ModelContext(container)
        let (same, partner) = (
            try #require(try other.fetch(FetchDescriptor<Tome>()).first),
            try #require(try other.fetch(FetchDescriptor<Rack>()).first))
        if isRead { #expect(same.showing === partner) }
        if isPartnerRead { #expect(partner.shown === same) }
        other.delete(same)
        try other.save()
        #expect(partner.shown == nil)
        #expect(same.showing === partner)
        other.insert(same)
        #expect(partner.shown === same)
        try other.save()
        #expect(try context.fetch(FetchDescriptor<Rack>()).first?.shown?.number == 2)
    }

    @Test("a deletion that is taken back leaves the models that it had read to nobody", arguments: [true, false])
    func revertedDeletion(isRollback: Bool) throws {
        let container = try ModelContainer(
            for: Rack.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let (context, tome) = (ModelContext(container), Tome(2, 2))
        weak let rack: Rack?
        do {
            let owner = Rack(1, 1)
            owner.shown = tome
            context.insert(owner)
            try context.save()
            context.delete(tome)
            if isRollback { context.rollback() } else { context.insert(tome) }
            rack = owner
        }
        #expect(rack == nil)
        #expect(tome.showing?.number == 1)
    }

    @Test("a model that is deleted elsewhere leads to the same deleted model as before")
    func deletedElsewhere() throws {
        let container = try ModelContainer(
            for: Parcel.self, ParcelLabel.self, Receipt.self,
            configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let (context, other) = (ModelContext(container), ModelContext(container))
        let parcel = Parcel(number: 1)
        context.insert(parcel)
        context.insert(ParcelLabel(parcel: parcel))
        try context.save()
        let label = try #require(try other.fetch(FetchDescriptor<ParcelLabel>()).first)
        let same = label.parcel
        #expect(same.number == 1)
        context.delete(parcel)
        try context.save()
        #expect(try other.fetchCount(FetchDescriptor<Parcel>()) == 0)
        #expect(same.isDeleted && label.isDeleted)
        #expect(label.parcel === same)
        #expect(label.parcel.modelContext == nil)
    }
}

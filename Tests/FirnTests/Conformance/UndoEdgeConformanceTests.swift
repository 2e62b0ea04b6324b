import Firn
import FirnModel
import Foundation
import StoreSupport
import Testing

/// Undoing deletions after others saved, or after what was left was read.
@Suite("Conformance (m): undoing deletions")
struct UndoEdgeConformanceTests {
    private static func undoManager(_ context: NSManagedObjectContext) {
        context.undoManager = UndoManager()
        context.undoManager?.groupsByEvent = false
    }

    /// One step of the undo manager.
    private static func step(_ context: NSManagedObjectContext, _ body: () throws -> Void) rethrows {
        context.undoManager?.beginUndoGrouping()
        try body()
        context.processPendingChanges()
        context.undoManager?.endUndoGrouping()
    }

    /// What a guest and a room's deletion, undone after another save gave the room to Bob, leaves.
    struct Move: Sendable, CustomStringConvertible {
        let deleted: String
        let isMerged: Bool

        var description: String { "\(deleted) deleted, \(isMerged ? "merged" : "not merged")" }
    }

    private static let moves = ["Ada", "1"].flatMap { deleted in
        [true, false].map { Move(deleted: deleted, isMerged: $0) }
    }

    @Test("m.42 both sides of a one-to-one agree when a deletion is undone after another save moved the partner")
    func movedPartner() throws {
        for move in Self.moves {
            let coordinator = try Library.inMemory(Stay.model())
            let maker = coordinator.context()
            let (ada, room) = (maker.make("Guest", ["name": "Ada"]), maker.make("Room", ["name": "1"]))
            for name in ["Bob", "Cid"] { _ = maker.make("Guest", ["name": name]) }
            _ = maker.make("Room", ["name": "2"])
            ada.setValue(room, forKey: "room")
            try maker.save()
            for isRoom in [false, true] {
                let (here, there) = (try Stay(coordinator.context()), try Stay(coordinator.context()))
                Self.undoManager(here.context)
                let before = try here.stored()
                Self.step(here.context) { here.context.delete(here.objects[move.deleted]!) }
                if isRoom {
                    there.objects["Ada"]?.setValue(there.objects["2"], forKey: "room")
                } else {
                    there.objects["1"]?.setValue(there.objects["Bob"], forKey: "guest")
                }
                let saved = try #require(try there.context.saveNotification())
                if move.isMerged { here.context.mergeChanges(fromContextDidSave: saved) }
                here.context.undo()
                let shown = here.shown()
                for (name, partner) in shown {
                    if let partner { #expect(shown[partner] == .some(.some(name)), "\(move), \(isRoom): \(shown)") }
                }
                #expect(!here.objects[move.deleted]!.isDeleted)
                here.context.undoManager = nil
                try here.save(.mergeByPropertyObjectTrump)
                let stored = try here.stored()
                for (name, partner) in stored {
                    if let partner { #expect(stored[partner] == .some(.some(name)), "\(move), \(isRoom): \(stored)") }
                }
                // As it was, for the next turn.
                let last = try Stay(coordinator.context())
                for name in ["Ada", "Bob", "Cid"] { last.objects[name]?.setValue(nil, forKey: "room") }
                last.objects["Ada"]?.setValue(last.objects["1"], forKey: "room")
                try last.save(.overwrite)
                #expect(try last.stored() == before, "\(move)")
            }
        }
    }

    @Test("m.42 a member of a one-way relationship is one again when its deletion is undone", arguments: [true, false])
    func oneWay(isRead: Bool) throws {
        let coordinator = try Library.inMemory(try ModelText.model(
            """
            Team: name String, players ->> Player
            Player: name String
            """))
        let maker = coordinator.context()
        let reds = maker.make("Team", ["name": "Reds"])
        reds.setValue(NSSet(object: maker.make("Player", ["name": "Ada"])), forKey: "players")
        try maker.save()
        let context = coordinator.context()
        Self.undoManager(context)
        let team = try #require(try context.all("Team").first)
        let ada = try #require(try context.all("Player").first)
        Self.step(context) { context.delete(ada) }
        if isRead { _ = team.value(forKey: "players") }
        context.undo()
        #expect(team.value(forKey: "players") as? Set<NSManagedObject> == [ada])
    }

    /// Which of a team's members were read before one of them is deleted, and then brought back by an undo.
    enum Reading: String, CaseIterable, Sendable { case never, before, afterwards }

    @Test(
        "m.42 a member whose deletion is undone is a member again, whenever the others were read",
        arguments: Reading.allCases, [false, true])
    func loadedMembers(reading: Reading, isOrdered: Bool) throws {
        let coordinator = try Library.inMemory(try ModelText.model(
            """
            Team: name String, players ->> Player.team\(isOrdered ? " ordered" : "")
            Player: name String, team -> Team.players
            """))
        let maker = coordinator.context()
        let reds = maker.make("Team", ["name": "Reds"])
        for name in ["Ada", "Bob", "Cid"] { maker.make("Player", ["name": name]).setValue(reds, forKey: "team") }
        try maker.save()
        let context = coordinator.context()
        Self.undoManager(context)
        let team = try #require(try context.all("Team").first)
        func members() -> [String] {
            let found = team.value(forKey: "players")
            let objects = (found as? NSOrderedSet)?.array ?? (found as? NSSet)?.allObjects ?? []
            let names = objects.compactMap { ($0 as? NSManagedObject)?.value(forKey: "name") as? String }
            return isOrdered ? names : names.sorted()
        }
        if reading == .before { _ = members() }
        let bob = try #require(try context.all("Player").first { $0.value(forKey: "name") as? String == "Bob" })
        Self.step(context) { context.delete(bob) }
        if reading == .afterwards { #expect(members() == ["Ada", "Cid"]) }
        context.undo()
        #expect(members() == ["Ada", "Bob", "Cid"])
        context.redo()
        #expect(members() == ["Ada", "Cid"])
        context.undo()
        #expect(members() == ["Ada", "Bob", "Cid"])
        try context.save()
        let reader = coordinator.context()
        let stored = try #require(try reader.all("Team").first?.value(forKey: "players"))
        #expect(((stored as? NSOrderedSet)?.count ?? (stored as? NSSet)?.count) == 3)
    }

    @Test(
        "m.42 the undo of an owner's deletion brings its members back, though both were refreshed meanwhile",
        arguments: [false, true])
    func refreshedOwner(isSaved: Bool) throws {
        let (context, reds, ada) = try Self.team()
        Self.step(context) { context.delete(reds) }
        context.refreshAllObjects()
        if isSaved { try context.save() }
        context.undo()
        #expect(reds.value(forKey: "players") as? Set<NSManagedObject> == [ada])
    }

    /// A team with one player, both read in a context that undoes.
    private static func team() throws -> (NSManagedObjectContext, team: NSManagedObject, player: NSManagedObject) {
        let coordinator = try Library.inMemory(try ModelText.model(
            """
            Team: name String, players ->> Player.team
            Player: name String, team -> Team.players
            """))
        let context = coordinator.context()
        let (reds, ada) = (context.make("Team", ["name": "Reds"]), context.make("Player", ["name": "Ada"]))
        ada.setValue(reds, forKey: "team")
        try context.save()
        undoManager(context)
        return (context, reds, ada)
    }

    @Test("m.42 the redo of a deletion ends a membership that was read since", arguments: [false, true])
    func redoneAfterRefresh(isReadBefore: Bool) throws {
        let (context, reds, ada) = try Self.team()
        context.refreshAllObjects()
        if isReadBefore { _ = (reds.value(forKey: "players") as? NSSet)?.count }
        Self.step(context) { context.delete(ada) }
        context.refreshAllObjects()
        context.undo()
        context.refreshAllObjects()
        #expect(reds.value(forKey: "players") as? Set<NSManagedObject> == [ada])
        context.redo()
        #expect(reds.value(forKey: "players") as? Set<NSManagedObject> == [])
        context.undo()
        #expect(reds.value(forKey: "players") as? Set<NSManagedObject> == [ada])
    }

    @Test("m.42 the undo of an owner's deletion leaves out a member that was deleted before", arguments: [false, true])
    func deletedOneByOne(isRead: Bool) throws {
        let (context, reds, ada) = try Self.team()
        context.refreshAllObjects()
        Self.step(context) { context.delete(ada) }
        context.refreshAllObjects()
        Self.step(context) { context.delete(reds) }
        context.refreshAllObjects()
        if isRead { _ = (reds.value(forKey: "players") as? NSSet)?.count }
        context.undo()
        #expect(reds.value(forKey: "players") as? Set<NSManagedObject> == [])
        context.undo()
        #expect(reds.value(forKey: "players") as? Set<NSManagedObject> == [ada])
    }

    @Test("m.42 both sides of a one-to-one agree when the undo of a saved deletion loses the partner to another save")
    func lostPartner() throws {
        for policy in [NSMergePolicy.mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite] {
            let coordinator = try Library.inMemory(Stay.model())
            let maker = coordinator.context()
            for name in ["Ada", "Bob"] { _ = maker.make("Guest", ["name": name]) }
            _ = maker.make("Room", ["name": "1"])
            try maker.save()
            // Read before Ada moves in.
            let (here, there) = (try Stay(coordinator.context()), try Stay(coordinator.context()))
            _ = there.shown()
            try here.moveIn("Ada")
            there.set("Bob")
            Self.undoManager(here.context)
            Self.step(here.context) { here.context.delete(here.objects["Ada"]!) }
            try here.context.save()
            here.context.undo()
            try there.save(.mergeByPropertyObjectTrump)
            try here.save(policy)
            let stored = try here.stored()
            for (name, partner) in stored {
                if let partner { #expect(stored[partner] == .some(.some(name)), "\(policy.mergeType): \(stored)") }
            }
            #expect(stored.keys.contains("Ada"))
        }
    }
}

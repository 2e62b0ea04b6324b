import Firn
import FirnFoundation
import FirnModel
import Foundation
import StoreSupport
import Testing

/// What an object loses because its partner goes elsewhere is no value of its own: it comes back when the partner does,
/// and gives way to what another save gave it.
@Suite("One-to-one losses that follow")
struct FollowingLossTests {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Stay.model())

    /// Ada, in room 1, and Bob, Eve and rooms 2 and 3.
    init() throws {
        _ = try coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
        let maker = coordinator.context()
        try maker.performAndWait {
            for name in ["Ada", "Bob", "Eve"] { _ = maker.make("Guest", ["name": name]) }
            for name in ["1", "2", "3"] { _ = maker.make("Room", ["name": name]) }
            try maker.save()
        }
        let stay = try Stay(maker)
        stay.give("1", to: "Ada")
        try stay.save(.error)
    }

    /// A context that has read everything.
    private func stay() throws -> Stay { try Stay(coordinator.context()) }

    @Test(
        "a guest whose room is not given away after all is in it again, if the new guest is there or not",
        arguments: [true, false])
    func takenBack(_ isGone: Bool) throws {
        let (here, there) = (try stay(), try stay())
        here.give("1", to: "Bob")
        there.context.performAndWait {
            there.objects["1"]?.setValue("1", forKey: "name")
            if isGone { there.objects["Bob"].map(there.context.delete) }
        }
        try there.save(.error)
        try here.save(.rollback)
        #expect(try here.stored().filter { $0.value != nil } == ["Ada": "1", "1": "Ada"])
        #expect(here.shown(but: nil) == ["Ada": "1", "1": "Ada"])
    }

    @Test("a guest whose room is given away here is in the one that another save gave, when this side wins")
    func movedElsewhere() throws {
        let (here, there) = (try stay(), try stay())
        here.give("1", to: "Bob")
        there.give("2", to: "Ada")
        try there.save(.error)
        try here.save(.mergeByPropertyObjectTrump)
        #expect(
            try here.stored() == ["Ada": "2", "Bob": "1", "Eve": nil, "1": "Bob", "2": "Ada", "3": nil])
    }

    @Test("a guest who is set to no room here has none, when this side wins")
    func setToNothing() throws {
        let (here, there) = (try stay(), try stay())
        here.give("1", to: nil)
        there.give("2", to: "Ada")
        try there.save(.error)
        try here.save(.mergeByPropertyObjectTrump)
        #expect(try here.stored().filter { $0.value != nil } == [:])
    }

    @Test(
        "a room that was left for one that is deleted elsewhere has the guest that a third save gave it",
        arguments: [true, false])
    func leftForNothing(_ atOnce: Bool) throws {
        let (here, there, third) = (try stay(), try stay(), try stay())
        here.give("2", to: "Ada")
        there.context.performAndWait { there.objects["2"].map(there.context.delete) }
        let deletion = try there.saved()
        third.give("1", to: "Bob")
        let gift = try third.saved()
        here.context.performAndWait {
            if atOnce { return here.context.refreshAllObjects() }
            here.context.mergeChanges(fromContextDidSave: deletion)
            here.context.mergeChanges(fromContextDidSave: gift)
        }
        #expect(here.shown(but: "2") == ["Bob": "1", "1": "Bob"])
    }

    @Test("a child's guest whose new room its parent never saved is in the old one again, which the parent has saved")
    func neverSaved() throws {
        let parent = try stay()
        try parent.context.performAndWait {
            let cid = parent.context.make("Guest", ["name": "Cid"])
            let (old, new) = (parent.context.make("Room", ["name": "4"]), parent.context.make("Room", ["name": "5"]))
            cid.setValue(old, forKey: "room")
            let child = try Stay(parent.context.makeChild())
            parent.context.delete(new)
            try parent.context.save()
            child.give("5", to: "Cid")
            child.context.performAndWait { child.context.refreshAllObjects() }
            #expect(child.shown()["Cid"] == "4")
            #expect(child.shown()["4"] == "Cid")
        }
    }

    @Test("a guest who came into a room that was given away and deleted here is without it, which is a change")
    func givenAwayAndDeleted() throws {
        let (here, there) = (try stay(), try stay())
        here.give("2", to: "Bob")
        here.context.performAndWait { here.objects["2"].map(here.context.delete) }
        there.give("2", to: "Ada")
        try there.save(.error)
        here.context.performAndWait {
            here.context.refreshAllObjects()
            #expect(Set(here.context.updatedObjects.map { $0.text("name") }) == ["Ada", "Bob"])
        }
        #expect(here.shown()["Ada"] == .some(nil))
        try here.save(.error)
        #expect(try here.stored().filter { $0.value != nil } == [:])
    }

    @Test("a room that its guest left before it was deleted and saved is empty when that is undone")
    func undoneDeletion() throws {
        let here = try stay()
        try here.withUndo { step in
            step { here.give("2", to: "Ada") }
            step { here.objects["1"].map(here.context.delete) }
            try here.context.save()
            here.context.undo()
        }
        #expect(here.shown(but: nil) == ["Ada": "2", "2": "Ada"])
    }

    @Test(
        "a guest who was given a room after its deletion here has it once that is undone, unless it was given away",
        arguments: [false, true])
    func givenAfterDeletion(_ isGivenAway: Bool) throws {
        let (here, there) = (try stay(), try stay())
        there.give("2", to: "Bob")
        try here.withUndo { step in
            step { here.objects["Bob"].map(here.context.delete) }
            try there.save(.error)
            here.context.refreshAllObjects()
            here.context.undoManager?.disableUndoRegistration()
            if isGivenAway { here.give("2", to: "Eve") }
            try here.context.save()
            here.context.undoManager?.enableUndoRegistration()
            here.context.undo()
        }
        let guest = isGivenAway ? "Eve" : "Bob"
        #expect(here.shown(but: nil) == ["Ada": "1", "1": "Ada", guest: "2", "2": guest])
        try here.save(.error)
        #expect(try here.stored().compactMapValues { $0 } == ["Ada": "1", "1": "Ada", guest: "2", "2": guest])
    }

    @Test("a guest who was deleted has its room again when that is undone, though all was refreshed meanwhile")
    func refreshedDeletion() throws {
        let here = try stay()
        here.withUndo { step in
            step { here.objects["Ada"].map(here.context.delete) }
            here.context.refreshAllObjects()
            here.context.undo()
        }
        #expect(here.shown(but: nil) == ["Ada": "1", "1": "Ada"])
    }

    @Test("a guest who was given the room it has, and deleted, has it again when that is undone")
    func sameRoomAndDeletion() throws {
        let here = try stay()
        here.withUndo { step in
            step { here.objects["Ada"]?.setValue(here.objects["1"], forKey: "room") }
            step { here.objects["Ada"].map(here.context.delete) }
            here.context.undo()
        }
        #expect(here.shown(but: nil) == ["Ada": "1", "1": "Ada"])
    }

    @Test("a guest whose deletion is undone, and whose room is given away, is in the one that another save gave")
    func undoneDeletionOfGuest() throws {
        let (here, there) = (try stay(), try stay())
        there.give("2", to: "Ada")
        try here.withUndo { step in
            step { here.give("1", to: "Bob") }
            step { here.objects["Ada"].map(here.context.delete) }
            here.context.undo()
            try there.save(.error)
            here.context.refreshAllObjects()
        }
        #expect(here.shown(but: nil) == ["Bob": "1", "1": "Bob", "Ada": "2", "2": "Ada"])
    }

    @Test("a room that its guest left here has whom another save gave it, if saves before that had given it away")
    func givenTwice() throws {
        let (here, there) = (try stay(), try stay())
        func save(_ guest: String) throws {
            there.give("1", to: guest)
            try there.save(.error)
            here.context.performAndWait { here.context.refreshAllObjects() }
        }
        here.give("3", to: "Ada")
        try save("Bob")
        #expect(here.shown(but: nil) == ["Ada": "3", "3": "Ada", "Bob": "1", "1": "Bob"])
        try save("Ada")
        #expect(here.shown(but: nil) == ["Ada": "3", "3": "Ada"])
        here.give("3", to: "Eve")
        try save("Bob")
        #expect(here.shown(but: nil) == ["Eve": "3", "3": "Eve", "Bob": "1", "1": "Bob"])
    }

    @Test("a guest whose move is undone here, which another save made too, has moved once that is merged")
    func undone() throws {
        let (here, there) = (try stay(), try stay())
        there.give("2", to: "Bob")
        try here.withUndo { step in
            step { here.give("2", to: "Bob") }
            try there.save(.error)
            here.context.undo()
            #expect(here.shown(but: nil) == ["Ada": "1", "1": "Ada"])
            here.context.refreshAllObjects()
        }
        #expect(here.shown(but: nil) == ["Ada": "1", "1": "Ada", "Bob": "2", "2": "Bob"])
    }

    @Test("a guest whose move is undone, and whose old room is given away, is in the one that another save gave")
    func undoneMove() throws {
        let (here, there) = (try stay(), try stay())
        there.give("3", to: "Ada")
        try here.withUndo { step in
            step { here.give("1", to: "Bob") }
            step { here.give("2", to: "Ada") }
            here.context.undo()
            try there.save(.error)
            here.context.refreshAllObjects()
        }
        #expect(here.shown(but: nil) == ["Bob": "1", "1": "Bob", "Ada": "3", "3": "Ada"])
    }

    @Test("a guest set to no room has none, whatever another save gave it, once giving that room away is undone")
    func undoneGift() throws {
        let (here, there) = (try stay(), try stay())
        there.give("2", to: "Ada")
        try here.withUndo { step in
            step { here.give("1", to: nil) }
            step { here.give("1", to: "Bob") }
            here.context.undo()
            try there.save(.error)
            here.context.refreshAllObjects()
        }
        #expect(here.shown(but: nil).isEmpty)
    }

    @Test(
        "a room left for one that was then given back has nobody, whoever is refreshed first",
        arguments: [["2", "Ada", "1", "Bob"], ["Ada", "2", "1", "Bob"]])
    func givenBack(_ order: [String]) throws {
        let (here, there) = (try stay(), try stay())
        there.give("2", to: "Bob")
        try there.save(.error)
        here.context.performAndWait { here.context.refreshAllObjects() }
        for guest in ["Bob", "Ada"] { here.give("1", to: guest) }
        there.give("2", to: "Ada")
        try there.save(.error)
        here.context.performAndWait {
            for name in order { here.objects[name].map { here.context.refresh($0, mergeChanges: true) } }
        }
        #expect(here.shown(but: nil).isEmpty)
    }

    @Test("a guest whose room is given away has changed")
    func persistentChange() throws {
        let here = try stay()
        here.give("1", to: "Bob")
        here.context.performAndWait {
            #expect(here.objects["Ada"]?.hasPersistentChangedValues == true)
            here.give("1", to: "Ada")
            #expect(here.objects["Ada"]?.hasPersistentChangedValues == false)
        }
    }

    @Test("to give a new guest the room it had in the parent is no change that a child's save takes there")
    func sameRoom() throws {
        let parent = try stay()
        try parent.context.performAndWait {
            let cid = parent.context.make("Guest", ["name": "Cid"])
            cid.setValue(parent.objects["2"], forKey: "room")
            let child = try Stay(parent.context.makeChild())
            for room in ["3", "2"] { child.give(room, to: "Cid") }
            cid.setValue(parent.objects["3"], forKey: "room")
            try child.save(.error)
            #expect(parent.shown(but: nil) == ["Ada": "1", "1": "Ada", "3": "Cid"])
            #expect((cid.value(forKey: "room") as? NSManagedObject)?.text("name") == "3")
        }
    }

    @Test("a room that falls back to a guest who is deleted here is left by it")
    func fallsBack() throws {
        let (here, there, third) = (try stay(), try stay(), try stay())
        here.give("1", to: "Bob")
        here.context.performAndWait { here.objects["Eve"].map(here.context.delete) }
        there.give("1", to: "Eve")
        let gift = try there.saved()
        third.context.performAndWait { third.objects["Bob"].map(third.context.delete) }
        let deletion = try third.saved()
        here.context.performAndWait {
            here.context.mergeChanges(fromContextDidSave: gift)
            here.context.mergeChanges(fromContextDidSave: deletion)
        }
        #expect(here.shown(but: "Bob").isEmpty)
        try here.save(.error)
        #expect(try here.stored() == ["Ada": nil, "1": nil, "2": nil, "3": nil])
    }

    @Test("a child shows nobody in a room that it gave away, whom its parent had led elsewhere before the child's save")
    func readBefore() throws {
        let parent = try stay()
        let child = try Stay(parent.context.makeChild())
        child.give("1", to: "Bob")
        parent.give("1", to: "Eve")
        child.context.performAndWait { child.context.refreshAllObjects() }
        #expect(child.shown(but: nil) == ["Bob": "1", "1": "Bob"])
        parent.give("1", to: "Ada")
        try child.save(.error)
        #expect(child.shown(but: nil) == ["Bob": "1", "1": "Bob"])
        #expect(parent.shown(but: nil) == ["Bob": "1", "1": "Bob"])
    }

    @Test("a child's save takes nobody out of a room that its parent gave away meanwhile")
    func givenAwayMeanwhile() throws {
        let parent = try stay()
        parent.give("2", to: "Bob")
        let child = try Stay(parent.context.makeChild())
        child.give("2", to: "Ada")
        parent.give("1", to: "Bob")
        try child.save(.error)
        #expect(parent.shown(but: nil) == ["Ada": "2", "2": "Ada", "Bob": "1", "1": "Bob"])
    }

    @Test("a child's save leaves a guest where its parent led it meanwhile")
    func ledElsewhere() throws {
        let parent = try stay()
        let child = try Stay(parent.context.makeChild())
        child.give("2", to: "Bob")
        parent.give("2", to: "Ada")
        child.context.performAndWait { child.context.refreshAllObjects() }
        child.give("3", to: "Bob")
        parent.give("1", to: "Ada")
        try child.save(.error)
        #expect(parent.shown(but: nil) == ["Ada": "1", "1": "Ada", "Bob": "3", "3": "Bob"])
    }
}

extension Stay {
    /// Who is in which room, and the other way round, without those who have none and one that is deleted.
    fileprivate func shown(but deleted: String?) -> [String: String] {
        shown().compactMapValues { $0 }.filter { $0.key != deleted }
    }

    func give(_ room: String, to guest: String?) {
        context.performAndWait { objects[room]?.setValue(guest.flatMap { objects[$0] }, forKey: "guest") }
    }

    /// Saves, and gives what others are told.
    func saved() throws -> Notification {
        try context.performAndWait { try #require(try context.saveNotification()) }
    }

    /// Runs `body` in the context with an undo manager; what it passes to the function that it is given is one step.
    func withUndo(_ body: ((() -> Void) -> Void) throws -> Void) rethrows {
        try context.performAndWait {
            let manager = FirnFoundation.UndoManager()
            manager.groupsByEvent = false
            context.undoManager = manager
            try body { step in
                manager.beginUndoGrouping()
                step()
                context.processPendingChanges()
                manager.endUndoGrouping()
            }
        }
    }
}

import Firn
import FirnModel
import StoreSupport
import Testing

/// Both sides of a one-to-one relationship are stored; contexts that change one side each still leave the two agreeing.
@Suite("One to one between contexts")
struct OneToOneTests {
    let ada: Stay
    let bob: Stay

    /// Two guests and a room, in two contexts that have all read them.
    init() throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Stay.model())
        _ = try coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
        let maker = coordinator.context()
        try maker.performAndWait {
            _ = maker.make("Guest", ["name": "Ada"])
            _ = maker.make("Guest", ["name": "Bob"])
            _ = maker.make("Room", ["name": "1"])
            try maker.save()
        }
        ada = try Stay(coordinator.context())
        bob = try Stay(coordinator.context())
    }

    @Test("the side that wins takes the room away from whom another save gave it")
    func objectTrump() throws {
        try bob.moveIn("Bob")
        try ada.moveIn("Ada", .mergeByPropertyObjectTrump)
        #expect(try ada.stored() == ["Ada": "1", "Bob": nil, "1": "Ada"])
    }

    @Test("where the store's side of the room wins, the guest has none")
    func storeTrump() throws {
        try bob.moveIn("Bob")
        try ada.moveIn("Ada", .mergeByPropertyStoreTrump)
        #expect(try ada.stored() == ["Ada": nil, "Bob": "1", "1": "Bob"])
    }

    @Test("a merge shows the other guest without the room that was given away here, and saves it so")
    func merging() throws {
        ada.set("Ada")
        try bob.moveIn("Bob")
        ada.context.performAndWait { ada.context.refreshAllObjects() }
        #expect(ada.shown() == ["Ada": "1", "Bob": nil, "1": "Ada"])
        try ada.save(.error)
        #expect(try ada.stored() == ["Ada": "1", "Bob": nil, "1": "Ada"])
    }

    @Test("a new guest of another context is without the room that is deleted here, which is a change that is saved")
    func newGuest() throws {
        ada.context.performAndWait { ada.context.delete(ada.objects["1"]!) }
        try bob.context.performAndWait {
            let cid = bob.context.make("Guest", ["name": "Cid"])
            cid.setValue(bob.objects["1"], forKey: "room")
            let saved = try #require(try bob.context.saveNotification())
            ada.context.performAndWait {
                ada.context.mergeChanges(fromContextDidSave: saved)
                #expect(ada.context.updatedObjects.map { $0.text("name") } == ["Cid"])
            }
        }
        try ada.save(.error)
        #expect(try ada.stored() == ["Ada": nil, "Bob": nil, "Cid": nil])
    }

    @Test("a guest who lost a room, and another one after it, has the one that a later save gives")
    func lostTwice() throws {
        try ada.moveIn("Ada")
        bob.context.performAndWait { bob.context.refreshAllObjects() }
        let second = ada.context.performAndWait {
            let second = ada.context.make("Room", ["name": "2"])
            ada.objects["1"]?.setValue(ada.objects["Bob"], forKey: "guest")
            second.setValue(ada.objects["Ada"], forKey: "guest")
            second.setValue(nil, forKey: "guest")
            return second
        }
        try bob.context.performAndWait {
            bob.context.make("Room", ["name": "3"]).setValue(bob.objects["Ada"], forKey: "guest")
            try bob.context.save()
        }
        ada.context.performAndWait {
            ada.context.refreshAllObjects()
            #expect((ada.objects["Ada"]?.value(forKey: "room") as? NSManagedObject)?.text("name") == "3")
            #expect(second.value(forKey: "guest") == nil)
        }
        try ada.save(.error)
        #expect(try ada.stored() == ["Ada": "3", "Bob": "1", "1": "Bob", "2": nil, "3": "Ada"])
    }

    /// Another room, "2", for a guest, by this stay.
    private func addRoom(for guest: String, by stay: Stay) throws -> NSManagedObject {
        try stay.context.performAndWait {
            let room = stay.context.make("Room", ["name": "2"])
            try stay.context.save()
            room.setValue(stay.objects[guest], forKey: "guest")
            return room
        }
    }

    @Test("a guest whose new room another save deleted is in the old one again, where the store's side wins")
    func deletedRoom() throws {
        let second = try addRoom(for: "Bob", by: bob)
        try bob.save(.error)
        try bob.moveIn("Ada")
        let (ada, eve) = (try Stay(bob.context.persistentStoreCoordinator!.context()), bob)
        ada.context.performAndWait { ada.objects["Ada"]?.setValue(ada.objects["2"], forKey: "room") }
        eve.context.performAndWait { eve.context.delete(second) }
        try eve.save(.error)
        try ada.save(.mergeByPropertyStoreTrump)
        #expect(try ada.stored() == ["Ada": "1", "Bob": nil, "1": "Ada"])
        #expect(ada.context.performAndWait { ada.objects["1"]?.value(forKey: "guest") as? NSManagedObject } != nil)
    }

    @Test("a room that is given back to the guest whom another save gave it has changed, and who reads it is told")
    func givenBack() throws {
        _ = try addRoom(for: "Ada", by: bob)
        ada.set("Ada")
        try bob.save(.error)
        ada.context.performAndWait { ada.context.refreshAllObjects() }
        let here = try Stay(ada.context)
        #expect(here.shown() == ["Ada": "1", "Bob": nil, "1": "Ada", "2": nil])
        here.context.performAndWait {
            here.objects["Ada"]?.setValue(here.objects["2"], forKey: "room")
            #expect(Set(here.context.updatedObjects.map { $0.text("name") }) == ["Ada", "1", "2"])
        }
    }

    @Test("a guest who took no room in the end keeps the one that another save gave, when this side wins")
    func emptyChange() throws {
        ada.set("Ada")
        ada.context.performAndWait { ada.objects["1"]?.setValue(ada.objects["Bob"], forKey: "guest") }
        let second = try bob.context.performAndWait {
            let room = bob.context.make("Room", ["name": "2"])
            try bob.context.save()
            room.setValue(bob.objects["Ada"], forKey: "guest")
            return room.objectID
        }
        let stale = ada.context.performAndWait { ada.context.object(with: second) }
        #expect(ada.context.performAndWait { stale.text("name") } == "2")
        try bob.save(.error)
        try ada.save(.mergeByPropertyObjectTrump)
        #expect(try ada.stored() == ["Ada": "2", "Bob": "1", "1": "Bob", "2": "Ada"])
    }

    @Test(
        "a room that was deleted elsewhere and is written again has its guest, whichever of the two is settled first",
        arguments: [true, false], [true, false])
    func writtenAgain(_ isGuestChanged: Bool, _ isGuestFirst: Bool) throws {
        try ada.moveIn("Ada")
        bob.context.performAndWait {
            bob.context.refreshAllObjects()
            bob.context.delete(bob.objects["1"]!)
        }
        try bob.save(.error)
        ada.context.performAndWait {
            let names = isGuestChanged ? ["Ada", "1"] : ["1"]
            for name in isGuestFirst ? names : names.reversed() {
                ada.objects[name]?.setValue(name + "b", forKey: "name")
            }
        }
        try ada.save(.mergeByPropertyObjectTrump)
        let guest = isGuestChanged ? "Adab" : "Ada"
        #expect(try ada.stored() == [guest: "1b", "Bob": nil, "1b": guest])
    }

    @Test(
        "a guest whose second room goes to another here has the first one back, whichever is settled first",
        arguments: [true, false])
    func secondRoom(_ isSecondFirst: Bool) throws {
        let coordinator = try #require(ada.context.persistentStoreCoordinator)
        let maker = coordinator.context()
        try maker.performAndWait {
            _ = maker.make("Room", ["name": "2"])
            try maker.save()
        }
        try ada.moveIn("Ada")
        let (here, there) = (try Stay(coordinator.context()), try Stay(coordinator.context()))
        there.context.performAndWait { there.objects["2"]?.setValue(there.objects["Ada"], forKey: "guest") }
        try there.save(.error)
        here.context.performAndWait {
            for name in isSecondFirst ? ["2", "1"] : ["1", "2"] {
                if name == "2" { here.objects[name]?.setValue(here.objects["Bob"], forKey: "guest") }
                here.objects[name]?.setValue(name, forKey: "name")
            }
        }
        try here.save(.overwrite)
        #expect(try here.stored() == ["Ada": "1", "Bob": "2", "1": "Ada", "2": "Bob"])
    }

    @Test(
        "a guest whose room is set to the guest it has, and given away elsewhere, stays in it when that is overwritten",
        arguments: [true, false])
    func overwritten(_ isRoomFirst: Bool) throws {
        try ada.moveIn("Ada")
        let (here, there) = (try Stay(ada.context.persistentStoreCoordinator!.context()), ada)
        try there.moveIn("Bob")
        here.context.performAndWait {
            for isRoom in [isRoomFirst, !isRoomFirst] {
                if isRoom {
                    here.objects["1"]?.setValue(here.objects["Ada"], forKey: "guest")
                } else {
                    here.objects["Bob"]?.setValue("Bob", forKey: "name")
                }
            }
        }
        try here.save(.overwrite)
        #expect(try here.stored() == ["Ada": "1", "Bob": nil, "1": "Ada"])
        #expect(here.shown() == ["Ada": "1", "Bob": nil, "1": "Ada"])
    }

    @Test("a child that deletes a room which another save gave away meanwhile leaves nobody in it")
    func deletionInChild() throws {
        let child = ada.context.makeChild()
        let mine = try Stay(child)
        mine.set("Ada")
        mine.context.performAndWait { mine.objects["1"].map(child.delete) }
        try bob.context.performAndWait {
            bob.objects["1"]?.setValue(bob.objects["Bob"], forKey: "guest")
            let saved = try #require(try bob.context.saveNotification())
            for context in [ada.context, child] {
                context.performAndWait { context.mergeChanges(fromContextDidSave: saved) }
            }
        }
        try mine.save(.error)
        child.performAndWait { #expect(mine.objects["Bob"]?.value(forKey: "room") == nil) }
        #expect(ada.shown()["Bob"] == .some(nil))
        try ada.save(.error)
        #expect(try ada.stored() == ["Ada": nil, "Bob": nil])
    }

    @Test("a child that deletes a room which is new in its parent leaves nobody in it once the parent has saved")
    func deletionOfNew() throws {
        let parent = ada.context
        try parent.performAndWait {
            let room = parent.make("Room", ["name": "2"])
            let child = parent.makeChild()
            let bob = try #require(ada.objects["Bob"])
            let (mine, guest) = (child.object(with: room.objectID), child.object(with: bob.objectID))
            _ = (mine.text("name"), guest.text("name"))
            child.delete(mine)
            room.setValue(bob, forKey: "guest")
            let saved = try #require(try parent.saveNotification())
            child.performAndWait { child.mergeChanges(fromContextDidSave: saved) }
            #expect(guest.value(forKey: "room") == nil)
        }
    }

    @Test("a guest whose room is saved with the guest that it had shows nothing that another save changed")
    func sameGuest() throws {
        try ada.moveIn("Ada")
        bob.context.performAndWait {
            bob.context.refreshAllObjects()
            bob.objects["Ada"]?.setValue("Eve", forKey: "name")
        }
        try bob.save(.error)
        ada.context.performAndWait { ada.objects["1"]?.setValue(ada.objects["Ada"], forKey: "guest") }
        try ada.save(.error)
        #expect(ada.shown() == ["Ada": "1", "Bob": nil, "1": "Ada"])
        #expect(try ada.stored() == ["Eve": "1", "Bob": nil, "1": "Eve"])
    }

    @Test("a room that is deleted leaves nobody in it, whoever moved in meanwhile")
    func deletion() throws {
        try bob.moveIn("Bob")
        ada.context.performAndWait { ada.context.delete(ada.objects["1"]!) }
        try ada.save(.mergeByPropertyObjectTrump)
        #expect(try ada.stored() == ["Ada": nil, "Bob": nil])
    }
}

/// A context's guests and rooms by name.
struct Stay {
    let context: NSManagedObjectContext
    let objects: [String: NSManagedObject]

    static func model() -> NSManagedObjectModel {
        let guest = ModelSketch.entity("Guest", [ModelSketch.attribute("name")])
        let room = ModelSketch.entity("Room", [ModelSketch.attribute("name")])
        ModelSketch.relate(guest, "room", toMany: room, "guest").maxCount = 1
        return ModelSketch.model(guest, room)
    }

    init(_ context: NSManagedObjectContext) throws {
        self.context = context
        objects = try context.performAndWait {
            let all = try context.all("Guest") + context.all("Room")
            // Read now, so that the context has them as they are at first.
            return Dictionary(uniqueKeysWithValues: all.map { ($0.text("name") ?? "", $0) })
        }
    }

    func set(_ guest: String) {
        context.performAndWait { objects[guest]?.setValue(objects["1"], forKey: "room") }
    }

    func save(_ policy: NSMergePolicy) throws {
        try context.performAndWait {
            context.mergePolicy = policy
            try context.save()
        }
    }

    func moveIn(_ guest: String, _ policy: NSMergePolicy = .error) throws {
        set(guest)
        try save(policy)
    }

    /// Who has which room, and the other way round, as the context shows it.
    func shown() -> [String: String?] {
        context.performAndWait {
            objects.mapValues { object in
                let key = object.entity.name == "Guest" ? "room" : "guest"
                return (object.value(forKey: key) as? NSManagedObject)?.text("name")
            }
        }
    }

    /// The same, as another context reads it from the store.
    func stored() throws -> [String: String?] {
        try Stay(context.persistentStoreCoordinator!.context()).shown()
    }
}

import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// Saves of children on their own queues. `Tools/test` runs this with queues checked: a use elsewhere stops it.
@Suite("Children that save on their queues")
struct ChildQueueTests {
    /// A model of authors and their rooms, one to one.
    private static func model() -> NSManagedObjectModel {
        let (author, room) = (ModelSketch.entity("Author", []), ModelSketch.entity("Room", []))
        let ends = [("room", room), ("owner", author)].map { name, destination in
            let end = NSRelationshipDescription()
            end.name = name
            end.destinationEntity = destination
            end.maxCount = 1
            return end
        }
        (ends[0].inverseRelationship, ends[1].inverseRelationship) = (ends[1], ends[0])
        author.properties = [ends[0]]
        room.properties = [ends[1]]
        return ModelSketch.model(author, room)
    }

    @Test(
        "a partner that a child leads elsewhere, in a block of its queue, has none in the parent",
        arguments: [NSManagedObjectContextConcurrencyType.privateQueueConcurrencyType, .mainQueueConcurrencyType])
    func oneToOne(_ type: NSManagedObjectContextConcurrencyType) async throws {
        let root = NSManagedObjectContext(concurrencyType: type)
        root.persistentStoreCoordinator = try Library.inMemory(Self.model())
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = root
        try await child.perform {
            let (first, second) = (child.make("Author"), child.make("Author"))
            let room = child.make("Room")
            room.setValue(first, forKey: "owner")
            try child.save()
            try root.performAndWait { try root.save() }
            child.refreshAllObjects()
            second.setValue(room, forKey: "room")
            try child.save()
        }
        let owners = try await root.perform {
            try root.all("Author").filter { $0.value(forKey: "room") != nil }.count
        }
        #expect(owners == 1)
    }
}

import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// What other coordinators learn of objects that a merge policy set to what the store had.
@Suite("Conformance (m): objects that a merge policy refreshed")
struct RefreshedIDConformanceTests {
    @Test("m.42 a follower in another coordinator is told which objects a merge policy set back")
    func refreshed() throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let (near, far) = (try Library.onDisk(directory), try Library.onDisk(directory))
        let (context, other) = (near.context(), near.context())
        let made = ["Ada", "Bob"].map { context.make("Author", ["name": $0]) }
        try context.save()
        let watching = far.context()
        let seen = try watching.all("Author")
        for author in seen { _ = author.text("name") }
        let theirs = try #require(try other.all("Author").first { $0.text("name") == "Ada" })
        theirs.setValue("Eve", forKey: "name")
        try other.save()
        far.context().mergeChanges(fromContextDidSave: Notification(name: .NSManagedObjectContextDidSave))
        watching.automaticallyMergesChangesFromParent = true
        made[0].setValue("Ida", forKey: "name")
        made[1].setValue("Rob", forKey: "name")
        context.mergePolicy = NSMergePolicy.rollback
        let merged = Recorder(.NSManagedObjectContextDidMergeChangesObjectIDs, watching)
        try context.save()
        // Whoever merges a save of another coordinator has its own look for what it has not seen.
        far.context().mergeChanges(fromContextDidSave: Notification(name: .NSManagedObjectContextDidSave))
        // Or the coordinator's own look, by another thread, has the save under way.
        try waitUntil { watching.performAndWait { merged.notifications.contains { $0.ids(.updatedObjectIDs) != nil } } }
        func names(_ key: NSManagedObjectContext.NotificationKey) -> Set<String> {
            let ids = merged.notifications.flatMap { $0.ids(key) ?? [] }
            return Set(ids.map { watching.object(with: $0).text("name") ?? "?" })
        }
        #expect(names(.updatedObjectIDs) == ["Rob"])
        #expect(names(.refreshedObjectIDs) == ["Eve", "Rob"])
    }
}

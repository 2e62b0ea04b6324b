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
        watching.automaticallyMergesChangesFromParent = true
        let first = Recorder(.NSManagedObjectContextDidMergeChangesObjectIDs, watching)
        let theirs = try #require(try other.all("Author").first { $0.text("name") == "Ada" })
        theirs.setValue("Eve", forKey: "name")
        try other.save()
        try look(far) { merges(first, watching) }
        made[0].setValue("Ida", forKey: "name")
        made[1].setValue("Rob", forKey: "name")
        context.mergePolicy = NSMergePolicy.rollback
        let merged = Recorder(.NSManagedObjectContextDidMergeChangesObjectIDs, watching)
        try context.save()
        try look(far) { merges(merged, watching) }
        func names(_ key: NSManagedObjectContext.NotificationKey) -> Set<String> {
            let ids = merged.notifications.flatMap { $0.ids(key) ?? [] }
            return Set(ids.map { watching.object(with: $0).text("name") ?? "?" })
        }
        #expect(names(.updatedObjectIDs) == ["Rob"])
        #expect(names(.refreshedObjectIDs) == ["Eve", "Rob"])
    }
    /// Lets a coordinator look for saves of others, and waits until what it finds is merged: its own look, by another
    /// thread, may have them under way.
    private func look(_ coordinator: NSPersistentStoreCoordinator, until isMerged: () -> Bool) throws {
        coordinator.context().mergeChanges(fromContextDidSave: Notification(name: .NSManagedObjectContextDidSave))
        try waitUntil(isMerged)
    }

    private func merges(_ recorder: Recorder, _ context: NSManagedObjectContext) -> Bool {
        context.performAndWait { recorder.notifications.contains { $0.ids(.updatedObjectIDs) != nil } }
    }
}

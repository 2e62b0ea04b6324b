import Firn
import FirnModel
import Foundation
import TestSupport
import Testing

/// A queue of files that wait for their upload, kept across launches: the next one is the oldest that waits; a failure
/// is tried again up to three times.
@Suite("Tutorials: an upload queue")
struct UploadQueueTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func launch() throws -> NSManagedObjectContext {
        let upload = ModelSketch.entity(
            "Upload",
            [
                ModelSketch.attribute("fileName", optional: false), ModelSketch.attribute("added", .dateAttributeType),
                ModelSketch.attribute("attempts", .integer16AttributeType), ModelSketch.attribute("state"),
            ])
        upload.attributesByName["attempts"]?.defaultValue = 0
        upload.attributesByName["state"]?.defaultValue = "waiting"
        let container = NSPersistentContainer(name: "Uploads", managedObjectModel: ModelSketch.model(upload))
        container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: directory.file("Uploads.sqlite"))]
        var failure: (any Error)?
        container.loadPersistentStores { failure = $1 }
        if let failure { throw failure }
        return container.newBackgroundContext()
    }

    private func enqueue(_ names: [String], in context: NSManagedObjectContext) throws {
        for (index, name) in names.enumerated() {
            _ = context.make("Upload", ["fileName": name, "added": Date(timeIntervalSinceReferenceDate: Double(index))])
        }
        try context.save()
    }

    private func next(in context: NSManagedObjectContext) throws -> NSManagedObject? {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Upload")
        request.predicate = NSPredicate(format: "state == %@ AND attempts < %d", "waiting", 3)
        request.sortDescriptors = [
            NSSortDescriptor(key: "attempts", ascending: true), NSSortDescriptor(key: "added", ascending: true),
        ]
        request.fetchLimit = 1
        return try context.fetch(request).first
    }

    /// Serves the queue until nothing waits. Files whose names are in `broken` fail each time. Gives the order.
    private func run(_ context: NSManagedObjectContext, broken: Set<String>) throws -> [String] {
        var served: [String] = []
        while let upload = try next(in: context) {
            let name = upload.text("fileName") ?? ""
            served.append(name)
            upload.setValue((upload.number("attempts") ?? 0) + 1, forKey: "attempts")
            if !broken.contains(name) { upload.setValue("done", forKey: "state") }
            try context.save()
        }
        return served
    }

    @Test("files are served in their order, and what fails is tried three times")
    func order() throws {
        let context = try launch()
        try context.performAndWait {
            try enqueue(["a", "b", "c"], in: context)
            let served = try run(context, broken: ["a"])
            #expect(served == ["a", "b", "c", "a", "a"])
        }
    }

    @Test("what waited when the program ended waits in the next launch")
    func relaunch() throws {
        let first = try launch()
        try first.performAndWait { try enqueue(["a", "b"], in: first) }
        let second = try launch()
        let served = try second.performAndWait { try run(second, broken: []) }
        #expect(served == ["a", "b"])
    }

    @Test("what is done is removed by one batch request, and the contexts hear of it")
    func removal() throws {
        let context = try launch()
        try context.performAndWait {
            try enqueue(["a", "b"], in: context)
            _ = try run(context, broken: ["b"])
            let done = NSFetchRequest<any NSFetchRequestResult>(entityName: "Upload")
            done.predicate = NSPredicate(format: "state = 'done'")
            let request = NSBatchDeleteRequest(fetchRequest: done)
            request.resultType = .resultTypeObjectIDs
            let result = try context.execute(request) as? NSBatchDeleteResult
            let deleted = try #require(result?.result as? [NSManagedObjectID])
            NSManagedObjectContext.mergeChanges(
                fromRemoteContextSave: [NSDeletedObjectsKey: deleted], into: [context])
            let left = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Upload"))
            #expect(left.map { $0.text("fileName") } == ["b"])
        }
    }
}

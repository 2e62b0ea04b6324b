import CoreData

/// What fetches cost as of the middle of the history, and now.
struct PastCost {
    private static let runs = 30
    private let past: NSManagedObjectContext
    private let present: NSManagedObjectContext

    init(_ container: NSPersistentContainer, middle: SequenceNumber) throws {
        past = try container.newContext(asOf: .sequence(middle))
        present = container.newBackgroundContext()
    }

    /// By what factor the middle costs more, of each fetch.
    func factors() throws -> [(name: String, factor: Double)] {
        try [
            ("all files", Self.files), ("all authors", Self.authors), ("the newest commits", Self.commits),
            ("files by their path", Self.paths), ("count by two links", Self.count),
        ].map { name, fetch in (name, try time(past, fetch) / time(present, fetch)) }
    }

    /// The shortest of some runs, in seconds: what else the machine does only ever adds.
    private func time(
        _ context: NSManagedObjectContext, _ fetch: @Sendable (NSManagedObjectContext) throws -> Void
    ) throws -> Double {
        try context.performAndWait {
            var best = Double.infinity
            for _ in 0..<Self.runs {
                context.reset()
                let start = ContinuousClock.now
                try fetch(context)
                best = min(best, (ContinuousClock.now - start).seconds)
            }
            return best
        }
    }

    private static func files(_ context: NSManagedObjectContext) throws {
        let request = NSFetchRequest<File>(entityName: "File")
        request.returnsObjectsAsFaults = false
        _ = try context.fetch(request)
    }

    private static func authors(_ context: NSManagedObjectContext) throws {
        let request = NSFetchRequest<Author>(entityName: "Author")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        request.returnsObjectsAsFaults = false
        _ = try context.fetch(request)
    }

    private static func commits(_ context: NSManagedObjectContext) throws {
        let request = NSFetchRequest<Commit>(entityName: "Commit")
        request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: false)]
        request.fetchLimit = 100
        _ = try context.fetch(request)
    }

    private static func paths(_ context: NSManagedObjectContext) throws {
        let request = NSFetchRequest<File>(entityName: "File")
        request.predicate = NSPredicate(format: "path BEGINSWITH 'a'")
        _ = try context.fetch(request)
    }

    private static func count(_ context: NSManagedObjectContext) throws {
        let request = NSFetchRequest<File>(entityName: "File")
        request.predicate = NSPredicate(format: "lastCommit.author.name != nil")
        _ = try context.count(for: request)
    }
}

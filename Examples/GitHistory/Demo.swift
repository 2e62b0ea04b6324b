import CoreData
import Foundation

/// The whole demo: import, followers, checks.
struct Demo {
    let options: Options

    /// Gives the status to end with.
    func run() throws -> Int32 {
        let repository = try GitRepository(options.repository)
        guard let head = try repository.head() else {
            say("\(options.repository): no commit yet, nothing to import")
            return 0
        }
        let tool = try Tool(options.tool, store: options.store)
        let container = try Self.open(options.store)
        let context = container.newBackgroundContext()
        context.name = "import"
        let mirror = try Mirror(container.newBackgroundContext())
        mirror.follow(context)
        let tail = try Tail(tool, after: try tool.head())

        let saves = try context.performAndWait {
            try importCommits(of: repository, head: head, into: context)
        }

        mirror.stop()
        let end = try tool.head()
        tail.stop(atEnd: end)

        var checks = Checks()
        let differences = try mirror.differences(from: container.newBackgroundContext())
        checks.report(
            "the second context's graph equals the store's: \(mirror.count) objects",
            differences.first.map { "\($0) (\(differences.count) differences)" })
        checks.report(
            "another process saw every change set once and in order: \(saves.count) of \(saves.count)",
            tail.difference(atEnd: end, saves: saves))
        try check(repository, container, tool, &checks)
        return checks.failed ? 1 : 0
    }

    static func open(_ path: String) throws -> NSPersistentContainer {
        guard let url = Bundle.module.url(forResource: "GitHistory", withExtension: "xcdatamodeld"),
            let model = NSManagedObjectModel(contentsOf: url)
        else {
            throw DemoError(
                "the model GitHistory.xcdatamodeld is not next to the program: build it again")
        }
        let container = NSPersistentContainer(name: "GitHistory", managedObjectModel: model)
        container.persistentStoreDescriptions = [
            NSPersistentStoreDescription(url: URL(filePath: path))
        ]
        var failure: (any Error)?
        container.loadPersistentStores { _, error in failure = error }
        if let failure { throw DemoError(failure.localizedDescription) }
        return container
    }

    /// Gives the author of each save that was made.
    private func importCommits(
        of repository: GitRepository, head: Data, into context: NSManagedObjectContext
    ) throws -> [String] {
        let importer = try Importer(context)
        let done = importer.last?.number ?? 0
        if let last = importer.last, last.identifier == head {
            say("all \(done) commits are in \(options.store) already")
            return []
        }
        if let last = importer.last, try !repository.has(last.identifier) {
            throw DemoError.rewritten(last.identifier, options.store)
        }
        let total = try repository.commitCount(after: importer.last?.identifier)
        say(
            done == 0
                ? "importing \(total) commits into \(options.store)"
                : "importing \(total) more commits into \(options.store), which has \(done)")
        var progress = ProgressBar("commits", total: total)
        var saves: [String] = []
        try repository.forEachCommit(after: importer.last?.identifier) { commit in
            if let last = importer.last, commit.firstParent != last.identifier {
                throw DemoError.rewritten(last.identifier, options.store)
            }
            try importer.add(commit)
            saves.append(context.transactionAuthor ?? "")
            if options.acknowledges { Self.acknowledge(importer.last?.number ?? 0) }
            progress.update(saves.count)
        }
        guard importer.last?.identifier == head else {
            throw DemoError.rewritten(importer.last?.identifier ?? Data(), options.store)
        }
        let seconds = progress.finish()
        let rate = seconds > 0 ? Int((Double(saves.count) / seconds).rounded()) : 0
        say(
            "imported \(saves.count) commits in \(String(format: "%.1f", seconds)) s: \(rate) commits/s, "
                + "peak memory \(Memory.peak / 1_000_000) MB")
        return saves
    }

    /// Written at once, so that a reader knows of the save even if this process is killed in the next moment.
    private static func acknowledge(_ number: Int) {
        FileHandle.standardError.write(Data("saved \(number)\n".utf8))
    }

    private func check(
        _ repository: GitRepository, _ container: NSPersistentContainer, _ tool: Tool,
        _ checks: inout Checks
    ) throws {
        let sequences = try tool.changeSets()
        let numbers = Checks.sample(options.points, of: sequences.count)
        let start = ContinuousClock.now
        var difference: String?
        for number in numbers where difference == nil {
            let past = try container.newContext(
                asOf: .sequence(SequenceNumber(sequences[number - 1])))
            difference = try Checks.difference(past, number: number, repository)
        }
        let seconds = String(format: "%.1f", (ContinuousClock.now - start).seconds)
        checks.report(
            "the files as of \(numbers.count) of \(sequences.count) commits equal git ls-tree's, name, mode and blob "
                + "(\(seconds) s)", difference)
        let middle = SequenceNumber(sequences[sequences.count / 2])
        let factors = try PastCost(container, middle: middle).factors()
        say(
            "a fetch as of the middle costs, against the same fetch now: "
                + factors.map { "\($0.name) \(String(format: "%.1f", $0.factor))" }.joined(separator: ", "))
    }
}

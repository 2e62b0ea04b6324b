import CoreData
import Dispatch
import Foundation

/// Many small transactions.
extension Workload {
    static var commitsSynced: Workload {
        Workload(
            name: "commits-synced", suite: .saves,
            summary: "5,000 transactions of one row each, each synced before it returns",
            goals: [.rate(atLeast: 1, of: "raw")],
            sides: [
                Side("raw") { try rawCommits($0, synchronous: "FULL") },
                Side("firn") { try firnCommits($0, durability: .synced) },
            ])
    }

    static var commitsRelaxed: Workload {
        Workload(
            name: "commits-relaxed", suite: .saves,
            summary: "5,000 transactions of one row each, durability left to the system",
            goals: [.rate(atLeast: 0.7, of: "raw")],
            sides: [
                Side("raw") { try rawCommits($0, synchronous: "NORMAL") },
                Side("firn") { try firnCommits($0, durability: .system) },
            ])
    }

    /// Both sides are Firn: what counts is how the rate grows.
    static var writers: Workload {
        Workload(
            name: "writers", suite: .saves,
            summary: "8,000 synced saves of one object, by one context (alone), by 8 contexts on 8 threads (firn)",
            goals: [.rate(atLeast: 3.5, of: "alone")],
            sides: [
                Side("alone") { try firnWriters($0, threads: 1) },
                Side("firn") { try firnWriters($0, threads: 8) },
            ])
    }

    /// The same with objects that are there already.
    static var updaters: Workload {
        Workload(
            name: "updaters", suite: .saves,
            summary: "8,000 synced saves of one changed object, by one context (alone), by 8 on 8 threads (firn)",
            goals: [.rate(atLeast: 3.5, of: "alone")],
            sides: [
                Side("alone") { try firnUpdaters($0, threads: 1) },
                Side("firn") { try firnUpdaters($0, threads: 8) },
            ])
    }

    private static func rawCommits(_ trial: Trial, synchronous: String) throws {
        let database = try RawItems.create(trial, synchronous: synchronous)
        let statement = try database.prepare(ItemData.insert)
        let begin = try database.prepare("BEGIN IMMEDIATE")
        let commit = try database.prepare("COMMIT")
        try trial.measure {
            for row in 0..<trial.count(5_000) {
                try begin.run()
                for column in 0..<10 { statement.bind(ItemData.value(row, column), Int32(column + 1)) }
                try statement.run()
                try commit.run()
            }
        }
        try RawItems.read(database, into: &trial.digest)
    }

    private static func firnCommits(_ trial: Trial, durability: Durability) throws {
        let container = try FirnItems.create(trial, durability: durability)
        let context = container.newBackgroundContext()
        try context.performAndWait {
            try trial.measure {
                for row in 0..<trial.count(5_000) {
                    Item(context: context).fill(row)
                    try context.save()
                }
                try FirnItems.catchUpTables(context)
            }
        }
        try FirnItems.read(container, into: &trial.digest)
    }

    private static func firnWriters(_ trial: Trial, threads: Int) throws {
        let container = try FirnItems.create(trial)
        try measureSaves(trial, container, threads: threads) { row, context in
            Item(context: context).fill(row)
        }
        try FirnItems.read(container, into: &trial.digest)
    }

    /// Each eighth of the rows goes into an object of its own, however many threads there are.
    private static func firnUpdaters(_ trial: Trial, threads: Int) throws {
        let container = try FirnItems.create(trial)
        let context = container.newBackgroundContext()
        let items = try context.performAndWait {
            let items = (0..<8).map { _ in Item(context: context) }
            for item in items { item.fill(0) }
            try context.save()
            return items.map(\.objectID)
        }
        let ofEach = max(trial.count(8_000) / items.count, 1)
        try measureSaves(trial, container, threads: threads) { row, context in
            let id = items[min(row / ofEach, items.count - 1)]
            guard let item = context.object(with: id) as? Item else { fatalError("no item") }
            item.fill(row)
        }
        try FirnItems.read(container, into: &trial.digest)
    }

    /// Saves 8,000 times, each time what `change` does for a row, in contexts of as many threads.
    static func measureSaves(
        _ trial: Trial, _ container: NSPersistentContainer, threads: Int,
        _ change: @escaping @Sendable (_ row: Int, NSManagedObjectContext) -> Void,
        catchingUp: (NSManagedObjectContext) throws -> Void = FirnItems.catchUpTables
    ) throws {
        let share = trial.count(8_000) / threads
        let contexts = (0..<threads).map { _ in container.newBackgroundContext() }
        try trial.measure {
            let ended = DispatchGroup()
            for (thread, context) in contexts.enumerated() {
                ended.enter()
                // A queue would give no more threads than the machine has cores.
                Thread.detachNewThread {
                    context.performAndWait {
                        for row in thread * share..<(thread + 1) * share {
                            change(row, context)
                            do { try context.save() } catch { fatalError("\(error)") }
                        }
                    }
                    ended.leave()
                }
            }
            ended.wait()
            try catchingUp(contexts[0])
        }
    }
}

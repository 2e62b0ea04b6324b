import CoreData
import Foundation

/// Contexts that follow the saves of others.
extension Workload {
    static var merge: Workload {
        Workload(
            name: "merge", suite: .saves,
            summary: "merge 100,000 updated objects into a second context that holds them",
            goals: [.figure(name: "microseconds an object", atMost: 1)],
            sides: [
                Side("firn") { trial in
                    let rows = trial.count(100_000)
                    let container = try FirnItems.created(trial, rows: rows)
                    let writer = container.newBackgroundContext()
                    let reader = container.newBackgroundContext()
                    let request = FirnItems.request()
                    request.returnsObjectsAsFaults = false
                    let held = try reader.performAndWait { try reader.fetch(request) }
                    nonisolated(unsafe) var saved: Notification?
                    let token = NotificationCenter.default.addObserver(
                        forName: .NSManagedObjectContextDidSave, object: writer, queue: nil
                    ) { saved = $0 }
                    try writer.performAndWait {
                        for item in try writer.fetch(request) { item.c = 1 }
                        try writer.save()
                    }
                    NotificationCenter.default.removeObserver(token)
                    guard let saved else { fatalError("the save told nobody") }
                    reader.performAndWait {
                        trial.measure { reader.mergeChanges(fromContextDidSave: saved) }
                        for item in held { trial.digest.add(item.c) }
                    }
                    trial.figures["microseconds an object"] = trial.seconds * 1e6 / Double(rows)
                }
            ])
    }

    static var followers: Workload {
        Workload(
            name: "followers", suite: .saves,
            summary: "2,000 saves of 10 objects with nobody following (alone), with 8 contexts merging (firn)",
            goals: [.time(atMost: 1.5, of: "alone")],
            sides: [
                Side("alone") { try saves($0, followers: 0) },
                Side("firn") { try saves($0, followers: 8) },
            ])
    }

    private static func saves(_ trial: Trial, followers: Int) throws {
        let container = try FirnItems.create(trial)
        let contexts = (0..<followers).map { _ in
            let context = container.newBackgroundContext()
            context.automaticallyMergesChangesFromParent = true
            return context
        }
        let writer = container.newBackgroundContext()
        try writer.performAndWait {
            let items = (0..<10).map { _ in Item(context: writer) }
            try writer.save()
            let held = try contexts.map { context in
                try context.performAndWait { try context.fetch(FirnItems.request()).map { ($0, $0.a) } }
            }
            try trial.measure {
                for round in 0..<trial.count(2_000) {
                    for item in items { item.fill(round) }
                    try writer.save()
                }
                for context in contexts { context.performAndWait {} }
                try FirnItems.catchUpTables(writer)
            }
            withExtendedLifetime(held) {}
        }
        try FirnItems.read(container, into: &trial.digest)
    }
}

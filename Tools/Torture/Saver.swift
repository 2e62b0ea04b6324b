import CoreData
import FirnLog
import Foundation

/// One process that saves until it is killed: in several contexts at the same time, so that saves share a commit; an
/// entry a save, numbered from 1 in each context. The number of its run tells a context from all others.
struct Saver {
    let place: Place
    let worker: Int64

    private static let contextCount = 3

    /// Never returns but by an error.
    func run() throws {
        let first = try Torture.open(place)
        let outcome = DispatchSemaphore(value: 0)
        for _ in 0..<Self.contextCount {
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = first.persistentStoreCoordinator
            Thread.detachNewThread {
                do { try save(in: context) } catch { Torture.complain("saver \(worker): \(error)") }
                outcome.signal()
            }
        }
        outcome.wait()
        exit(2)
    }

    private func save(in context: NSManagedObjectContext) throws {
        let run = Int64.random(in: 1...Int64.max)
        try context.performAndWait {
            var number = Int64(0)
            while true {
                number += 1
                let entry = NSEntityDescription.insertNewObject(forEntityName: Entry.name, into: context)
                for (key, value) in [("worker", worker), ("run", run), ("number", number)] {
                    entry.setValue(value, forKey: key)
                }
                try save(context)
                Torture.say("saved \(run) \(number)")
                if number % 64 == 0 { context.reset() }
            }
        }
    }

    /// Saves; again and again while a server is away. A save that was made without an answer counts as made.
    private func save(_ context: NSManagedObjectContext) throws {
        while true {
            do {
                return try context.save()
            } catch let error as NSError {
                switch error.logError?.code {
                case .unreachable, .outcomeUnknown: Thread.sleep(forTimeInterval: 0.1)
                case .appendedAfterAll: return context.reset()
                default: throw error
                }
            }
        }
    }
}

import CoreData
import FirnLog
import Foundation

/// One process that saves until it is killed: an entry a save, numbered on from what the store has of it.
struct Saver {
    let place: Place
    let worker: Int64

    /// Never returns but by an error.
    func run() throws {
        let context = try Torture.open(place)
        try context.performAndWait {
            var number = try Entry.numbers(of: worker, in: context).last ?? 0
            while true {
                number += 1
                let entry = NSEntityDescription.insertNewObject(forEntityName: Entry.name, into: context)
                entry.setValue(worker, forKey: "worker")
                entry.setValue(number, forKey: "number")
                try save(context)
                Torture.say("saved \(number)")
                if number % 64 == 0 { context.reset() }
            }
        }
    }

    /// Saves; again and again while a server is away. A save that was made without an answer counts as made, also that
    /// of a process before this one.
    private func save(_ context: NSManagedObjectContext) throws {
        while true {
            do {
                return try context.save()
            } catch let error as NSError {
                if error.code == NSManagedObjectConstraintMergeError { return context.reset() }
                switch error.logError?.code {
                case .unreachable, .outcomeUnknown: Thread.sleep(forTimeInterval: 0.1)
                case .appendedAfterAll: return context.reset()
                default: throw error
                }
            }
        }
    }
}

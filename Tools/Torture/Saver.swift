import CoreData
import Foundation

/// One process that saves until it is killed: an entry a save, numbered on from what the store has of it.
struct Saver {
    let store: String
    let worker: Int64

    /// Never returns but by an error.
    func run() throws {
        let context = try Torture.open(store)
        try context.performAndWait {
            var number = try Entry.numbers(of: worker, in: context).last ?? 0
            while true {
                number += 1
                let entry = NSEntityDescription.insertNewObject(forEntityName: Entry.name, into: context)
                entry.setValue(worker, forKey: "worker")
                entry.setValue(number, forKey: "number")
                try context.save()
                Torture.say("saved \(number)")
                if number % 64 == 0 { context.reset() }
            }
        }
    }
}

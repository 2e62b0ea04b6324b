import CoreData
import Foundation

/// Several processes save to one store and several follow it, while all of them are killed again and again. At the end
/// nothing that was acknowledged may be missing, and no follower may have missed, repeated or reordered a record.
///
///     Torture run FOLDER FIRN SECONDS SEED     the driver; FIRN is the path of the tool
///     Torture save STORE WORKER                one process that saves, and says `saved N` after each
@main
enum Torture {
    static func main() {
        let arguments = CommandLine.arguments
        do {
            switch arguments.dropFirst().first {
            case "save" where arguments.count == 4:
                try Saver(store: arguments[2], worker: Int64(arguments[3]) ?? 0).run()
            case "run" where arguments.count == 6:
                let driver = Driver(
                    folder: arguments[2], firn: arguments[3], seconds: Double(arguments[4]) ?? 60,
                    seed: UInt64(arguments[5]) ?? 0)
                exit(try driver.run() ? 0 : 1)
            default:
                complain("usage: Torture run FOLDER FIRN SECONDS SEED")
                exit(2)
            }
        } catch {
            complain("\(error)")
            exit(2)
        }
    }

    static func complain(_ text: String) { FileHandle.standardError.write(Data("torture: \(text)\n".utf8)) }

    static func say(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }

    /// Opens the store, or makes it.
    static func open(_ store: String) throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Entry.model)
        _ = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: URL(fileURLWithPath: store), options: nil)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }
}

/// What the savers save: each its own numbers, one after the other.
enum Entry {
    static let name = "Entry"

    static let model: NSManagedObjectModel = {
        let entity = NSEntityDescription()
        entity.name = name
        entity.managedObjectClassName = "NSManagedObject"
        entity.properties = ["worker", "number"].map { name in
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = .integer64AttributeType
            return attribute
        }
        let model = NSManagedObjectModel()
        model.entities = [entity]
        return model
    }()

    /// The numbers of a worker that the store has, ascending.
    static func numbers(of worker: Int64, in context: NSManagedObjectContext) throws -> [Int64] {
        let request = NSFetchRequest<NSManagedObject>(entityName: name)
        request.predicate = NSPredicate(format: "worker == %lld", worker)
        request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
        return try context.fetch(request).map { $0.value(forKey: "number") as? Int64 ?? 0 }
    }
}

import CoreData
import FirnPostgres
import Foundation

/// Several processes save to one store and several follow it, while all of them are killed again and again. At the end
/// nothing that was acknowledged may be missing, and no follower may have missed, repeated or reordered a record.
///
///     Torture run FOLDER FIRN SECONDS SEED [ADDRESS]   the driver; FIRN is the path of the tool
///     Torture save STORE WORKER [ADDRESS]              one process that saves, and says `saved RUN N` after each
///     Torture follow STORE AFTER ADDRESS               one that follows a copy, and prints the records' numbers
///
/// With an address, each process works on a copy of its own of the log on that server, as on a machine of its own.
@main
enum Torture {
    static func main() async {
        let arguments = CommandLine.arguments
        do {
            switch arguments.dropFirst().first {
            case "save" where (4...5).contains(arguments.count):
                endWithParent()
                let place = Place(path: arguments[2], address: arguments.dropFirst(4).first)
                try Saver(place: place, worker: Int64(arguments[3]) ?? 0).run()
            case "follow" where arguments.count == 5:
                endWithParent()
                let place = Place(path: arguments[2], address: arguments[4])
                try await Follower(place: place, start: Int64(arguments[3]) ?? 0).run()
            case "run" where (6...7).contains(arguments.count):
                let driver = Driver(
                    folder: arguments[2], firn: arguments[3], seconds: Double(arguments[4]) ?? 60,
                    seed: UInt64(arguments[5]) ?? 0, address: arguments.dropFirst(6).first)
                exit(try driver.run() ? 0 : 1)
            default:
                complain("usage: Torture run FOLDER FIRN SECONDS SEED [ADDRESS]")
                exit(2)
            }
        } catch {
            complain("\(error)")
            exit(2)
        }
    }

    /// Looks now and then whether the driver is still there: without it nobody would end this process.
    private static func endWithParent() {
        let parent = getppid()
        Thread.detachNewThread {
            while getppid() == parent { sleep(1) }
            exit(3)
        }
    }

    static func complain(_ text: String) { FileHandle.standardError.write(Data("torture: \(text)\n".utf8)) }

    static func say(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }

    /// Opens the store, or makes it.
    static func open(_ place: Place) throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Entry.model)
        _ = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: place.url, options: place.options)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }
}

/// Where a process has the store.
struct Place {
    /// Of the store, or of this process's copy of it.
    let path: String
    /// Of the log on a server.
    let address: String?

    /// A server may be away for as long as another one takes to be put in its place.
    private static let timeout: Int64 = 120_000_000

    var url: URL { address.flatMap { URL(string: $0) } ?? URL(fileURLWithPath: path) }

    var options: [AnyHashable: Any]? {
        guard address != nil else { return nil }
        PostgresLog.register(options: PostgresOptions(timeout: Self.timeout, answerTimeout: 5_000_000))
        return [PersistentStoreLocalCopyOption: path]
    }
}

/// What the savers save: each context of each process its own numbers, one after the other.
enum Entry {
    static let name = "Entry"

    static let model: NSManagedObjectModel = {
        let entity = NSEntityDescription()
        entity.name = name
        entity.managedObjectClassName = "NSManagedObject"
        entity.properties = ["worker", "run", "number"].map { name in
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = .integer64AttributeType
            return attribute
        }
        let model = NSManagedObjectModel()
        model.entities = [entity]
        return model
    }()

    /// The numbers of a worker that the store has, ascending, by run.
    static func numbers(of worker: Int64, in context: NSManagedObjectContext) throws -> [Int64: [Int64]] {
        let request = NSFetchRequest<NSManagedObject>(entityName: name)
        request.predicate = NSPredicate(format: "worker == %lld", worker)
        request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
        var numbers: [Int64: [Int64]] = [:]
        for entry in try context.fetch(request) {
            let (run, number) = (entry.value(forKey: "run") as? Int64, entry.value(forKey: "number") as? Int64)
            numbers[run ?? 0, default: []].append(number ?? 0)
        }
        return numbers
    }

    /// Every entry: its ID, its worker and its number.
    static func all(in context: NSManagedObjectContext) throws -> [String] {
        try context.performAndWait {
            try context.fetch(NSFetchRequest<NSManagedObject>(entityName: name)).map { entry in
                let (worker, number) = (entry.value(forKey: "worker") ?? "", entry.value(forKey: "number") ?? "")
                return "\(entry.objectID.uriRepresentation()) \(worker) \(number)"
            }.sorted()
        }
    }
}

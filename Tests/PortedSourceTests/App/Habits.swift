import CoreData
import Synchronization

@objc protocol HabitDelegate {
    @objc optional func habitBegan(_ name: String)
    @objc optional func habitEnded(_ name: String)
}

private final class HabitKeeper: NSObject {
    weak var delegate: HabitDelegate?
    var heard = 0

    func begin() {
        delegate?.habitBegan?("early")
        NotificationCenter.default.addObserver(
            self, selector: #selector(HabitKeeper.hear(_:)), name: Notification.Name("habit"), object: self)
        NotificationCenter.default.post(name: Notification.Name("habit"), object: self)
        NotificationCenter.default.removeObserver(self)
    }

    @objc func hear(_ notification: Notification) throws {
        objc_sync_enter(self)
        defer { objc_sync_exit(self) }
        objc_sync_enter(self)
        heard += 1
        objc_sync_exit(self)
        throw CocoaError(.userCancelled)
    }
}

struct Habits {
    /// The texts that a class inside of this function keeps.
    func localTexts(_ texts: [String]) throws -> [String] {
        class Habit: NSManagedObject {
            @NSManaged var text: String
        }
        let context = ownContext(of: Habit.self, NSStringFromClass(Habit.self), ["text"])
        for text in texts { Habit(context: context).text = text }
        try context.save()
        let request = NSFetchRequest<Habit>(entityName: "Habit")
        request.sortDescriptors = [NSSortDescriptor(key: "text", ascending: true)]
        return try context.fetch(request).map(\.text)
    }

    /// Notifications that arrive at a method that throws.
    func heard() -> Int {
        let keeper = HabitKeeper()
        keeper.begin()
        keeper.begin()
        return keeper.heard
    }

    var protection: NSObject { FileProtectionType.complete as NSObject }
    var flag: NSObject { true as NSObject }
    var identifier: String { Bundle.main.bundleIdentifier! }
    var processID: Int32 { ProcessInfo().processIdentifier }
    /// The results of a request that does not tell their type.
    func untyped(_ context: NSManagedObjectContext) throws -> [NSFetchRequestResult] {
        let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Guest")
        let results = try context.fetch(request)
        return results
    }
}

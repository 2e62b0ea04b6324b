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

    /// Hears two senders, and no more one of them.
    func hearOneOfTwo() {
        let (center, senders) = (NotificationCenter.default, [NSObject(), NSObject()])
        for sender in senders {
            center.addObserver(self, selector: #selector(HabitKeeper.hear(_:)), name: .init("habit"), object: sender)
        }
        center.removeObserver(self, name: .init("habit"), object: senders[0])
        for sender in senders { center.post(name: .init("habit"), object: sender) }
        center.removeObserver(self)
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

private final class Badge {
    static let count = Mutex(0)
    init() { Self.count.withLock { $0 += 1 } }
    deinit { Self.count.withLock { $0 -= 1 } }
}

private nonisolated(unsafe) var badgeKey = 0
private nonisolated(unsafe) var friendKey = 0

extension NSObject {
    fileprivate var badge: Badge? {
        get { objc_getAssociatedObject(self, &badgeKey) as? Badge }
        set { objc_setAssociatedObject(self, &badgeKey, newValue, .OBJC_ASSOCIATION_RETAIN_NONATOMIC) }
    }
    fileprivate var friend: NSObject? {
        get { objc_getAssociatedObject(self, &friendKey) as? NSObject }
        set { objc_setAssociatedObject(self, &friendKey, newValue, .OBJC_ASSOCIATION_ASSIGN) }
    }
}

private final class Hidden: NSManagedObject {}

struct Habits {
    /// The classes of objects whose models name a private class, and one in a function.
    func hiddenClasses() throws -> [Bool] {
        class Inner: NSManagedObject {}
        let context = ownContext(of: Inner.self, NSStringFromClass(Inner.self), ["text"])
        let other = ownContext(of: Hidden.self, NSStringFromClass(Hidden.self), ["text"])
        let objects = [(context, "Inner"), (other, "Hidden")].map { context, name in
            NSEntityDescription.insertNewObject(forEntityName: name, into: context)
        }
        return [objects[0] is Inner, objects[1] is Hidden, Inner(context: context).entity.name == "Inner"]
    }

    /// Values of objects: whether each has its own, whether one that is removed is gone, whether a friend is kept, and
    /// the number of values after their objects.
    func associations() -> (own: Bool, removed: Bool, friend: Bool, left: Int) {
        let other = NSObject()
        var answer = (own: false, removed: false, friend: true, left: -1)
        for _ in 1...100 {
            let object = NSObject()
            (object.badge, other.badge) = (Badge(), Badge())
            answer.own = object.badge != nil && object.badge !== other.badge
            object.friend = NSObject()
            answer.friend = object.friend != nil
        }
        other.badge = nil
        answer.removed = other.badge == nil
        answer.left = Badge.count.withLock { $0 }
        return answer
    }

    /// A sum that several threads make with the lock of `os`.
    func sum(_ count: Int) -> Int {
        let lock = os_unfair_lock_t.allocate(capacity: 1)
        lock.initialize(to: os_unfair_lock())
        defer { lock.deallocate() }
        nonisolated(unsafe) let (guarding, total) = (lock, UnsafeMutablePointer<Int>.allocate(capacity: 1))
        total.initialize(to: 0)
        defer { total.deallocate() }
        DispatchQueue.concurrentPerform(iterations: count) { number in
            os_unfair_lock_lock(guarding)
            os_unfair_lock_assert_owner(guarding)
            total.pointee += number
            os_unfair_lock_unlock(guarding)
        }
        guard os_unfair_lock_trylock(lock) else { return -1 }
        os_unfair_lock_unlock(lock)
        os_unfair_lock_assert_not_owner(lock)
        return total.pointee
    }

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

    /// Notifications of two senders that arrive after the observer has ended with one of them.
    func heardOfTwo() -> Int {
        let keeper = HabitKeeper()
        keeper.hearOneOfTwo()
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

import Combine
import Foundation

final class Queries: NSObject {
    private let log = OSLog(subsystem: "app", category: "queries")
    weak var listener: GuestListener?

    @objc func all() -> NSFetchRequest<NSFetchRequestResult> {
        let request = NSFetchRequest<AppGuest>(entityName: "Guest")
        request.sortDescriptors = [NSSortDescriptor(key: #keyPath(AppGuest.name), ascending: true)]
        return request as! NSFetchRequest<NSFetchRequestResult>
    }

    func named(_ name: String) -> NSFetchRequest<AppGuest>? {
        let request = all()
        request.predicate = NSPredicate(format: "\(#keyPath(AppGuest.name)) == %@", name)
        return request as? NSFetchRequest<AppGuest>
    }

    private(set) var saveCount = 0

    func start(_ context: NSManagedObjectContext) {
        NotificationCenter.default.addObserver(
            self, selector: #selector(saved(_:)), name: .NSManagedObjectContextDidSave, object: context)
        NotificationCenter.default.addObserver(self, selector: #selector(self.stop), name: .init("stop"), object: nil)
    }

    @objc private func saved(_ notification: Notification) { saveCount += 1 }

    @objc func stop() { NotificationCenter.default.removeObserver(self) }

    func keys() -> [String] {
        [
            #keyPath(AppGuest.friends.best.name), NSStringFromSelector(#selector(getter: AppGuest.best)),
            #keyPath(Panel.shown.name),
        ]
    }

    func members() -> NSSet {
        let format: StaticString = "%d members"
        os_log(format, log: log, type: .info, 2)
        os_log("members", log: log)
        os_log(.info, log: log, "\(saveCount, privacy: .public) saves")
        os_signpost(.begin, log: log, name: "members", signpostID: OSSignpostID(log: log), "%d", 2)
        return autoreleasepool { ["a", "b"] as NSSet }
    }
}

@MainActor class Panel: NSObject {
    @objc dynamic var shown: AppGuest?
}

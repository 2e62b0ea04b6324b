import FirnStore
import Foundation
import Synchronization

/// The classes of stores, by type. Thread-safe.
enum StoreClasses {
    private static let classes = Mutex<[String: NSPersistentStore.Type]>(standard)

    static var all: [String: NSPersistentStore.Type] { classes.withLock { $0 } }

    /// Nil takes the type away.
    static func register(_ type: NSPersistentStore.Type?, for name: String) {
        classes.withLock { $0[name] = type }
    }

    /// Throws 134000 for a type that no class was registered for.
    static func named(_ name: String) throws -> NSPersistentStore.Type {
        let known = all
        if let type = known[name] { return type }
        throw CoreDataError.make(
            .persistentStoreInvalidType,
            "there is no store type \"\(name)\": use \(known.keys.sorted().joined(separator: ", ")), or register a "
                + "class of your own with registerStoreClass(_:type:)")
    }
}

import FirnStore
import FirnModel
import Foundation

/// Finishing what a migration with `NSPersistentStoreDeferredLightweightMigrationOptionKey` left.
///
/// Objects and their values are migrated when the store is opened, deferred or not. What is left is making the indexes
/// of the new tables, which with many objects takes long: until then fetches and saves are right, but slower. A store
/// with tasks left has the key in its metadata; rebuilt tables never do.
/// https://developer.apple.com/documentation/coredata/nspersistentstoredeferredlightweightmigrationoptionkey
extension NSPersistentStoreCoordinator {
    /// Does all tasks that are left, of every store that can be written.
    public func finishDeferredLightweightMigration() throws {
        for case let store as LoggedStore in persistentStores {
            while try store.finishDeferredTask() {}
        }
    }

    /// Does one task, if any is left: an index of the first store that lacks one. Saves wait as long.
    public func finishDeferredLightweightMigrationTask() throws {
        for case let store as LoggedStore in persistentStores where try store.finishDeferredTask() { return }
    }
}

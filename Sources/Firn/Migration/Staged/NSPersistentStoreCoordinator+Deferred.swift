import Foundation

extension NSPersistentStoreCoordinator {
    /// Does what a deferred lightweight migration left to do.
    ///
    /// A migration here is done whole when the store is opened, in new tables beside the old ones, so that there is
    /// never anything left: `NSPersistentStoreDeferredLightweightMigrationOptionKey` is accepted, no store's metadata
    /// has it, and this returns at once.
    /// https://developer.apple.com/documentation/coredata/nspersistentstoredeferredlightweightmigrationoptionkey
    public func finishDeferredLightweightMigration() throws {}

    /// Does one of the tasks that a deferred lightweight migration left; there are none here.
    public func finishDeferredLightweightMigrationTask() throws {}
}

/// Where an object is in its life. See `NSManagedObject`.
struct ObjectState: OptionSet {
    let rawValue: UInt16

    /// Values are not here; the first access reads them.
    static let fault = ObjectState(rawValue: 1 << 0)
    /// New in its context since the last save.
    static let inserted = ObjectState(rawValue: 1 << 1)
    /// Changed since the last save.
    static let updated = ObjectState(rawValue: 1 << 2)
    /// Deleted in its context since the last save, or by a save merged into it.
    static let deleted = ObjectState(rawValue: 1 << 3)
    /// In `ObjectsDidChange`'s inserted set when pending changes are next processed.
    static let pendingInsert = ObjectState(rawValue: 1 << 4)
    static let pendingUpdate = ObjectState(rawValue: 1 << 5)
    static let pendingDelete = ObjectState(rawValue: 1 << 6)
    static let pendingRefresh = ObjectState(rawValue: 1 << 7)
    /// `detectConflicts(for:)` was asked for.
    static let detectsConflicts = ObjectState(rawValue: 1 << 8)
    /// The deletion was saved; the object lives on only in the application's hands.
    static let gone = ObjectState(rawValue: 1 << 10)

    /// Deleted without this context having to save it: merged from another save, or never saved before.
    static let deletedRemotely = ObjectState(rawValue: 1 << 11)

    /// Its store was removed.
    static let pendingInvalidation = ObjectState(rawValue: 1 << 12)

    /// Inserted and deleted within one event, or found to be gone: nothing of that is to be undone.
    static let notUndone = ObjectState(rawValue: 1 << 13)

    /// Was inserted, and deleted before a save: it leaves its context.
    static let unsaved = ObjectState(rawValue: 1 << 14)

    static let dirty: ObjectState = [.inserted, .updated, .deleted]
}

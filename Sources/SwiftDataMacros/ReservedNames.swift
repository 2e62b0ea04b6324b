#if SwiftData
/// Names that a persisted property cannot have, because the managed object behind a model has members of these names.
///
/// `FirnModel` has the same list, which this module cannot import; a test compares them.
enum ReservedNames {
    static let all: Set<String> = [
        "changedValues", "debugDescription", "description", "faultingState", "hasChanges",
        "hasPersistentChangedValues", "hash", "init", "isDeleted", "isFault", "isInserted", "isUpdated",
        "managedObjectContext", "objectID", "self",
    ]
}
#endif

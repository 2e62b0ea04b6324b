#if SwiftData
/// Names that a persisted property cannot have, because the managed object behind a model has members of these names.
///
/// `FirnModel` has the same list, which this module cannot import; a test compares them.
enum ReservedNames {
    static let all: Set<String> = [
        "autorelease", "changedValues", "class", "copy", "dealloc", "description", "debugDescription", "entity",
        "faultingState", "hasChanges", "hasPersistentChangedValues", "hash", "init", "isDeleted", "isFault",
        "isInserted", "isProxy", "isUpdated", "managedObjectContext", "mutableCopy", "objectID", "observationInfo",
        "release", "retain", "retainCount", "self", "superclass", "zone",
    ]
}
#endif

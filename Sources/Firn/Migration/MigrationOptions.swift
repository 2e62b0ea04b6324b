import FirnModel
import Foundation

/// What a program allows when a store has another model than the one it opens it with.
struct MigrationOptions {
    var migrates = false
    var infers = false

    init() {}

    init(_ options: [AnyHashable: Any]?) {
        migrates = Self.flag(options, NSMigratePersistentStoresAutomaticallyOption)
        infers = Self.flag(options, NSInferMappingModelAutomaticallyOption)
    }

    private static func flag(_ options: [AnyHashable: Any]?, _ key: String) -> Bool {
        (options?[key] as? NSNumber)?.boolValue ?? (options?[key] as? Bool) ?? false
    }
}

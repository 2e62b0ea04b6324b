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

/// What happens at the moments of a migration at which it could be interrupted. For tests.
struct MigrationSteps {
    enum Moment: CaseIterable, Sendable {
        /// The new tables are ready beside the old ones.
        case prepared
        /// The record is durable.
        case recorded
        /// The new tables are in place.
        case placed
    }

    var reached: (Moment) throws -> Void = { _ in }
}

import FirnModel
public import Foundation

/// Objects that would have the same values where a uniqueness constraint forbids it.
/// https://developer.apple.com/documentation/coredata/nsconstraintconflict
open class NSConstraintConflict: NSObject {
    /// The names of the constraint's properties.
    open private(set) var constraint: [String]
    /// The values that must be unique.
    open private(set) var constraintValues: [String: Any]
    /// The object that the store has; nil if all conflicting objects are in the context.
    open private(set) var databaseObject: NSManagedObject?
    /// The values of the object in the store.
    open private(set) var databaseSnapshot: [String: Any]?
    /// The objects of the context: one, if there is a database object, else two or more.
    open private(set) var conflictingObjects: [NSManagedObject]
    /// For each conflicting object its values as they were read, empty for one that is not in the store yet.
    open private(set) var conflictingSnapshots: [[AnyHashable: Any]]

    /// Creates it with these values.
    public init(
        constraint contraint: [String], database databaseObject: NSManagedObject?,
        databaseSnapshot: [AnyHashable: Any]?, conflicting conflictingObjects: [NSManagedObject],
        conflictingSnapshots: [Any]
    ) {
        constraint = contraint
        self.databaseObject = databaseObject
        self.databaseSnapshot = databaseSnapshot as? [String: Any]
        self.conflictingObjects = conflictingObjects
        self.conflictingSnapshots = conflictingSnapshots.map { $0 as? [AnyHashable: Any] ?? [:] }
        var values: [String: Any] = [:]
        if let object = conflictingObjects.first ?? databaseObject {
            for name in contraint { values[name] = object.value(forKey: name) ?? NSNull() }
        }
        constraintValues = values
    }

    /// A conflict of nothing.
    public override init() {
        constraint = []
        constraintValues = [:]
        conflictingObjects = []
        conflictingSnapshots = []
    }

    /// The object that stays under the constraint.
    var survivor: NSManagedObject? {
        databaseObject ?? conflictingObjects.first { $0.snapshot != nil } ?? conflictingObjects.first
    }

    var summary: String {
        let entity = (conflictingObjects.first ?? databaseObject)?.entity.name ?? "?"
        let values = constraint.map { "\($0) = \(constraintValues[$0] ?? "nil")" }.joined(separator: ", ")
        return "\(entity) with \(values)"
    }

    open override var description: String { "NSConstraintConflict: \(summary)" }
}

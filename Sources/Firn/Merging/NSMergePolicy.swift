import FirnStore
import FirnModel
public import Foundation

/// How a save deals with what others saved meanwhile.
///
/// Subclass it to decide object by object: override `resolve(optimisticLockingConflicts:)` or
/// `resolve(constraintConflicts:)`, change the conflicts' source objects, and call `super` for the rest.
/// https://developer.apple.com/documentation/coredata/nsmergepolicy
open class NSMergePolicy: NSObject, @unchecked Sendable {
    /// The kind of policy.
    open private(set) var mergeType: NSMergePolicyType

    /// A policy of this kind.
    public init(merge ty: NSMergePolicyType) { mergeType = ty }

    /// Fails the save, with the conflicts in the error.
    open class var error: NSMergePolicy { Shared.error }
    /// Where both changed a property, the store's value stays.
    open class var mergeByPropertyStoreTrump: NSMergePolicy { Shared.storeTrump }
    /// Where both changed a property, the context's value is written.
    open class var mergeByPropertyObjectTrump: NSMergePolicy { Shared.objectTrump }
    /// The context's whole object is written.
    open class var overwrite: NSMergePolicy { Shared.overwrite }
    /// The context's changes of the object are dropped.
    open class var rollback: NSMergePolicy { Shared.rollback }

    /// One of each for all contexts.
    private enum Shared {
        static let error = NSMergePolicy(merge: .errorMergePolicyType)
        static let storeTrump = NSMergePolicy(merge: .mergeByPropertyStoreTrumpMergePolicyType)
        static let objectTrump = NSMergePolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
        static let overwrite = NSMergePolicy(merge: .overwriteMergePolicyType)
        static let rollback = NSMergePolicy(merge: .rollbackMergePolicyType)
    }

    /// Resolves conflicts of all kinds, or throws.
    open func resolve(mergeConflicts list: [Any]) throws {
        try resolve(optimisticLockingConflicts: list.compactMap { $0 as? NSMergeConflict })
        try resolve(constraintConflicts: list.compactMap { $0 as? NSConstraintConflict })
    }

    /// Resolves conflicts with other saves, or throws.
    open func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
        guard !list.isEmpty else { return }
        guard mergeType != .errorMergePolicyType else { throw Self.mergeError(list) }
        if mergeType.isWonHere { list.forEach { $0.willWin() } }
        for conflict in list { try ConflictResolver.apply(mergeType, to: conflict) }
    }

    /// Resolves conflicts of unique values, or throws.
    open func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
        guard !list.isEmpty else { return }
        guard mergeType != .errorMergePolicyType else { throw Self.constraintError(list) }
        for conflict in list { ConstraintResolver(type: mergeType, conflict: conflict).apply() }
    }

    static func mergeError(_ list: [NSMergeConflict]) -> NSError {
        let ids = list.map { $0.sourceObject.objectID.uriRepresentation().absoluteString }
        return CoreDataError.make(
            .managedObjectMerge,
            "could not merge changes: \(list.count) of the objects to be saved were changed by another save meanwhile ("
                + ids.prefix(5).joined(separator: ", ") + (ids.count > 5 ? ", …" : "")
                + "). Refresh them and save again, or set a merge policy",
            [NSPersistentStoreSaveConflictsErrorKey: list])
    }

    static func constraintError(_ list: [NSConstraintConflict]) -> NSError {
        CoreDataError.make(
            .managedObjectConstraintMerge,
            "could not merge changes: uniqueness constraints are violated: "
                + list.prefix(5).map(\.summary).joined(separator: "; ")
                + ". Change the values, or set a merge policy",
            [NSPersistentStoreSaveConflictsErrorKey: list])
    }
}

/// https://developer.apple.com/documentation/coredata/nsmergepolicytype
public enum NSMergePolicyType: UInt, Sendable {
    /// Fails the save.
    case errorMergePolicyType = 0
    /// Merges property by property; the store's changes win.
    case mergeByPropertyStoreTrumpMergePolicyType = 1
    /// Merges property by property; the context's changes win.
    case mergeByPropertyObjectTrumpMergePolicyType = 2
    /// Writes whole objects over the store's.
    case overwriteMergePolicyType = 3
    /// Drops the context's changes of the objects.
    case rollbackMergePolicyType = 4

    /// Whether an object that was changed here is written although another save deleted it.
    var isWonHere: Bool { self == .mergeByPropertyObjectTrumpMergePolicyType || self == .overwriteMergePolicyType }
}

/// Fails the save.
public var NSErrorMergePolicy: AnyObject { NSMergePolicy.error }
/// Merges property by property; the store's changes win.
public var NSMergeByPropertyStoreTrumpMergePolicy: AnyObject { NSMergePolicy.mergeByPropertyStoreTrump }
/// Merges property by property; the context's changes win.
public var NSMergeByPropertyObjectTrumpMergePolicy: AnyObject { NSMergePolicy.mergeByPropertyObjectTrump }
/// Writes whole objects over the store's.
public var NSOverwriteMergePolicy: AnyObject { NSMergePolicy.overwrite }
/// Drops the context's changes of the objects.
public var NSRollbackMergePolicy: AnyObject { NSMergePolicy.rollback }

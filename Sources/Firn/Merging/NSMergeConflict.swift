public import FirnFoundation
import FirnLog
import FirnModel
import FirnProjection
import FirnStore
public import Foundation

/// An object that was changed here and, since it was read here, by another save.
/// https://developer.apple.com/documentation/coredata/nsmergeconflict
open class NSMergeConflict: NSObject {
    /// The object that is being saved.
    open private(set) var sourceObject: NSManagedObject
    /// The object as this context last read or saved it: attributes and to-one relationships (as object IDs).
    open private(set) var objectSnapshot: [String: Any]?
    /// The row as the coordinator knows it; nil if the object was deleted.
    open private(set) var cachedSnapshot: [String: Any]?
    /// The row as the store has it, in a conflict between coordinator and store; nil in one between context and
    /// coordinator.
    open private(set) var persistedSnapshot: [String: Any]?
    /// The version of the other save; 0 if it deleted the object.
    open private(set) var newVersionNumber: Int
    /// The version that the context read.
    open private(set) var oldVersionNumber: Int
    /// The row that won the race, for the policies.
    let current: Snapshot?
    /// The rows of the save that found the conflict, while it is under way.
    private weak var rows: ConflictRows?

    /// Creates it with these values.
    public init(
        source srcObject: NSManagedObject, newVersion newvers: Int, oldVersion oldvers: Int,
        cachedSnapshot cachesnap: [String: Any]?, persistedSnapshot persnap: [String: Any]?
    ) {
        sourceObject = srcObject
        newVersionNumber = newvers
        oldVersionNumber = oldvers
        cachedSnapshot = cachesnap
        persistedSnapshot = persnap
        objectSnapshot = srcObject.snapshot.map { srcObject.dictionary(of: $0) }
        current = nil
    }

    /// `isInStore` if the coordinator had not heard of the other save before this one looked: the conflict is between
    /// coordinator and store, and what the coordinator knew is what the object was read from.
    init(source: NSManagedObject, current: Snapshot?, isInStore: Bool, rows: ConflictRows) {
        sourceObject = source
        self.current = current
        self.rows = rows
        newVersionNumber = current.map { Int($0.version) } ?? 0
        oldVersionNumber = source.snapshot.map { Int($0.version) } ?? 0
        objectSnapshot = source.snapshot.map { source.dictionary(of: $0) }
        let now = current.map { source.dictionary(of: $0) }
        cachedSnapshot = isInStore ? objectSnapshot : now
        persistedSnapshot = isInStore ? now : nil
    }

    /// Whether an object that the source object is related to is new here or in the store, and not deleted by either.
    func exists(_ object: NSManagedObject) -> Bool {
        if object.isDeleted { return false }
        guard object.key.primaryKey > 0, object.snapshot != nil || object.isFault else { return true }
        guard let rows else { return true }
        // One that cannot be read stays: the save throws when it looks for it.
        return rows.revived.contains(object.key) || (try? rows.row(object) != nil) ?? true
    }

    /// Announces that the source object will be written again if another save deleted it: what other conflicting
    /// objects relate to it stays.
    func willWin() {
        if current == nil, sourceObject.hasPersistentChangedValues { rows?.revived.insert(sourceObject.key) }
    }

    open override var description: String {
        "NSMergeConflict for \(sourceObject.objectID.uriRepresentation()): version \(oldVersionNumber) was read, "
            + "the store has \(newVersionNumber)"
    }
}

extension NSManagedObject {
    /// Attributes, and to-one relationships as object IDs; nulls as `NSNull`.
    func dictionary(of snapshot: Snapshot) -> [String: Any] {
        let kept = (self.snapshot, state)
        self.snapshot = snapshot
        state.remove(.fault)
        defer { (self.snapshot, state) = kept }
        return withoutValues { storedDictionary(snapshot) }
    }

    private func storedDictionary(_ snapshot: Snapshot) -> [String: Any] {
        var result: [String: Any] = [:]
        for info in layout.slots where info.isPublicProperty && !info.isTransient {
            switch info.kind {
            case .attribute, .composite: result[info.name] = anyValue(info.index) ?? NSNull()
            case .toOne:
                if case .reference(let key) = snapshot.value(info.index), let id = store?.objectID(for: key) {
                    result[info.name] = id
                } else {
                    result[info.name] = NSNull()
                }
            default: continue
            }
        }
        return result
    }
}

/// The details of a Core Data error.
/// https://developer.apple.com/documentation/foundation/cocoaerror
extension CocoaError {
    /// The object that failed validation.
    public var validationObject: Any? { userInfo[NSValidationObjectErrorKey] }
    /// The name of the property that failed validation.
    public var validationKey: String? { userInfo[NSValidationKeyErrorKey] as? String }
    /// The value that failed validation; nil if there was none.
    public var validationValue: Any? { userInfo[NSValidationValueErrorKey] }
    /// The rule that the value did not meet.
    public var validationPredicate: FirnFoundation.NSPredicate? {
        userInfo[NSValidationPredicateErrorKey] as? FirnFoundation.NSPredicate
    }
    /// The stores that the error is about.
    public var affectedStores: [AnyObject]? { userInfo[NSAffectedStoresErrorKey] as? [AnyObject] }
    /// The objects that the error is about.
    public var affectedObjects: [AnyObject]? { userInfo[NSAffectedObjectsErrorKey] as? [AnyObject] }
    /// The conflicts that no merge policy resolved, under code 134050.
    public var persistentStoreSaveConflicts: [NSMergeConflict]? {
        (userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [Any])?.compactMap { $0 as? NSMergeConflict }
    }
}

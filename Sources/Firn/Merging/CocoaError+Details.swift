import FirnStore
public import FirnFoundation
public import Foundation

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

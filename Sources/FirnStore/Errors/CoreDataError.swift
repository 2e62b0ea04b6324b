import FirnFoundation
package import Foundation

/// All errors of a save that has several.
public let NSDetailedErrorsKey = "NSDetailedErrors"
/// The object that is not valid.
public let NSValidationObjectErrorKey = "NSValidationErrorObject"
/// The property that is not valid.
public let NSValidationKeyErrorKey = "NSValidationErrorKey"
/// The rule that does not hold.
public let NSValidationPredicateErrorKey = "NSValidationErrorPredicate"
/// The value that is not valid.
public let NSValidationValueErrorKey = "NSValidationErrorValue"
/// The stores that an error is about.
public let NSAffectedStoresErrorKey = "NSAffectedStoresErrorKey"
/// The objects that an error is about.
public let NSAffectedObjectsErrorKey = "NSAffectedObjectsErrorKey"
/// Under which the conflicts of a save stand: of versions (133020, 134050) and of uniqueness constraints (133021).
public let NSPersistentStoreSaveConflictsErrorKey = "conflictList"
/// The domain of SQLite's own errors.
public let NSSQLiteErrorDomain = "NSSQLiteErrorDomain"

/// Makes Core Data's errors.
package enum CoreDataError {
    /// An error in `NSCocoaErrorDomain`. `message` says what went wrong, and what to do where that helps.
    package static func make(
        _ code: CocoaError.Code, _ message: String, _ userInfo: [String: Any] = [:],
        underlying: (any Error)? = nil
    ) -> NSError {
        var userInfo = userInfo
        userInfo[NSLocalizedDescriptionKey] = message
        if let underlying { userInfo[NSUnderlyingErrorKey] = underlying as NSError }
        return NSError(domain: NSCocoaErrorDomain, code: code.rawValue, userInfo: userInfo)
    }

    /// One failure is thrown as it is, of whatever type; several as one error with code 1560 and the failures in
    /// `NSDetailedErrors`.
    package static func throwAll(_ failures: [any Error]) throws {
        if failures.count == 1 { throw failures[0] }
        let flat = failures.flatMap { failure -> [NSError] in
            let error = failure as NSError
            guard error.domain == NSCocoaErrorDomain,
                error.code == CocoaError.Code.validationMultipleErrors.rawValue
            else { return [error] }
            return error.userInfo[NSDetailedErrorsKey] as? [NSError] ?? [error]
        }
        if flat.isEmpty { return }
        let texts = flat.map(\.localizedDescription).joined(separator: "; ")
        throw make(
            .validationMultipleErrors, "\(flat.count) validation errors: \(texts)",
            [NSDetailedErrorsKey: flat])
    }

    /// The sentence for a validation code.
    package static func explanation(of code: CocoaError.Code) -> String {
        switch code {
        case .validationMissingMandatoryProperty: "a value is required"
        case .validationRelationshipLacksMinimumCount: "too few objects in the relationship"
        case .validationRelationshipExceedsMaximumCount: "too many objects in the relationship"
        case .validationRelationshipDeniedDelete:
            "objects in the relationship forbid the deletion: delete them too, or take them out of it"
        case .validationNumberTooLarge: "the number is too large"
        case .validationNumberTooSmall: "the number is too small"
        case .validationDateTooLate: "the date is too late"
        case .validationDateTooSoon: "the date is too early"
        case .validationStringTooLong: "the text is too long"
        case .validationStringTooShort: "the text is too short"
        case .validationStringPatternMatching: "the text does not match its pattern"
        default: "the value is not valid"
        }
    }
}

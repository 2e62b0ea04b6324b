import FirnFoundation
package import FirnLog
package import FirnModel
package import Foundation

/// The model's rules for the values of an entity, or of one object, which errors name then.
package struct ColumnRules {
    private let entity: String
    private let object: Any?

    package init(entity: String, object: Any? = nil) { (self.entity, self.object) = (entity, object) }

    /// Throws Core Data's validation error for the first value that breaks a rule: a null where a value is mandatory, a
    /// value that its predicates refuse. Complexity: for a property without predicates O(rows / 64).
    package func check(_ column: Column, _ info: Slot) throws {
        guard !info.isPosition, !info.isCompositeLeaf || info.isOptional else { return }
        if !info.isOptional, !info.isDerived, !column.nulls.isEmpty {
            throw error(.validationMissingMandatoryProperty, info, nil)
        }
        guard !info.validationRules.isEmpty else { return }
        for row in 0..<column.count where !column.isNull(at: row) {
            if let value = ValueCoding.any(column[row], info) { try check(value as AnyObject, info) }
        }
    }

    /// Throws the error for the first predicate that refuses a value.
    package func check(_ value: AnyObject, _ info: Slot) throws {
        for (predicate, warning) in info.validationRules where !predicate.evaluate(with: value) {
            let code = (warning as? NSNumber).map { CocoaError.Code(rawValue: $0.intValue) }
            throw error(
                code ?? .managedObjectValidation, info, value, [NSValidationPredicateErrorKey: predicate],
                message: warning as? String)
        }
    }

    package func error(
        _ code: CocoaError.Code, _ info: Slot, _ value: AnyObject? = nil, _ more: [String: Any] = [:],
        message: String? = nil
    ) -> NSError {
        var userInfo: [String: Any] = [NSValidationKeyErrorKey: info.name]
        userInfo[NSValidationObjectErrorKey] = object
        userInfo[NSValidationValueErrorKey] = value
        userInfo.merge(more) { $1 }
        let text = message ?? "\"\(info.name)\" of \(entity): \(CoreDataError.explanation(of: code))"
        return CoreDataError.make(code, text, userInfo)
    }
}

import FirnFoundation
package import FirnLog
package import FirnModel
import Foundation

/// The model's rules for values, asked of whole columns.
package struct ColumnRules {
    private let entity: String

    package init(entity: String) { self.entity = entity }

    /// Throws Core Data's validation error for the first value that breaks a rule: a null where a value is mandatory, a
    /// value that its predicates refuse. Complexity: for a property without predicates O(rows / 64).
    package func check(_ column: Column, _ info: Slot) throws {
        guard !info.isPosition, !info.isCompositeLeaf || info.isOptional else { return }
        if !info.isOptional, !info.isDerived, !column.nulls.isEmpty {
            throw error(.validationMissingMandatoryProperty, info, nil)
        }
        let rules = info.validationRules
        guard !rules.isEmpty else { return }
        for row in 0..<column.count where !column.isNull(at: row) {
            guard let value = ValueCoding.any(column[row], info).map({ $0 as AnyObject }) else { continue }
            for (predicate, warning) in rules where !predicate.evaluate(with: value) {
                let code = (warning as? NSNumber).map { CocoaError.Code(rawValue: $0.intValue) }
                throw error(
                    code ?? .managedObjectValidation, info, value, [NSValidationPredicateErrorKey: predicate],
                    message: warning as? String)
            }
        }
    }

    private func error(
        _ code: CocoaError.Code, _ info: Slot, _ value: AnyObject?, _ more: [String: Any] = [:],
        message: String? = nil
    ) -> NSError {
        var userInfo: [String: Any] = [NSValidationKeyErrorKey: info.name]
        if let value { userInfo[NSValidationValueErrorKey] = value }
        userInfo.merge(more) { $1 }
        let text = message ?? "\"\(info.name)\" of \(entity): \(CoreDataError.explanation(of: code))"
        return CoreDataError.make(code, text, userInfo)
    }
}

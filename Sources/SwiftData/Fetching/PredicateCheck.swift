#if SwiftData
import FirnFoundation
import class FirnFoundation.NSComparisonPredicate
import class FirnFoundation.NSCompoundPredicate
import class FirnFoundation.NSExpression
import class FirnFoundation.NSPredicate

/// Finds, before a store is asked, comparisons that no store can make: into values that are stored encoded.
struct PredicateCheck {
    let shape: ModelShape

    func check(_ predicate: NSPredicate) throws {
        if let compound = predicate as? NSCompoundPredicate {
            for case let part as NSPredicate in compound.subpredicates { try check(part) }
        } else if let comparison = predicate as? NSComparisonPredicate {
            let isNull = [comparison.leftExpression, comparison.rightExpression].contains {
                $0.expressionType == .constantValue && $0.constantValue == nil
            }
            if isNull { return }
            try check(comparison.leftExpression)
            try check(comparison.rightExpression)
        }
    }

    private func check(_ expression: NSExpression) throws {
        switch expression.expressionType {
        case .keyPath: try check(keyPath: expression.keyPath)
        case .function: try expression.arguments?.forEach(check)
        case .conditional:
            try check(expression.predicate)
            try check(expression.true)
            try check(expression.false)
        default: break
        }
    }

    private func check(keyPath: String) throws {
        var current: ModelShape? = shape
        for name in keyPath.split(separator: ".") {
            guard let property = current?.property(named: String(name)) else { return }
            if case .attribute(let column) = property.kind, column?.isEncoded != false {
                throw SwiftDataError.unsupportedPredicate.because(
                    "\(shape.entityName).\(keyPath) is stored as it encodes itself: only nil can be told from it")
            }
            current = property.relationship.map { ModelShape.of($0.destination) }
        }
    }
}
#endif

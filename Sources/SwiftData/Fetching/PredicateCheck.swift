#if SwiftData
import FirnFoundation
import class FirnFoundation.NSComparisonPredicate
import class FirnFoundation.NSCompoundPredicate
import class FirnFoundation.NSExpression
import class FirnFoundation.NSPredicate
import FirnModel
import FirnRuntime
import Foundation

/// Finds, before a store is asked, comparisons that no store can make: into values that are stored encoded.
struct PredicateCheck {
    let shape: ModelShape
    /// The models that the variables of subqueries stand for.
    var variables: [String: ModelShape] = [:]
    /// Whether an encoded part of a structure is refused, too: structures are compared as wholes by their stored parts.
    private var refusesParts = true

    init(shape: ModelShape) { self.shape = shape }

    func check(_ predicate: NSPredicate) throws {
        if let compound = predicate as? NSCompoundPredicate {
            for case let part as NSPredicate in compound.subpredicates { try check(part) }
        } else if let comparison = predicate as? NSComparisonPredicate {
            let sides = [comparison.leftExpression, comparison.rightExpression]
            let constants = sides.filter { $0.expressionType == .constantValue }
            if constants.contains(where: { $0.constantValue == nil }) { return }
            var inner = self
            inner.refusesParts = ![.equalTo, .notEqualTo].contains(comparison.predicateOperatorType)
                || constants.contains { !($0.constantValue is Data) }
            try sides.forEach(inner.check)
        }
    }

    func check(_ expression: NSExpression) throws {
        switch expression.expressionType {
        case .keyPath: _ = try destination(expression)
        case .function: try expression.arguments?.forEach(check)
        case .aggregate:
            if case .aggregate(let members) = expression.node { try members.forEach(check) }
        case .conditional:
            try check(expression.predicate)
            try check(expression.true)
            try check(expression.false)
        case .subquery:
            var inner = self
            if case .subquery(let collection, let variable, let predicate) = expression.node {
                inner.variables[variable] = try destination(collection)
                try inner.check(predicate)
            }
        default: break
        }
    }

    /// The model that an expression leads to; nil for a value. Throws if it leads into a value that is encoded.
    private func destination(_ expression: NSExpression) throws -> ModelShape? {
        switch expression.node {
        case .evaluatedObject: return shape
        case .variable(let name): return variables[name]
        case .function(.cast, let arguments):
            guard case .constant(let entity as NSEntityDescription)? = arguments.last?.node else { return nil }
            return ConstantTranslation.objectIDs?.value.shape(of: entity)
        case .subquery(let collection, _, _):
            try check(expression)
            return try destination(collection)
        case .keyPath(let path, let operand):
            return try walk(path.string, from: operand.map { try destination($0) } ?? shape)
        default:
            try check(expression)
            return nil
        }
    }

    private func walk(_ path: String, from start: ModelShape?) throws -> ModelShape? {
        var current = start
        var parts: [CompositeElement]?
        for name in path.split(separator: ".") where name != "self" {
            if name.hasPrefix("@") { return nil }
            let part = parts?.first { $0.name == name }
            var column = part?.column
            if part == nil {
                guard let property = current?.property(named: String(name)) else { return nil }
                current = property.relationship.map { ModelShape.of($0.destination) }
                guard case .attribute(let own) = property.kind else { continue }
                column = own
            }
            if column?.isEncoded != false, refusesParts || part == nil {
                throw SwiftDataError.unsupportedPredicate.because(
                    "\(start?.entityName ?? shape.entityName).\(path) is stored as it encodes itself: only nil can be "
                        + "told from it")
            }
            parts = if case .composite(let elements)? = column?.form { elements } else { nil }
        }
        return current
    }
}
#endif

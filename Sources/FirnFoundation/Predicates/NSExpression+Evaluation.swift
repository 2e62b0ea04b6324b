import Foundation

extension NSExpression {
    /// The value for an object. Throws where `expressionValue(with:context:)` traps.
    ///
    /// - Throws: `ExpressionError`, or an error of key-value coding.
    public func value(
        for object: Any?, substitutionVariables: [String: Any]? = nil
    ) throws -> Any? {
        try value(in: EvaluationScope(object: object, bindings: substitutionVariables))
    }

    package func value(in scope: EvaluationScope) throws -> Any? {
        switch node {
        case .constant(let value): return value
        case .evaluatedObject: return scope.object
        case .variable(let name): return try scope.value(ofVariable: name)
        case .keyPath(let path, let operand):
            let start = operand == nil ? scope.object : try operand?.value(in: scope)
            return try scope.storeRules == nil ? keyValue(of: start, at: path) : joinedValue(of: start, at: path)
        case .computedKeyPath(let path, let operand):
            return try computedValue(path, operand, in: scope)
        case .function(let function, let arguments):
            let values = try arguments.map { try $0.value(in: scope) }
            return try scope.storeRules == nil
                ? FunctionTable.value(of: function, values) : FunctionTable.storedValue(of: function, values)
        case .method(let name, let operand, let arguments):
            return try Methods.value(
                of: name, on: try operand.value(in: scope),
                try arguments.map { try $0.value(in: scope) })
        case .set(let operation, let left, let right):
            return try SetFunctions.value(
                of: operation, try left.value(in: scope), try right.value(in: scope))
        case .subquery(let collection, let variable, let predicate):
            return try subqueryValue(collection, variable, predicate, in: scope)
        case .aggregate(let members):
            return try members.map { try $0.value(in: scope) ?? NSNull() }
        case .conditional(let predicate, let first, let second):
            return try (predicate.holds(in: scope) ? first : second).value(in: scope)
        case .block(let block, let arguments):
            let values = try arguments.map { try $0.value(in: scope) ?? NSNull() as Any }
            return block(scope.object, values, scope.allBindings.map { NSMutableDictionary(dictionary: $0) })
        case .fetch(let request, let context, let countsOnly):
            return try Self.answer(request, context, countsOnly, scope, asIdentities: false)
        case .anyKey:
            throw ExpressionError("ANYKEY is for Spotlight queries; an object cannot answer it")
        }
    }

    /// The value at a key path that a variable names, or at the one a variable's expression is.
    private func computedValue(
        _ path: NSExpression, _ operand: NSExpression, in scope: EvaluationScope
    ) throws -> Any? {
        let start = try operand.value(in: scope)
        let name = try path.value(in: scope)
        guard let name = name as? String else {
            throw ExpressionError("\(path) must be a key, but is \(name ?? "nil")")
        }
        return try keyValue(of: start, at: KeyPathComponents(name))
    }

    /// The members for which the predicate holds: an array of an ordered collection, a set of a set.
    private func subqueryValue(
        _ collection: NSExpression, _ variable: String, _ predicate: NSPredicate,
        in scope: EvaluationScope
    ) throws -> Any? {
        let value = try collection.value(in: scope)
        guard let value, !ValueComparison.isNull(value) else { return [Any]() }
        guard let members = collectionMembers(of: value) else {
            throw ExpressionError("SUBQUERY needs a collection, but \(collection) is \(value)")
        }
        let found = try members.filter { try predicate.holds(in: scope.adding(variable, $0)) }
        if case .set = PlainValue(value) { return uniqueMembers(of: found) }
        return found
    }
}

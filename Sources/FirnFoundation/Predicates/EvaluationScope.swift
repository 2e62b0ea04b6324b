import Foundation

/// The surroundings in which an expression is evaluated: the object, and the values of the variables.
package struct EvaluationScope {
    /// The value of `SELF`.
    package let object: Any?
    /// The rules of comparisons; nil for those of Foundation.
    let storeRules: StoreRules?

    private let bindings: [String: Any]?
    /// The variables of the subqueries around, the innermost last.
    private var members: [(name: String, value: Any?)] = []

    package init(object: Any?, bindings: [String: Any]? = nil, storeRules: StoreRules? = nil) {
        self.object = object
        self.storeRules = storeRules
        self.bindings = bindings
    }

    /// The scope within a subquery, where the variable stands for the member.
    func adding(_ name: String, _ value: Any?) -> EvaluationScope {
        var scope = self
        scope.members.append((name, value))
        return scope
    }

    /// The value of a variable. A variable that is bound to an expression has that expression's value.
    func value(ofVariable name: String) throws -> Any? {
        if let member = members.last(where: { $0.name == name }) { return member.value }
        guard let value = bindings?[name] else {
            throw ExpressionError(
                "the variable $\(name) has no value; give it one among the substitution variables")
        }
        if let expression = value as? NSExpression { return try expression.value(in: self) }
        return ValueComparison.isNull(value) ? nil : value
    }

    /// All variables, for closures and for subclasses outside this module.
    var allBindings: [String: Any]? {
        guard !members.isEmpty else { return bindings }
        var all = bindings ?? [:]
        for member in members { all[member.name] = member.value ?? NSNull() }
        return all
    }
}

/// The rules by which a store compares: it converts values of different kinds as its columns do.
package struct StoreRules: Sendable {
    /// Whether a comparison with nil is neither true nor false, as in SQL. Else nil differs from all values.
    let nullIsUnknown: Bool
}

extension NSPredicate {
    /// Whether the predicate holds for the object. Throws where `evaluate(with:substitutionVariables:)` traps.
    ///
    /// - Throws: `ExpressionError`, or an error of key-value coding or of a regular expression.
    public func holds(
        for object: Any?, substitutionVariables: [String: Any]? = nil
    ) throws -> Bool {
        try checkDepth()
        return try holds(in: EvaluationScope(object: object, bindings: substitutionVariables))
    }

    /// Whether a fetch returns the object. A number and a text are compared as the store's columns compare them. Values
    /// without an order are neither less nor greater. `nullIsUnknown` is the `NullRule.store` of the fetch.
    ///
    /// For a subclass that the program declares, `evaluate(with:)` is called.
    package func holdsAsStored(for object: Any?, nullIsUnknown: Bool) throws -> Bool {
        let type = Swift.type(of: self)
        guard type == NSComparisonPredicate.self || type == NSCompoundPredicate.self else {
            return evaluate(with: object)
        }
        try checkDepth()
        return try holds(in: EvaluationScope(object: object, storeRules: StoreRules(nullIsUnknown: nullIsUnknown)))
    }

    /// `holds` that stops the program on an error, as Apple's `evaluate` does.
    func holdsOrTrap(for object: Any?, _ bindings: [String: Any]?) -> Bool {
        do {
            try checkDepth()
            return try holds(in: EvaluationScope(object: object, bindings: bindings))
        } catch {
            misuse("cannot evaluate \(predicateFormat.prefix(1_000)): \(error)")
        }
    }
}

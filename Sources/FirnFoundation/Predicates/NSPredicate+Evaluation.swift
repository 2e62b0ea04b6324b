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
    /// without an order are neither less nor greater.
    ///
    /// For a subclass that the program declares, `evaluate(with:)` is called.
    package func holdsAsStored(for object: Any?) throws -> Bool {
        let type = Swift.type(of: self)
        guard type == NSComparisonPredicate.self || type == NSCompoundPredicate.self else {
            return evaluate(with: object)
        }
        try checkDepth()
        return try holds(in: EvaluationScope(object: object, comparesAsStored: true))
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

extension NSPredicate {
    /// Whether the predicate holds for the object; what cannot be answered throws, where
    /// `evaluate(with:substitutionVariables:)` traps.
    ///
    /// - Throws: `ExpressionError`, or an error of key-value coding or of a regular expression.
    public func holds(
        for object: Any?, substitutionVariables: [String: Any]? = nil
    ) throws -> Bool {
        try checkDepth()
        return try holds(in: EvaluationScope(object: object, bindings: substitutionVariables))
    }

    /// Whether a fetch finds the object: a number and a text are compared as the store's columns compare them, and
    /// values without an order are not ordered.
    ///
    /// A subclass of the program's own answers for itself.
    package func holdsAsStored(for object: Any?) throws -> Bool {
        let type = Swift.type(of: self)
        guard type == NSComparisonPredicate.self || type == NSCompoundPredicate.self else {
            return evaluate(with: object)
        }
        try checkDepth()
        return try holds(in: EvaluationScope(object: object, comparesAsStored: true))
    }

    /// `holds`, with an error as the end of the program: what Apple's `evaluate` does.
    func holdsOrTrap(for object: Any?, _ bindings: [String: Any]?) -> Bool {
        do {
            try checkDepth()
            return try holds(in: EvaluationScope(object: object, bindings: bindings))
        } catch {
            misuse("cannot evaluate \(predicateFormat.prefix(1_000)): \(error)")
        }
    }
}

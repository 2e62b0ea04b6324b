extension NSPredicate {
    /// Whether the predicate holds for the object; what cannot be answered throws, where
    /// `evaluate(with:substitutionVariables:)` traps.
    ///
    /// - Throws: `ExpressionError`, or an error of key-value coding or of a regular expression.
    public func holds(
        for object: Any?, substitutionVariables: [String: Any]? = nil
    ) throws -> Bool {
        try holds(in: EvaluationScope(object: object, bindings: substitutionVariables))
    }

    /// `holds`, with an error as the end of the program: what Apple's `evaluate` does.
    func holdsOrTrap(for object: Any?, _ bindings: [String: Any]?) -> Bool {
        do {
            return try holds(in: EvaluationScope(object: object, bindings: bindings))
        } catch {
            misuse("cannot evaluate \(predicateFormat): \(error)")
        }
    }
}

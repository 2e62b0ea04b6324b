extension NSExpression {
    /// The expression that a format string describes, with arguments for its `%@`, `%K`, `%d` … in order.
    ///
    /// Traps on a mistake in the format; `init(validatingFormat:argumentArray:)` throws it.
    public convenience init(format expressionFormat: String, _ args: CVarArg...) {
        self.init(clusterMember: Self.parsedOrTrap(expressionFormat, args.map { $0 as Any }))
    }

    /// The expression that a format string describes, with the arguments in an array; `NSNull` stands for nil.
    public convenience init(format expressionFormat: String, argumentArray arguments: [Any]) {
        self.init(clusterMember: Self.parsedOrTrap(expressionFormat, arguments))
    }

    /// The expression that a format string describes; a mistake in it is thrown as a `PredicateFormatError`.
    public convenience init(
        validatingFormat expressionFormat: String, argumentArray arguments: [Any] = []
    ) throws {
        var parser = FormatParser(expressionFormat, arguments: arguments)
        self.init(clusterMember: try parser.parseExpression())
    }

    private static func parsedOrTrap(_ format: String, _ arguments: [Any]) -> NSExpression {
        do {
            var parser = FormatParser(format, arguments: arguments)
            return try parser.parseExpression()
        } catch {
            fatalError("\(error)\n\(error.diagram)")
        }
    }
}

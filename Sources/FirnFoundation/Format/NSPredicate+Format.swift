import Foundation

extension NSPredicate {
    /// The predicate that a format describes: put together from its template if it has one, else parsed.
    static func parsed(_ format: String, _ arguments: [Any]) throws(PredicateFormatError) -> NSPredicate {
        if let known = FormatTemplates.template(for: format)?.predicate(arguments) { return known }
        var parser = FormatParser(format, arguments: arguments)
        return try parser.parsePredicate()
    }

    package static func parsedOrTrap(_ format: String, _ arguments: [Any]) -> NSPredicate {
        do {
            return try parsed(format, arguments)
        } catch {
            fatalError("\(error)\n\(error.diagram)")
        }
    }
}

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

extension NSExpression {
    /// The node of `CAST(value, type)`. If both are constants and the language has no literal for the result, it is the
    /// resulting constant. So a date that `predicateFormat` printed parses back to that date.
    static func castNode(_ value: NSExpression, _ type: NSExpression) -> Node {
        guard case .constant(let name as String) = type.node,
            ["NSDate", "NSDecimalNumber", "NSUUID", "NSURL", "NSData", "NSSet"].contains(name),
            let literal = value.literal,
            let result = try? Casting.cast(literal, to: name)
        else { return .function(.cast, [value, type]) }
        return .constant(result)
    }

    /// The value of a constant or of an aggregate of such; nil for what must be evaluated.
    private var literal: Any? {
        switch node {
        case .constant(let value): return value
        case .aggregate(let members):
            let values = members.compactMap(\.literal)
            return values.count == members.count ? values : nil
        default: return nil
        }
    }
}

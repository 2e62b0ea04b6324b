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

extension NSPredicate {
    package static func parsedOrTrap(_ format: String, _ arguments: [Any]) -> NSPredicate {
        do {
            var parser = FormatParser(format, arguments: arguments)
            return try parser.parsePredicate()
        } catch {
            fatalError("\(error)\n\(error.diagram)")
        }
    }
}

import SwiftTokens

/// The methods of migration policies that a mapping model's expressions call: `FUNCTION($entityPolicy, "upper:", …)`.
extension Porter {
    private struct Method {
        /// The name that Objective-C has for it.
        var selector: String
        var name: String
        /// The label of each parameter; nil for none.
        var labels: [String?]

        var call: String {
            let arguments = labels.enumerated().map { index, label in
                (label.map { $0 + ": " } ?? "") + "try portedArgument(arguments[\(index)])"
            }
            return "\(name)(\(arguments.joined(separator: ", ")))"
        }
    }

    /// Writes the override that answers the calls of the class's `@objc` methods.
    mutating func portMethods() {
        for type in outline.types where type.keyword == "class" {
            guard index.policies.contains(type.name) || type.parent == "NSMigrationManager" else { continue }
            let isListed = (type.start..<type.keywordIndex).contains { source.isWord("objcMembers", at: $0) }
            let places = outline.types.filter { $0.name == type.name }.flatMap { body in
                (body.open..<body.close).filter {
                    source.isWord("func", at: $0) && outline.type(around: $0)?.open == body.open
                }
            }
            let methods = places.compactMap { method(at: $0, isListed) }
            let answers = places.contains { source.isWord("ofMethod", at: $0 + 3) }
            guard !methods.isEmpty, !answers else { continue }
            let cases = methods.map { "case (\"\($0.selector)\", \($0.labels.count)): return \($0.call)" }
            let isPublic = (type.start..<type.keywordIndex).contains {
                ["public", "open"].contains(source.text(at: $0))
            }
            let text =
                (isPublic ? "public " : "")
                + "override func value(ofMethod name: String, arguments: [Any?]) throws -> Any? { "
                + "switch (name, arguments.count) { \(cases.joined(separator: "; ")); "
                + "default: return try super.value(ofMethod: name, arguments: arguments) } }"
            insert(
                " \(text) ", before: source.tokens[type.close].range,
                applied: .text("\n#if !canImport(ObjectiveC)\n\(text)\n#endif\n"))
            support.insert(.methodArgument)
            report(.migrationMethod, at: type.keywordIndex, "class \(type.name)")
        }
    }

    /// A method that Objective-C knows, has a result, and does not throw.
    private func method(at place: Int, _ isListed: Bool) -> Method? {
        let modifiers = source.declarationStart(place)..<place
        let attribute = modifiers.first { source.isWord("objc", at: $0) }
        guard attribute != nil || isListed, source.isWord(at: place + 1),
            !modifiers.contains(where: { ["static", "class", "private"].contains(source.text(at: $0)) }),
            source.isSign("(", at: place + 2)
        else { return nil }
        let close = source.close(of: place + 2)
        guard source.text(at: close + 1).hasPrefix("-") else { return nil }
        var labels: [String?] = []
        var index = place + 3
        var startsParameter = true
        while index < close {
            if startsParameter { labels.append(source.text(at: index) == "_" ? nil : source.text(at: index)) }
            startsParameter = source.isSign(",", at: index)
            let opens = ["(", "[", "<"].contains { source.isSign($0, at: index) }
            index = (opens ? source.close(of: index) : index) + 1
        }
        let name = source.text(at: place + 1)
        guard let attribute, source.isSign("(", at: attribute + 1) else {
            return Method(selector: Self.selector(name, labels), name: name, labels: labels)
        }
        let words = (attribute + 2)..<source.close(of: attribute + 1)
        return Method(selector: words.map { source.text(at: $0) }.joined(), name: name, labels: labels)
    }

    /// `uuid(id:in:)` is `uuidWithId:in:`, `uuid(for:)` is `uuidFor:`.
    private static func selector(_ name: String, _ labels: [String?]) -> String {
        guard let first = labels.first else { return name }
        var result = name
        if let first {
            let word = String(first.prefix { !$0.isUppercase })
            let lastWord = (name.lastIndex(where: \.isUppercase).map { String(name[$0...]) } ?? name).lowercased()
            if !prepositions.contains(word), !prepositions.contains(lastWord) { result += "With" }
            result += first.prefix(1).uppercased() + first.dropFirst()
        }
        return result + ":" + labels.dropFirst().map { ($0 ?? "") + ":" }.joined()
    }

    /// Before or behind these words the compiler puts no "With" into a name.
    private static let prepositions: Set<String> = [
        "above", "after", "along", "alongside", "as", "at", "before", "below", "by", "following", "for", "from",
        "given", "in", "including", "inside", "into", "matching", "of", "on", "passing", "preceding", "since", "to",
        "until", "using", "via", "when", "with", "within",
    ]
}

extension PortSupport {
    static let methodArgumentText = """
        /// An argument of a mapping model's expression, as the type that a method takes.
        func portedArgument<Value>(_ value: Any?) throws -> Value {
            if let value = value as? Value { return value }
            // An object of Foundation holds what is a value in Swift.
            if let value, let object = (value as AnyObject) as? Value { return object }
            throw CocoaError(
                .init(rawValue: 134170),
                userInfo: [NSLocalizedDescriptionKey: "\\(value ?? "nil") is no \\(Value.self)"])
        }

        """
}

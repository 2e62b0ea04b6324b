package import FirnModel

extension String {
    private static let keywords: Set<String> = [
        "Any", "as", "associatedtype", "await", "break", "case", "catch", "class", "continue",
        "default", "defer",
        "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for",
        "func", "guard",
        "if", "import", "in", "init", "inout", "internal", "is", "let", "nil", "operator",
        "private", "protocol",
        "public", "repeat", "rethrows", "return", "self", "Self", "static", "struct", "subscript",
        "super", "switch",
        "throw", "throws", "true", "try", "Type", "typealias", "var", "where", "while",
    ]

    /// Whether the text can be a Swift identifier, in backticks if needed.
    var canBeIdentifier: Bool {
        guard let first = unicodeScalars.first else { return false }
        return (first == "_" || first.properties.isXIDStart)
            && unicodeScalars.dropFirst().allSatisfy { $0.properties.isXIDContinue }
    }

    /// The text as a name in Swift.
    var asIdentifier: String { Self.keywords.contains(self) ? "`\(self)`" : self }

    /// A Swift string literal.
    var asLiteral: String {
        var text = "\""
        for scalar in unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case _ where scalar.value < 0x20: text += "\\u{\(String(scalar.value, radix: 16))}"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }

    /// With its first letter in upper case, as in `addToBooks`.
    var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}

extension NSManagedObjectModel {
    /// Adds the module to class names that have none, or have a leading dot for the current module. Xcode's compiler
    /// does the same, so that `NSStringFromClass` gives the name in the model.
    package func qualifyClassNames(module: String) {
        for entity in entities {
            guard let name = entity.explicitClassName, !name.isEmpty, name != "NSManagedObject" else { continue }
            let bare = name.drop { $0 == "." }
            if !bare.contains(".") { entity.explicitClassName = "\(module).\(bare)" }
        }
    }
}

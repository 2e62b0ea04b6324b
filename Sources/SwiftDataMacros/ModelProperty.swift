#if SwiftData
import SwiftSyntax

/// A stored property of a model, as `@Model` reads it.
struct ModelProperty {
    /// As it is written, backticks included.
    let name: String
    let type: TypeSyntax?
    let defaultValue: ExprSyntax?
    /// `@Attribute` or `@Relationship`.
    let marker: AttributeSyntax?

    /// Nil for what is not persisted.
    init?(_ variable: VariableDeclSyntax) {
        guard variable.isPersisted, let name = variable.singleName, let binding = variable.bindings.first else {
            return nil
        }
        self.name = name
        type = binding.typeAnnotation?.type.trimmed
        defaultValue = binding.initializer?.value.trimmed
        marker = variable.attribute("Attribute") ?? variable.attribute("Relationship")
    }

    var plainName: String { name.withoutBackticks }

    /// The row of `schemaMetadata`.
    func metadata(of model: String) -> String {
        let value: String =
            switch (defaultValue, type) {
            case (let value?, let type?) where !value.is(NilLiteralExprSyntax.self): "(\(value)) as \(type)"
            case (let value?, nil): "\(value)"
            default: "nil"
            }
        return """
            SwiftData.Schema.PropertyMetadata(name: "\(plainName)", keypath: \\\(model).\(name), \
            defaultValue: \(value), metadata: \(marker.map(Self.schemaProperty) ?? "nil"))
            """
    }

    /// `@Attribute(.unique)` as `SwiftData.Schema.Attribute(.unique)`.
    private static func schemaProperty(_ marker: AttributeSyntax) -> String {
        let name = marker.attributeName.trimmedDescription.split(separator: ".").last.map(String.init) ?? ""
        let arguments = marker.arguments?.trimmedDescription ?? ""
        return "SwiftData.Schema.\(name)(\(arguments))"
    }
}

extension VariableDeclSyntax {
    /// The name of the variable, if it declares just one.
    var singleName: String? {
        guard bindings.count == 1 else { return nil }
        return bindings.first?.pattern.as(IdentifierPatternSyntax.self)?.identifier.trimmed.text
    }

    /// Whether it is a stored property of instances that is not marked `@Transient`.
    var isPersisted: Bool { isStoredInInstance && attribute("Transient") == nil }

    var isStoredInInstance: Bool {
        let isOfType = modifiers.contains { [.keyword(.static), .keyword(.class)].contains($0.name.tokenKind) }
        let isLazy = modifiers.contains { $0.name.tokenKind == .keyword(.lazy) }
        return !isOfType && !isLazy && bindings.allSatisfy { $0.isStored }
    }

    /// The attribute of this name, which may be written with its module.
    func attribute(_ name: String) -> AttributeSyntax? {
        attributes.lazy.compactMap { $0.as(AttributeSyntax.self) }.first {
            let written = $0.attributeName.trimmedDescription
            return written == name || written == "SwiftData." + name
        }
    }
}

extension PatternBindingSyntax {
    fileprivate var isStored: Bool {
        switch accessorBlock?.accessors {
        case nil: true
        case .getter: false
        case .accessors(let list):
            list.allSatisfy {
                [.keyword(.willSet), .keyword(.didSet)].contains($0.accessorSpecifier.tokenKind)
            }
        }
    }
}

extension String {
    var withoutBackticks: String { filter { $0 != "`" } }
}
#endif

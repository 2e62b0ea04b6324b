#if SwiftData
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@Attribute`, `@Relationship` and `@Transient`: `@Model` reads them, alone they add nothing.
struct PropertyMarkerMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        []
    }
}

/// `#Unique` and `#Index`: `@Model` reads them, alone they add nothing.
struct DeclarationMarkerMacro: DeclarationMacro {
    static func expansion(
        of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        []
    }
}

/// The accessors of a persisted property: they go through the backing data and tell observers.
struct PersistedPropertyMacro: PersistedMacro {
    static let value = "Value"
}

/// The accessors of a property whose values a `ValueTransformer` stores.
struct TransformablePersistedPropertyMacro: PersistedMacro {
    static let value = "TransformableValue"
}

/// A macro whose accessors name a value of the backing data.
protocol PersistedMacro: AccessorMacro, PeerMacro {
    /// How the backing data names the value.
    static var value: String { get }
}

extension PersistedMacro {
    static func expansion(
        of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AccessorDeclSyntax] {
        PersistedAccessors.make(for: declaration, value: value)
    }

    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        PersistedAccessors.makePeer(for: declaration)
    }
}

private enum PersistedAccessors {
    static func make(for declaration: some DeclSyntaxProtocol, value: String) -> [AccessorDeclSyntax] {
        guard let variable = declaration.as(VariableDeclSyntax.self), let name = variable.singleName else { return [] }
        let marker = "_" + name.withoutBackticks
        let type = value == PersistedPropertyMacro.value ? variable.bindings.first?.typeAnnotation?.type : nil
        return [
            """
            @storageRestrictions(accesses: _$backingData, initializes: \(raw: marker))
            init(initialValue) {
            \(raw: checks(of: variable, name))\
                _$backingData.set\(raw: value)(forKey: \\.\(raw: name), to: initialValue)
                \(raw: marker) = _SwiftDataNoType()
            }
            """,
            """
            get {
                _$backingData.get\(raw: value)(forKey: \\.\(raw: name), of: self, observedBy: _$observationRegistrar)
            }
            """,
            """
            set {
                guard let _$registrar else {
                    return _$backingData.set\(raw: value)(forKey: \\.\(raw: name), to: newValue, of: self)
                }
                _$registrar.withMutation(of: self, keyPath: \\.\(raw: name)) {
                    _$backingData.set\(raw: value)(forKey: \\.\(raw: name), to: newValue, of: self)
                }
            }
            """,
        ] + (isList(type) ? [changeInPlace(name)] : [])
    }

    /// Whether a type is written as an array, or as an optional one.
    private static func isList(_ type: TypeSyntax?) -> Bool {
        if let optional = type?.as(OptionalTypeSyntax.self) { return isList(optional.wrappedType) }
        return type?.is(ArrayTypeSyntax.self) == true || type?.as(IdentifierTypeSyntax.self)?.name.text == "Array"
    }

    /// An accessor by which models are appended to a relationship without a copy of the others.
    private static func changeInPlace(_ name: String) -> AccessorDeclSyntax {
        """
        _modify {
            var value = _$backingData.editableValue(
                forKey: \\.\(raw: name), of: self, observedBy: _$observationRegistrar)
            defer { self.\(raw: name) = value }
            yield &value
        }
        """
    }

    /// Calls that compile only if a relationship and its inverse lead to models. They do nothing.
    private static func checks(of variable: VariableDeclSyntax, _ name: String) -> String {
        guard let marker = variable.attribute("Relationship") else { return "" }
        var checks = "    _$backingData.check(relationship: \\.\(name))\n"
        if let inverse = marker.argument("inverse")?.as(KeyPathExprSyntax.self), inverse.root != nil {
            checks += "    _$backingData.check(inverse: \(inverse.trimmedDescription))\n"
        }
        return checks
    }

    /// The peer that the `init` accessor initializes: it takes no memory.
    static func makePeer(for declaration: some DeclSyntaxProtocol) -> [DeclSyntax] {
        guard let name = declaration.as(VariableDeclSyntax.self)?.singleName else { return [] }
        return ["@Transient private var _\(raw: name.withoutBackticks): _SwiftDataNoType = _SwiftDataNoType()"]
    }
}
#endif

#if SwiftData
import SwiftSyntax
import SwiftSyntaxBuilder

/// A class that `@Model` is attached to, and the members that it gets.
struct ModelDeclaration {
    let syntax: ClassDeclSyntax
    let name: String
    let properties: [ModelProperty]
    /// Whether a superclass is a model already: the compiler then asks for no conformance.
    let hasModelSuperclass: Bool

    init?(_ declaration: some DeclGroupSyntax, conformances: [TypeSyntax]) {
        guard let declaration = declaration.as(ClassDeclSyntax.self) else { return nil }
        syntax = declaration
        name = declaration.name.trimmed.text
        properties = declaration.memberBlock.members
            .compactMap { $0.decl.as(VariableDeclSyntax.self) }.compactMap(ModelProperty.init)
        hasModelSuperclass = !conformances.contains { $0.trimmedDescription.hasSuffix("PersistentModel") }
            && declaration.inheritanceClause != nil
    }

    private var isFinal: Bool { syntax.modifiers.contains { $0.name.tokenKind == .keyword(.final) } }

    /// With a space, if there is one: members that a protocol asks for are as visible as their class.
    private var access: String {
        let levels: [TokenKind] = [.keyword(.public), .keyword(.open), .keyword(.package)]
        guard let level = syntax.modifiers.first(where: { levels.contains($0.name.tokenKind) }) else { return "" }
        return level.name.tokenKind == .keyword(.package) ? "package " : "public "
    }

    var members: [DeclSyntax] {
        [backingData] + (hasModelSuperclass ? [] : [persistentBackingData, modelStorage]) + [
            schemaMetadata, initializer, registrar, lazyRegistrar, accessFunction, mutationFunction, noType,
        ]
    }

    private var backingData: DeclSyntax {
        """
        @Transient
        private var _$backingData: SwiftData.ModelBackingData<\(raw: name)> = \(raw: name).newBackingData()
        """
    }

    private var modelStorage: DeclSyntax {
        """
        \(raw: access)var modelStorage: AnyObject {
            _$backingData.storage
        }
        """
    }

    private var persistentBackingData: DeclSyntax {
        """
        \(raw: access)var persistentBackingData: any SwiftData.BackingData<\(raw: name)> {
            get {
                _$backingData
            }
            set {
                _$backingData = SwiftData.ModelBackingData(newValue)
            }
        }
        """
    }

    private var schemaMetadata: DeclSyntax {
        let rows = properties.map { $0.metadata(of: name) } + declarationRows
        let list = rows.map { "        " + $0 + "," }.joined(separator: "\n")
        // A subclass adds its own properties to those of its superclasses.
        let kind = (hasModelSuperclass ? "override " : "") + (isFinal && !hasModelSuperclass ? "static" : "class")
        return """
            \(raw: access)\(raw: kind) var schemaMetadata: [SwiftData.Schema.PropertyMetadata] {
                return [
            \(raw: list)
                ]
            }
            """
    }

    /// `#Unique<Trip>([\.name])` and `#Index` as rows of `schemaMetadata`.
    private var declarationRows: [String] {
        declarationMacros.map { macro in
            let kind = macro.macroName.text
            let arguments = macro.arguments.trimmedDescription
            return """
                SwiftData.Schema.PropertyMetadata(name: "\(kind.lowercased())", keypath: \\\(name).self, \
                defaultValue: nil, metadata: SwiftData.Schema.\(kind)<\(name)>(\(arguments)))
                """
        }
    }

    /// `#Unique` and `#Index`.
    var declarationMacros: [MacroExpansionDeclSyntax] {
        syntax.memberBlock.members.compactMap { $0.decl.as(MacroExpansionDeclSyntax.self) }
            .filter { ["Unique", "Index"].contains($0.macroName.text) }
    }

    /// A superclass that is no model has its `init()` called, without a word here.
    private var initializer: DeclSyntax {
        let markers = properties.map { "    _\($0.plainName) = _SwiftDataNoType()\n" }.joined()
        if hasModelSuperclass {
            return """
                \(raw: access)required init(backingData: any SwiftData.BackingData<\(raw: name).Root>) {
                \(raw: markers)    super.init(backingData: backingData)
                }
                """
        }
        return """
            \(raw: access)required init(backingData: any SwiftData.BackingData<\(raw: name)>) {
            \(raw: markers)    _$backingData = SwiftData.ModelBackingData(backingData)
            }
            """
    }

    /// Nil until a property is read: nobody observes one before. Most models that are made, or fetched to be deleted,
    /// need none.
    private var registrar: DeclSyntax {
        "@Transient private var _$registrar: SwiftData.ModelRegistrar?"
    }

    private var lazyRegistrar: DeclSyntax {
        """
        private var _$observationRegistrar: SwiftData.ModelRegistrar {
            if let _$registrar {
                return _$registrar
            }
            let made = SwiftData.ModelRegistrar()
            _$registrar = made
            return made
        }
        """
    }

    private var accessFunction: DeclSyntax {
        """
        internal nonisolated func access<_M>(keyPath: KeyPath<\(raw: name), _M>) {
            _$observationRegistrar.access(self, keyPath: keyPath)
        }
        """
    }

    private var mutationFunction: DeclSyntax {
        """
        internal nonisolated func withMutation<_M, _MR>(
            keyPath: KeyPath<\(raw: name), _M>, _ mutation: () throws -> _MR
        ) rethrows -> _MR {
            try _$observationRegistrar.withMutation(of: self, keyPath: keyPath, mutation)
        }
        """
    }

    private var noType: DeclSyntax {
        """
        struct _SwiftDataNoType {
        }
        """
    }
}
#endif

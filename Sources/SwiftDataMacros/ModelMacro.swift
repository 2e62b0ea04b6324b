#if SwiftData
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@Model`: makes a class a persistent model.
struct ModelMacro {}

extension ModelMacro: MemberMacro {
    static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let model = ModelDeclaration(declaration, conformances: protocols) else {
            let introducer = declaration.introducer
            let isType = declaration.is(StructDeclSyntax.self) || declaration.is(ActorDeclSyntax.self)
            let fixIts = isType ? [PropertyFixIt.introduce(introducer, as: .class)] : []
            context.diagnose(ModelDiagnostic.notAClass.at(introducer, name: introducer.text, fixIts: fixIts))
            return []
        }
        ModelChecks(model: model).run(in: context)
        return model.members
    }
}

extension ModelMacro: MemberAttributeMacro {
    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingAttributesFor member: some DeclSyntaxProtocol, in context: some MacroExpansionContext
    ) throws -> [AttributeSyntax] {
        guard declaration.is(ClassDeclSyntax.self), let variable = member.as(VariableDeclSyntax.self),
            let property = ModelProperty(variable)
        else { return [] }
        let options = property.marker?.arguments?.trimmedDescription ?? ""
        return options.contains("transformable(")
            ? ["@_TransformablePersistedProperty"] : ["@_PersistedProperty"]
    }
}

extension ModelMacro: ExtensionMacro {
    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        guard declaration.is(ClassDeclSyntax.self) else { return [] }
        let name = type.trimmedDescription
        return try protocols.map { conformance in
            let conformance = conformance.trimmedDescription
            guard conformance.hasSuffix("Sendable") else {
                let isObservable = conformance.hasSuffix("Observable")
                let module = isObservable ? "Observation.Observable" : "SwiftData.PersistentModel"
                return try ExtensionDeclSyntax("nonisolated extension \(raw: name): \(raw: module) {}")
            }
            return try ExtensionDeclSyntax(
                """
                @available(*, unavailable, message: "A model belongs to its context: send its persistentModelID")
                extension \(raw: name): Sendable {}
                """)
        }
    }
}
#endif

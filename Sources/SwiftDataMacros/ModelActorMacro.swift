#if SwiftData
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@ModelActor`: an actor with a context of its own, whose executor runs its work.
struct ModelActorMacro {}

extension ModelActorMacro: MemberMacro {
    static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let actor = declaration.as(ActorDeclSyntax.self) else {
            let introducer = declaration.introducer
            let isType = declaration.is(StructDeclSyntax.self) || declaration.is(ClassDeclSyntax.self)
            let fixIts = isType ? [PropertyFixIt.introduce(introducer, as: .actor)] : []
            context.diagnose(ModelDiagnostic.notAnActor.at(introducer, name: introducer.text, fixIts: fixIts))
            return []
        }
        let levels: [TokenKind] = [.keyword(.public), .keyword(.package)]
        let access = actor.modifiers.first { levels.contains($0.name.tokenKind) }.map { $0.name.text + " " } ?? ""
        return [
            "\(raw: access)nonisolated let modelExecutor: any SwiftData.ModelExecutor",
            "\(raw: access)nonisolated let modelContainer: SwiftData.ModelContainer",
            """
            \(raw: access)init(modelContainer: SwiftData.ModelContainer) {
                let modelContext = ModelContext(modelContainer)
                self.modelExecutor = DefaultSerialModelExecutor(modelContext: modelContext)
                self.modelContainer = modelContainer
            }
            """,
        ]
    }
}

extension ModelActorMacro: ExtensionMacro {
    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        guard declaration.is(ActorDeclSyntax.self), !protocols.isEmpty else { return [] }
        return [try ExtensionDeclSyntax("extension \(raw: type.trimmedDescription): SwiftData.ModelActor {}")]
    }
}
#endif

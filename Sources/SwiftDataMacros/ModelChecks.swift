#if SwiftData
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// Finds what cannot be a model, and the properties of one that cannot be what they are declared to be.
struct ModelChecks {
    let model: ModelDeclaration

    func run(in context: some MacroExpansionContext) {
        if let generics = model.syntax.genericParameterClause {
            context.diagnose(ModelDiagnostic.genericModel.at(generics, name: model.name))
        }
        // One in a block of #if may be there.
        let hasInitializer = model.syntax.memberBlock.members.contains {
            $0.decl.is(InitializerDeclSyntax.self) || $0.decl.is(IfConfigDeclSyntax.self)
        }
        if !model.hasModelSuperclass, !hasInitializer {
            context.diagnose(ModelDiagnostic.noInitializer.at(model.syntax.name, name: model.name))
        }
        for macro in model.declarationMacros { diagnostics(of: macro).forEach(context.diagnose) }
        for variable in model.syntax.memberBlock.members.compactMap({ $0.decl.as(VariableDeclSyntax.self) }) {
            diagnostics(of: variable).forEach(context.diagnose)
        }
    }

    /// `#Unique<B>` in another class, and key paths that lead to no saved property.
    private func diagnostics(of macro: MacroExpansionDeclSyntax) -> [Diagnostic] {
        var found: [Diagnostic] = []
        if let type = macro.genericArgumentClause?.arguments.first?.argument.as(TypeSyntax.self), !isModel(type) {
            let fixIts = [PropertyFixIt.name(type, model.name)]
            found.append(ModelDiagnostic.otherModel.at(type, name: model.name, fixIts: fixIts))
        }
        // A superclass's properties are not known here.
        if model.hasModelSuperclass { return found }
        let finder = KeyPathFinder(viewMode: .sourceAccurate)
        finder.walk(macro.arguments)
        let names = Set(model.properties.map(\.plainName))
        for keyPath in finder.keyPaths {
            guard let first = keyPath.components.first?.component.as(KeyPathPropertyComponentSyntax.self) else {
                continue
            }
            let name = first.declName.baseName.text.withoutBackticks
            if !names.contains(name) { found.append(ModelDiagnostic.unknownProperty.at(first, name: name)) }
        }
        return found
    }

    /// Whether a type is named as the model is, perhaps with the types that it is in.
    private func isModel(_ type: TypeSyntax) -> Bool {
        type.trimmedDescription.split(separator: ".").last.map(String.init) == model.name
    }

    private func diagnostics(of variable: VariableDeclSyntax) -> [Diagnostic] {
        guard let binding = variable.bindings.first else { return [] }
        let name = binding.pattern.trimmedDescription
        let marker = variable.attribute("Attribute") ?? variable.attribute("Relationship")
        if let transient = variable.attribute("Transient") {
            return transientDiagnostics(variable, binding, transient, marker)
        }
        if variable.modifiers.contains(where: { $0.name.tokenKind == .keyword(.lazy) }) {
            let fixIts = [PropertyFixIt.transient(variable)]
            return [ModelDiagnostic.lazyProperty.at(binding.pattern, name: name, fixIts: fixIts)]
        }
        guard variable.isPersisted else {
            return marker.map { marker in
                let fixIts = [PropertyFixIt.remove(marker, of: variable)]
                return [ModelDiagnostic.markedWithoutStorage.at(marker, name: name, fixIts: fixIts)]
            } ?? []
        }
        if variable.singleName == nil { return [ModelDiagnostic.severalNames.at(variable.bindings, name: name)] }
        return persistedDiagnostics(variable, binding, marker)
    }

    private func transientDiagnostics(
        _ variable: VariableDeclSyntax, _ binding: PatternBindingSyntax, _ transient: AttributeSyntax,
        _ marker: AttributeSyntax?
    ) -> [Diagnostic] {
        let name = binding.pattern.trimmedDescription
        if let marker {
            let fixIts = [PropertyFixIt.remove(transient, of: variable), PropertyFixIt.remove(marker, of: variable)]
            return [ModelDiagnostic.markedTransient.at(transient, name: name, fixIts: fixIts)]
        }
        guard variable.isStoredInInstance, binding.initializer == nil, !variable.isOptional else { return [] }
        let fixIts = binding.typeAnnotation.map { [PropertyFixIt.optional($0.type)] } ?? []
        return [ModelDiagnostic.transientWithoutValue.at(binding.pattern, name: name, fixIts: fixIts)]
    }

    private func persistedDiagnostics(
        _ variable: VariableDeclSyntax, _ binding: PatternBindingSyntax, _ marker: AttributeSyntax?
    ) -> [Diagnostic] {
        let name = binding.pattern.trimmedDescription
        var found: [Diagnostic] = []
        if variable.bindingSpecifier.tokenKind == .keyword(.let) {
            let fixIts = [PropertyFixIt.replaceLet(variable), PropertyFixIt.transient(variable)]
            found.append(ModelDiagnostic.constant.at(variable.bindingSpecifier, name: name, fixIts: fixIts))
        }
        if ReservedNames.all.contains(name.withoutBackticks) {
            found.append(ModelDiagnostic.reservedName.at(binding.pattern, name: name.withoutBackticks))
        }
        if let observers = binding.accessorBlock {
            let fixIts = [PropertyFixIt.transient(variable)]
            found.append(ModelDiagnostic.observedProperty.at(observers, name: name, fixIts: fixIts))
        }
        let references: [TokenKind] = [.keyword(.weak), .keyword(.unowned)]
        if let reference = variable.modifiers.first(where: { references.contains($0.name.tokenKind) }) {
            let fixIts = [PropertyFixIt.remove(reference, of: variable)]
            found.append(ModelDiagnostic.uncounted.at(reference, name: name, fixIts: fixIts))
        }
        if binding.typeAnnotation == nil, binding.initializer.map({ $0.value.isWithoutType }) ?? true {
            found.append(ModelDiagnostic.missingType.at(binding.pattern, name: name))
        }
        if let type = binding.typeAnnotation?.type, type.isNeverCodable,
            marker?.arguments?.trimmedDescription.contains("transformable(") != true
        {
            let fixIts = [PropertyFixIt.transient(variable)]
            found.append(ModelDiagnostic.notCodable.at(type, name: name, fixIts: fixIts))
        }
        if let second = variable.attribute("Relationship"), variable.attribute("Attribute") != nil {
            found.append(ModelDiagnostic.twoMarkers.at(second, name: name))
        }
        if let marker, marker.argument("inverse")?.trimmedDescription == "\\\(model.name).\(name)" {
            found.append(ModelDiagnostic.ownInverse.at(marker, name: name))
        }
        return found
    }
}

/// The key paths of an expression.
private final class KeyPathFinder: SyntaxVisitor {
    var keyPaths: [KeyPathExprSyntax] = []

    override func visit(_ node: KeyPathExprSyntax) -> SyntaxVisitorContinueKind {
        keyPaths.append(node)
        return .skipChildren
    }
}

extension VariableDeclSyntax {
    fileprivate var isOptional: Bool {
        guard let type = bindings.first?.typeAnnotation?.type else { return false }
        return type.is(OptionalTypeSyntax.self) || type.is(ImplicitlyUnwrappedOptionalTypeSyntax.self)
            || type.trimmedDescription.hasPrefix("Optional<")
    }
}

extension TypeSyntax {
    /// Whether it is a function, a tuple or an existential, or an optional one: none of them is Codable.
    fileprivate var isNeverCodable: Bool {
        if let optional = self.as(OptionalTypeSyntax.self) { return optional.wrappedType.isNeverCodable }
        if let attributed = self.as(AttributedTypeSyntax.self) { return attributed.baseType.isNeverCodable }
        if let tuple = self.as(TupleTypeSyntax.self) {
            guard let element = tuple.elements.first, tuple.elements.count == 1 else { return true }
            return element.type.isNeverCodable
        }
        return self.is(FunctionTypeSyntax.self) || self.is(SomeOrAnyTypeSyntax.self)
    }
}

extension ExprSyntax {
    /// Whether the compiler cannot tell the value's type.
    fileprivate var isWithoutType: Bool {
        self.is(NilLiteralExprSyntax.self) || self.as(ArrayExprSyntax.self)?.elements.isEmpty == true
            || self.as(DictionaryExprSyntax.self)?.content.is(TokenSyntax.self) == true
    }
}

extension AttributeSyntax {
    /// The value of a labelled argument.
    func argument(_ label: String) -> ExprSyntax? {
        arguments?.as(LabeledExprListSyntax.self)?.first { $0.label?.text == label }?.expression
    }
}

/// Names that a persisted property cannot have, because the managed object behind a model has members of these names.
///
/// `FirnModel` has the same list, which this module cannot import; a test compares them.
enum ReservedNames {
    static let all: Set<String> = [
        "changedValues", "debugDescription", "description", "faultingState", "hasChanges",
        "hasPersistentChangedValues", "hash", "init", "isDeleted", "isFault", "isInserted", "isUpdated",
        "managedObjectContext", "objectID", "self",
    ]
}
#endif

#if SwiftData
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// Finds the properties of a model that cannot be what they are declared to be.
struct ModelChecks {
    let model: ModelDeclaration

    func run(in context: some MacroExpansionContext) {
        for variable in model.syntax.memberBlock.members.compactMap({ $0.decl.as(VariableDeclSyntax.self) }) {
            diagnostics(of: variable).forEach(context.diagnose)
        }
    }

    private func diagnostics(of variable: VariableDeclSyntax) -> [Diagnostic] {
        guard let binding = variable.bindings.first else { return [] }
        let name = binding.pattern.trimmedDescription
        if variable.attribute("Transient") != nil {
            guard variable.isStoredInInstance, binding.initializer == nil, !variable.isOptional else { return [] }
            return [ModelDiagnostic.transientWithoutValue.at(binding.pattern, name: name)]
        }
        if variable.modifiers.contains(where: { $0.name.tokenKind == .keyword(.lazy) }) {
            return [ModelDiagnostic.lazyProperty.at(binding.pattern, name: name, fixIts: [transient(variable)])]
        }
        guard variable.isPersisted else { return [] }
        if variable.bindings.count > 1 { return [ModelDiagnostic.severalNames.at(variable.bindings, name: name)] }
        var found: [Diagnostic] = []
        if variable.bindingSpecifier.tokenKind == .keyword(.let) {
            let fixIts = [replaceLet(variable), transient(variable)]
            found.append(ModelDiagnostic.constant.at(variable.bindingSpecifier, name: name, fixIts: fixIts))
        }
        if name == "description" {
            found.append(ModelDiagnostic.descriptionProperty.at(binding.pattern, name: name))
        }
        if let observers = binding.accessorBlock {
            found.append(
                ModelDiagnostic.observedProperty.at(observers, name: name, fixIts: [transient(variable)]))
        }
        return found
    }

    private func replaceLet(_ variable: VariableDeclSyntax) -> FixIt {
        let keyword = variable.bindingSpecifier.with(\.tokenKind, .keyword(.var))
        return FixIt(
            message: FixItText(message: "Replace 'let' with 'var'"),
            changes: [.replace(oldNode: Syntax(variable.bindingSpecifier), newNode: Syntax(keyword))])
    }

    private func transient(_ variable: VariableDeclSyntax) -> FixIt {
        var marked = variable
        marked.leadingTrivia = []
        marked.attributes.insert(
            .attribute("@Transient ").with(\.leadingTrivia, variable.leadingTrivia), at: marked.attributes.startIndex)
        return FixIt(
            message: FixItText(message: "Mark it '@Transient'"),
            changes: [.replace(oldNode: Syntax(variable), newNode: Syntax(marked))])
    }
}

extension VariableDeclSyntax {
    fileprivate var isOptional: Bool {
        guard let type = bindings.first?.typeAnnotation?.type else { return false }
        return type.is(OptionalTypeSyntax.self) || type.is(ImplicitlyUnwrappedOptionalTypeSyntax.self)
            || type.trimmedDescription.hasPrefix("Optional<")
    }
}
#endif

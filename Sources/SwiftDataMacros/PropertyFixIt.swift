#if SwiftData
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// The mends for a property of a model.
enum PropertyFixIt {
    static func replaceLet(_ variable: VariableDeclSyntax) -> FixIt {
        let keyword = variable.bindingSpecifier.with(\.tokenKind, .keyword(.var))
        return replace(variable.bindingSpecifier, with: keyword, "Replace 'let' with 'var'")
    }

    static func transient(_ variable: VariableDeclSyntax) -> FixIt {
        var marked = variable
        marked.leadingTrivia = []
        marked.attributes.insert(
            .attribute("@Transient ").with(\.leadingTrivia, variable.leadingTrivia), at: marked.attributes.startIndex)
        return replace(variable, with: marked, "Mark it '@Transient'")
    }

    /// `Int` becomes `Int?`.
    static func optional(_ type: TypeSyntax) -> FixIt {
        let made: TypeSyntax = "\(type.trimmed)?"
        return replace(type, with: made.with(\.trailingTrivia, type.trailingTrivia), "Make it optional")
    }

    /// `#Unique<B>` becomes `#Unique<A>`.
    static func name(_ type: TypeSyntax, _ name: String) -> FixIt {
        let made: TypeSyntax = "\(raw: name)"
        return replace(type, with: made, "Replace '\(type.trimmedDescription)' with '\(name)'")
    }

    static func remove(_ attribute: AttributeSyntax, of variable: VariableDeclSyntax) -> FixIt {
        var rest = variable
        rest.attributes = rest.attributes.filter { $0.id != AttributeListSyntax.Element(attribute).id }
        return replace(
            variable, with: rest.with(\.leadingTrivia, variable.leadingTrivia),
            "Remove '@\(attribute.attributeName.trimmedDescription)'")
    }

    static func remove(_ modifier: DeclModifierSyntax, of variable: VariableDeclSyntax) -> FixIt {
        var rest = variable
        rest.modifiers = rest.modifiers.filter { $0.id != modifier.id }
        return replace(
            variable, with: rest.with(\.leadingTrivia, variable.leadingTrivia), "Remove '\(modifier.name.text)'")
    }

    /// `struct` becomes `class`.
    static func introduce(_ introducer: TokenSyntax, as keyword: Keyword) -> FixIt {
        let made = TokenSyntax.keyword(
            keyword, leadingTrivia: introducer.leadingTrivia, trailingTrivia: introducer.trailingTrivia)
        return replace(introducer, with: made, "Replace '\(introducer.text)' with '\(made.text)'")
    }

    private static func replace(_ old: some SyntaxProtocol, with new: some SyntaxProtocol, _ message: String) -> FixIt {
        FixIt(
            message: FixItText(message: message), changes: [.replace(oldNode: Syntax(old), newNode: Syntax(new))])
    }
}
#endif

#if SwiftData
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// A macro of Foundation's, with other predicates and expressions in it.
protocol FoundationMacro: ExpressionMacro {
    /// The name under which this module declares Foundation's.
    static var original: String { get }
}

extension FoundationMacro {
    // The formatting of a large closure takes a multiple of the rest's time.
    static var formatMode: FormatMode { .disabled }

    static func expansion(
        of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
    ) -> ExprSyntax {
        node.handedOn(to: original)
    }
}

/// Makes a predicate.
struct PredicateMacro: FoundationMacro {
    static let original = "_FoundationPredicate"
}

/// Makes an expression.
struct QueryExpressionMacro: FoundationMacro {
    static let original = "_FoundationExpression"
}

extension FreestandingMacroExpansionSyntax {
    /// Hands the use on to another macro: `other.contains($0)` stands for `other.evaluate($0)`.
    fileprivate func handedOn(to macro: String) -> ExprSyntax {
        var use = MacroExpansionExprSyntax(
            macroName: .identifier(macro), genericArgumentClause: genericArgumentClause, leftParen: leftParen,
            arguments: arguments, rightParen: rightParen, trailingClosure: trailingClosure,
            additionalTrailingClosures: additionalTrailingClosures)
        if use.tokens(viewMode: .sourceAccurate).contains(where: { $0.text == "evaluate" }) {
            use = EvaluationRewriter().rewrite(use).cast(MacroExpansionExprSyntax.self)
        }
        return ExprSyntax(use)
    }
}

/// Writes `contains` for `evaluate` in calls with one argument: Foundation's macro knows no `evaluate` on Linux.
private final class EvaluationRewriter: SyntaxRewriter {
    override func visit(_ node: FunctionCallExprSyntax) -> ExprSyntax {
        let inner = super.visit(node)
        guard var call = inner.as(FunctionCallExprSyntax.self), call.trailingClosure == nil,
            call.arguments.count == 1, call.arguments.first?.label == nil,
            var member = call.calledExpression.as(MemberAccessExprSyntax.self), member.base != nil,
            member.declName.baseName.text == "evaluate", member.declName.argumentNames == nil
        else { return inner }
        member.declName.baseName = .identifier(
            "contains", leadingTrivia: member.declName.baseName.leadingTrivia,
            trailingTrivia: member.declName.baseName.trailingTrivia)
        call.calledExpression = ExprSyntax(member)
        return ExprSyntax(call)
    }
}
#endif

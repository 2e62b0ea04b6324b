#if SwiftData
public import FirnFoundation
public import Foundation

extension Predicate {
    /// Whether the predicate holds for a value. Ours, not Apple's: within `#Predicate`, it is `evaluate(_:)`, which
    /// the macro of Foundation on Linux refuses.
    ///
    /// Stops the program where `evaluate(_:)` throws.
    public func contains(_ input: repeat each Input) -> Bool {
        do {
            return try evaluate(repeat each input)
        } catch {
            fatalError("the predicate cannot be evaluated: \(error). Call evaluate(_:), which throws")
        }
    }
}

extension Foundation.Expression {
    /// The value of the expression for a value. Ours, not Apple's: within `#Predicate`, it is `evaluate(_:)`, which
    /// the macro of Foundation on Linux refuses.
    ///
    /// Stops the program where `evaluate(_:)` throws.
    public func contains(_ input: repeat each Input) -> Output {
        do {
            return try evaluate(repeat each input)
        } catch {
            fatalError("the expression cannot be evaluated: \(error). Call evaluate(_:), which throws")
        }
    }
}

extension PredicateExpressions {
    /// The node that `#Predicate` makes of a predicate within it.
    public static func build_Arg<each Input>(
        _ arg: Predicate<repeat each Input>
    ) -> UncodedValue<Predicate<repeat each Input>> {
        UncodedValue(arg)
    }

    /// The node that `#Predicate` makes of an expression within it.
    public static func build_Arg<each Input, Output>(
        _ arg: Expression<repeat each Input, Output>
    ) -> UncodedValue<Expression<repeat each Input, Output>> {
        UncodedValue(arg)
    }

    /// The node that `#Predicate` makes of `other.evaluate($0)`, where `other` is a predicate.
    public static func build_contains<Condition, Input>(
        _ predicate: Condition, _ input: Input
    ) -> PredicateEvaluate<Condition, Input> {
        PredicateEvaluate(predicate: predicate, input: input)
    }

    /// The node that `#Predicate` makes of `other.evaluate($0)`, where `other` is an expression.
    public static func build_contains<Transformation, Input, Output>(
        _ expression: Transformation, _ input: Input
    ) -> ExpressionEvaluate<Transformation, Input, Output>
    where Transformation.Output == Foundation.Expression<Input.Output, Output> {
        build_evaluate(expression, input)
    }
}

// A file that imports this module alone, and looks members up in what it imports only, sees FirnFoundation's functions
// of these names through these.

extension PredicateExpressions {
    /// The node that `#Predicate` makes of `localizedStandardContains(_:)`.
    @_disfavoredOverload
    public static func build_localizedStandardContains<Root, Other>(
        _ root: Root, _ other: Other
    ) -> StringLocalizedStandardContains<Root, Other> {
        StringLocalizedStandardContains(root: root, other: other)
    }

    /// The node that `#Predicate` makes of `caseInsensitiveCompare(_:)`.
    @_disfavoredOverload
    public static func build_caseInsensitiveCompare<Root, Other>(
        _ root: Root, _ other: Other
    ) -> StringCaseInsensitiveCompare<Root, Other> {
        StringCaseInsensitiveCompare(root: root, other: other)
    }

    /// The node that `#Predicate` makes of `localizedCompare(_:)`.
    @_disfavoredOverload
    public static func build_localizedCompare<Root, Other>(
        _ root: Root, _ other: Other
    ) -> StringLocalizedCompare<Root, Other> {
        StringLocalizedCompare(root: root, other: other)
    }
}
#endif

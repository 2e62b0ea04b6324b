#if SwiftData
public import FirnFoundation
public import Foundation

extension Predicate {
    /// Whether the predicate holds for a value. Ours, not Apple's: `#Predicate` refuses `other.evaluate($0)` on Linux,
    /// and accepts `other.contains($0)`.
    ///
    ///     let recent = #Predicate<Trip> { $0.start > date }
    ///     let long = #Predicate<Trip> { recent.contains($0) && $0.days > 7 }
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

extension PredicateExpressions {
    /// The node that `#Predicate` makes of a predicate within it.
    public static func build_Arg<each Input>(
        _ arg: Predicate<repeat each Input>
    ) -> UncodedValue<Predicate<repeat each Input>> {
        UncodedValue(arg)
    }

    /// The node for an expression within a tree that is written without a macro.
    public static func build_Arg<each Input, Output>(
        _ arg: Expression<repeat each Input, Output>
    ) -> UncodedValue<Expression<repeat each Input, Output>> {
        UncodedValue(arg)
    }

    /// The node that `#Predicate` makes of `other.contains($0)`, where `other` is a predicate.
    public static func build_contains<Condition, Input>(
        _ predicate: Condition, _ input: Input
    ) -> PredicateEvaluate<Condition, Input> {
        PredicateEvaluate(predicate: predicate, input: input)
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

#if SwiftData
public import FirnFoundation
public import Foundation

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

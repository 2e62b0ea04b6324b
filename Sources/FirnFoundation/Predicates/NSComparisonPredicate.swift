public import Foundation

/// Two expressions and the operator that compares them: `name BEGINSWITH[c] "a"`.
///
/// https://developer.apple.com/documentation/foundation/nscomparisonpredicate
open class NSComparisonPredicate: NSPredicate {
    /// How strings are compared: the letters in brackets after an operator.
    public struct Options: OptionSet, Hashable, Sendable {
        public let rawValue: UInt

        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// `[c]`: without regard to case.
        public static let caseInsensitive = Options(rawValue: 1)
        /// `[d]`: without regard to diacritical marks.
        public static let diacriticInsensitive = Options(rawValue: 2)
        /// `[n]`: the strings were normalized before; compare their code units. Excludes the others.
        public static let normalized = Options(rawValue: 4)
        /// `[l]`: by the rules of the current locale. Apple's formats have the letter; its Swift names no option.
        public static let localeSensitive = Options(rawValue: 8)
    }

    /// Whether the left value is compared, or its members.
    public enum Modifier: UInt, Sendable {
        /// Compares the values themselves.
        case direct = 0
        /// `ALL`: true if it holds for every member, so also for none.
        case all = 1
        /// `ANY`, `SOME`: true if it holds for at least one member.
        case any = 2
    }

    /// How two expressions are compared.
    public enum Operator: UInt, Sendable {
        /// `<`.
        case lessThan = 0
        /// `<=`.
        case lessThanOrEqualTo = 1
        /// `>`.
        case greaterThan = 2
        /// `>=`.
        case greaterThanOrEqualTo = 3
        /// `==`.
        case equalTo = 4
        /// `!=`.
        case notEqualTo = 5
        /// `MATCHES`, a regular expression.
        case matches = 6
        /// `LIKE`, with `*` and `?`.
        case like = 7
        /// `BEGINSWITH`.
        case beginsWith = 8
        /// `ENDSWITH`.
        case endsWith = 9
        /// `IN`, a member of a collection.
        case `in` = 10
        /// A method that is named.
        case customSelector = 11
        /// `CONTAINS`.
        case contains = 99
        /// `BETWEEN`, a range with both ends.
        case between = 100
        /// `TOKENMATCHES`: a text has all words of another one, in any order. `wald*` is the beginning of a word, and
        /// `"walden pond"` in quotation marks are words next to each other. Apple's frameworks have this operator
        /// without a name for it.
        case tokenMatches = 1000
    }

    /// The comparison with its constant parts computed.
    private let evaluation: PreparedComparison

    package override var height: Int { max(leftExpression.height, rightExpression.height) + 1 }

    private let left: NSExpression
    private let right: NSExpression
    private let modifier: Modifier
    private let type: Operator
    private let storedOptions: Options

    /// The expression on the left.
    open var leftExpression: NSExpression { left }
    /// The expression on the right.
    open var rightExpression: NSExpression { right }
    /// Whether all, any, or the value itself is compared.
    open var comparisonPredicateModifier: Modifier { modifier }
    /// How the expressions are compared.
    open var predicateOperatorType: Operator { type }
    /// Whether case and accents count.
    open var options: Options { storedOptions }
    /// The method of a comparison of the type `customSelector`; nil for others.
    public let customSelector: Selector?

    /// A comparison of two expressions.
    public init(
        leftExpression lhs: NSExpression, rightExpression rhs: NSExpression,
        modifier: Modifier, type: Operator, options: Options = []
    ) {
        left = lhs
        if type == .between, case .constant(let bounds as [NSExpression]) = rhs.node {
            right = NSExpression(forAggregate: bounds)
        } else {
            right = rhs
        }
        self.modifier = modifier
        self.type = type
        storedOptions = options
        customSelector = nil
        evaluation = PreparedComparison(lhs, right, modifier: modifier, type: type, options: options)
        super.init()
    }

    /// A comparison by a method of the left value with the right one as its argument: `caseInsensitiveCompare:` and the
    /// like.
    ///
    /// It can be printed and stored in a tree, but not evaluated: there is no Objective-C runtime.
    public init(
        leftExpression lhs: NSExpression, rightExpression rhs: NSExpression,
        customSelector selector: Selector
    ) {
        left = lhs
        right = rhs
        modifier = .direct
        type = .customSelector
        storedOptions = []
        customSelector = selector
        evaluation = PreparedComparison(
            lhs, rhs, modifier: .direct, type: .customSelector, options: [])
        super.init()
    }

    /// As `NSPredicate(format:)`; traps where the format describes no single comparison.
    public convenience init(format predicateFormat: String, _ args: CVarArg...) {
        self.init(clusterMember: Self.parsedOrTrap(predicateFormat, args.map { $0 as Any }))
    }

    public required convenience init?(coder: NSCoder) {
        guard let predicate = FormatCoding.predicate(coder) else { return nil }
        self.init(decodedMember: predicate)
    }

    open override var predicateFormat: String { FormatPrinter.string(self) }

    open override func evaluate(
        with object: Any?, substitutionVariables bindings: [String: Any]?
    ) -> Bool {
        holdsOrTrap(for: object, bindings)
    }

    override func truth(in scope: EvaluationScope) throws -> Bool? { try evaluation.truth(in: scope) }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSComparisonPredicate else { return false }
        if other === self { return true }
        return predicateOperatorType == other.predicateOperatorType
            && comparisonPredicateModifier == other.comparisonPredicateModifier
            && options == other.options && customSelector == other.customSelector
            && leftExpression.isEqual(other.leftExpression)
            && rightExpression.isEqual(other.rightExpression)
    }

    open override var hash: Int {
        var hasher = Hasher()
        hasher.combine(predicateOperatorType)
        hasher.combine(comparisonPredicateModifier)
        hasher.combine(options)
        hasher.combine(leftExpression.hash)
        hasher.combine(rightExpression.hash)
        return hasher.finalize()
    }
}

public import Foundation

/// A condition that is true or false of an object: Apple's `NSPredicate`, with the format language that Foundation on
/// Linux lacks.
///
/// A predicate comes from a format string, from a Boolean, from a closure, or from its parts (`NSComparisonPredicate`,
/// `NSCompoundPredicate`). As on Apple's platforms, `NSPredicate(format:)` returns an instance of the subclass that the
/// string describes.
///
///     let grown = NSPredicate(format: "age >= %d AND name BEGINSWITH[cd] %@", 18, "a")
///     let some = (people as NSArray).filtered(using: grown)
///
/// It inherits from Foundation's class on Linux, so `filtered(using:)` and similar methods accept it. Predicates do not
/// change after they are made.
///
/// https://developer.apple.com/documentation/foundation/nspredicate
open class NSPredicate: Foundation.NSPredicate, PredicateCluster, NSSecureCoding {
    /// The content of a predicate that is neither a comparison nor a compound.
    package enum Kind {
        case value(Bool)
        case block((Any?, [String: Any]?) -> Bool)
        /// The subclass answers for itself.
        case subclass
    }

    package let kind: Kind

    /// The height of the tree below, of predicates and expressions.
    package var height: Int { 0 }

    /// A predicate that is always true, or always false: `TRUEPREDICATE`, `FALSEPREDICATE`.
    public override init(value: Bool) {
        kind = .value(value)
        super.init(value: value)
    }

    /// A predicate that calls a closure with the object and the substitution variables.
    ///
    /// A store cannot evaluate it; it is for objects in memory.
    public override init(block: @escaping (Any?, [String: Any]?) -> Bool) {
        kind = .block(block)
        super.init(block: block)
    }

    /// For subclasses, which override `evaluate(with:substitutionVariables:)` and `predicateFormat`.
    public init() {
        kind = .subclass
        super.init(value: false)
    }

    /// The predicate that a format string describes, with arguments for its `%@`, `%K`, `%d` … in order.
    ///
    /// Traps on a mistake in the format, with a message that shows the place; `init(validatingFormat:argumentArray:)`
    /// throws it.
    ///
    /// https://developer.apple.com/library/archive/documentation/Cocoa/Conceptual/Predicates/Articles/pSyntax.html
    public convenience init(format predicateFormat: String, _ args: CVarArg...) {
        self.init(clusterMember: Self.parsedOrTrap(predicateFormat, args.map { $0 as Any }))
    }

    /// The predicate that a format string describes, with the arguments in an array; `NSNull` stands for nil.
    public convenience init(format predicateFormat: String, argumentArray arguments: [Any]?) {
        self.init(clusterMember: Self.parsedOrTrap(predicateFormat, arguments ?? []))
    }

    /// The predicate that a format string describes; a mistake in it is thrown as a `PredicateFormatError`.
    ///
    /// For formats that come from outside the program.
    public convenience init(
        validatingFormat predicateFormat: String, argumentArray arguments: [Any] = []
    ) throws {
        self.init(clusterMember: try Self.parsed(predicateFormat, arguments))
    }

    public class var supportsSecureCoding: Bool { true }

    /// The predicate that was encoded, of the subclass that it was of; nil if the archive holds none.
    public required convenience init?(coder: NSCoder) {
        guard let predicate = FormatCoding.predicate(coder) else { return nil }
        self.init(decodedMember: predicate)
    }

    /// Writes the predicate's format. Traps on a block, and on constants that have no literal.
    open func encode(with coder: NSCoder) { FormatCoding.encode(self, with: coder) }

    /// The predicate as a format string that parses back to an equal predicate.
    open override var predicateFormat: String {
        switch kind {
        case .value(true): "TRUEPREDICATE"
        case .value(false): "FALSEPREDICATE"
        case .block: "BLOCKPREDICATE"
        case .subclass: String(describing: type(of: self))
        }
    }

    /// The predicate with constants in place of the variables named in `variables`; others stay.
    open func withSubstitutionVariables(_ variables: [String: Any]) -> Self {
        guard let result = substituting(variables) as? Self else {
            misuse("\(Self.self) must override withSubstitutionVariables(_:) to make one of its kind")
        }
        return result
    }

    /// Whether the predicate holds for the object. Variables without a value trap.
    open override func evaluate(with object: Any?) -> Bool {
        evaluate(with: object, substitutionVariables: nil)
    }

    /// Whether the predicate holds for the object, where `$NAME` stands for `bindings["NAME"]`.
    open override func evaluate(
        with object: Any?, substitutionVariables bindings: [String: Any]?
    ) -> Bool {
        switch kind {
        case .value(let value): value
        case .block(let block): block(object, bindings)
        case .subclass:
            misuse("\(type(of: self)) must override evaluate(with:substitutionVariables:)")
        }
    }

    /// Whether the predicate holds in the scope; what cannot be answered throws.
    final func holds(in scope: EvaluationScope) throws -> Bool { try truth(in: scope) ?? false }

    /// Whether the predicate holds in the scope; nil if it is unknown because a value is nil, which only the rules of a
    /// store have.
    func truth(in scope: EvaluationScope) throws -> Bool? {
        switch kind {
        case .value(let value): value
        case .block, .subclass:
            evaluate(with: scope.object, substitutionVariables: scope.allBindings)
        }
    }

    /// Nothing to do: only predicates that were securely decoded are locked on Apple's platforms.
    open func allowEvaluation() {}

    open override func copy() -> Any { copy(with: nil) }

    /// The predicate itself, since it cannot change.
    open override func copy(with zone: NSZone? = nil) -> Any { self }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSPredicate else { return false }
        if other === self { return true }
        if case .value(let mine) = kind, case .value(let theirs) = other.kind {
            return mine == theirs
        }
        return false
    }

    open override var hash: Int {
        switch kind {
        case .value(let value): value ? 1 : 0
        case .block, .subclass: ObjectIdentifier(self).hashValue
        }
    }

    open override var description: String { predicateFormat }
}

/// Lets an initializer of a class return an instance of a subclass, as Apple's class clusters do.
///
/// Only an initializer in a protocol's extension may assign `self`.
package protocol PredicateCluster {}

extension PredicateCluster {
    /// Replaces the new object by `instance`, a predicate or an expression. Traps if it is of another class.
    package init(clusterMember instance: Any) {
        guard let member = instance as? Self else {
            fatalError(
                """
                the format describes a \(type(of: instance)), not a \(Self.self): \(instance); \
                write \(instance is NSPredicate ? "NSPredicate" : "NSExpression")(format:)
                """)
        }
        self = member
    }

    /// As `init(clusterMember:)`, but nil for another class: a wrong archive is not the programmer's mistake.
    package init?(decodedMember instance: Any) {
        guard let member = instance as? Self else { return nil }
        self = member
    }
}

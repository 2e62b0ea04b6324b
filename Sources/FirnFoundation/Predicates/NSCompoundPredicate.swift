public import Foundation

/// Predicates joined by `AND`, `OR` or `NOT`.
///
/// https://developer.apple.com/documentation/foundation/nscompoundpredicate
open class NSCompoundPredicate: NSPredicate {
    /// How predicates are combined.
    public enum LogicalType: UInt, Sendable {
        /// True if the one predicate is false.
        case not = 0
        /// True if all predicates are.
        case and = 1
        /// True if any predicate is.
        case or = 2
    }

    /// How the predicates are combined.
    open private(set) var compoundPredicateType: LogicalType

    /// The joined predicates, each an `NSPredicate`; `[Any]` is Apple's declaration.
    open var subpredicates: [Any] { parts }

    /// Changed by `deinit` only.
    package private(set) final var parts: [NSPredicate]
    private let partsHeight: Int

    package override var height: Int { partsHeight + 1 }

    /// An `AND` of nothing is true, an `OR` of nothing false. Traps where a member is not an `NSPredicate`, or
    /// `NOT` has not exactly one.
    public init(type: LogicalType, subpredicates: [NSPredicate]) {
        guard type != .not || subpredicates.count == 1 else {
            fatalError("NOT takes exactly one predicate, not \(subpredicates.count)")
        }
        compoundPredicateType = type
        parts = subpredicates
        partsHeight = subpredicates.lazy.map(\.height).max() ?? 0
        super.init()
    }

    /// True where every subpredicate is.
    public convenience init(andPredicateWithSubpredicates subpredicates: [NSPredicate]) {
        self.init(type: .and, subpredicates: subpredicates)
    }

    /// True where at least one subpredicate is.
    public convenience init(orPredicateWithSubpredicates subpredicates: [NSPredicate]) {
        self.init(type: .or, subpredicates: subpredicates)
    }

    /// True where the predicate is false.
    public convenience init(notPredicateWithSubpredicate predicate: NSPredicate) {
        self.init(type: .not, subpredicates: [predicate])
    }

    /// As `NSPredicate(format:)`; traps where the format describes no `AND`, `OR` or `NOT`.
    public convenience init(format predicateFormat: String, _ args: CVarArg...) {
        self.init(clusterMember: Self.parsedOrTrap(predicateFormat, args.map { $0 as Any }))
    }

    public required convenience init?(coder: NSCoder) {
        guard let predicate = FormatCoding.predicate(coder) else { return nil }
        self.init(decodedMember: predicate)
    }

    /// Releases the parts of a deep tree in a loop. By default each release would nest the next one and overflow the
    /// stack.
    deinit {
        guard partsHeight > PredicateDepth.max else { return }
        var released = parts
        parts = []
        while var last = released.popLast() {
            guard isKnownUniquelyReferenced(&last), let compound = last as? NSCompoundPredicate else { continue }
            released += compound.parts
            compound.parts = []
        }
    }

    /// Without the parts of a predicate that is nested too deep.
    open override var predicateFormat: String {
        isTooDeep ? "a predicate of \(height) levels" : FormatPrinter.string(self)
    }

    open override func evaluate(
        with object: Any?, substitutionVariables bindings: [String: Any]?
    ) -> Bool {
        holdsOrTrap(for: object, bindings)
    }

    // One frame for each level: predicates may be deep.
    override func truth(in scope: EvaluationScope) throws -> Bool? {
        if compoundPredicateType == .not { return try parts[0].truth(in: scope).map { !$0 } }
        let deciding = compoundPredicateType == .or
        var result: Bool? = !deciding
        for part in parts {
            let truth = try part.truth(in: scope)
            if truth == deciding { return deciding }
            if truth == nil { result = nil }
        }
        return result
    }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSCompoundPredicate else { return false }
        if other === self { return true }
        guard compoundPredicateType == other.compoundPredicateType else { return false }
        // Deep trees are equal if they share their parts.
        if isTooDeep || other.isTooDeep { return parts.elementsEqual(other.parts, by: ===) }
        return parts == other.parts
    }

    open override var hash: Int {
        var hasher = Hasher()
        hasher.combine(compoundPredicateType)
        if !isTooDeep { for part in parts { hasher.combine(part.hash) } }
        return hasher.finalize()
    }
}

internal import FirnFoundation
internal import FirnLog
internal import FirnModel
internal import FirnSQLite
public import Foundation

internal import class FirnFoundation.NSComparisonPredicate
internal import class FirnFoundation.NSCompoundPredicate
internal import class FirnFoundation.NSPredicate

/// Turns predicates and expressions into SQL. Every value becomes a parameter.
final class PredicateCompiler {
    let catalog: EntityCatalog
    let layout: TableLayout
    let nullRule: NullRule
    /// The store that is asked: IDs of other stores are in none of its rows. Nil if there are none.
    let store: StoreIdentity?
    private(set) var bindings: [FetchPlan.Binding] = []
    /// The types with which constants were bound, in their order.
    var boundTypes: [SQLType] = []
    private var aliasCount = 0
    /// How many comparisons were compiled.
    var comparisonCount = 0
    /// The rows that `$x` of a subquery stands for, innermost last.
    var variables: [(name: String, node: Node)] = []
    /// Columns of a dictionary fetch that `havingPredicate` and sort descriptors may name.
    var named: [String: SQLExpression] = [:]
    /// Whether an aggregate function of a plain value covers many rows, as in a dictionary fetch.
    var aggregatesRows = false
    /// Whether a dictionary stands for many rows. An aggregate of a collection then covers the collections of all.
    var isGrouped = false
    /// Whether aggregates are SQLite's, as in a dictionary fetch: counts leave out null, the average of nothing is
    /// null. Else they are as in memory.
    var aggregatesAsSQL = false
    /// Whether a value that aggregates rows was compiled.
    var hasRowAggregates = false
    /// Whether values are written into the SQL, as in the definition of an index. They are the model's own.
    var writesLiterals = false
    /// Whether the compiled SQL is independent of the time of compiling.
    var isTimeless = true
    /// Whether values are bound in the order of the predicate's parts.
    private(set) var bindsInOrder = true
    /// The places that the SQL around takes on the stack of SQLite's parser.
    private var parserDepth = 10
    /// Conditions of partial indexes. A request's equal conditions are written as literally as in the index, so that
    /// SQLite uses the index (https://www.sqlite.org/partialindex.html).
    var literalParts: [NSPredicate] = []

    init(catalog: EntityCatalog, layout: TableLayout, nullRule: NullRule, store: StoreIdentity? = nil) {
        self.catalog = catalog
        self.layout = layout
        self.nullRule = nullRule
        self.store = store
    }

    func makeAlias() -> String {
        defer { aliasCount += 1 }
        return "t\(aliasCount)"
    }

    /// A parameter for `value`.
    func bind(_ value: PropertyValue) -> String {
        if writesLiterals { return value.sqlLiteral }
        bindings.append(.value(value))
        return "?\(bindings.count)"
    }

    /// A parameter for a whole list: `SELECT value FROM firn_values(…)`.
    func bind(_ list: [PropertyValue]) -> String {
        if writesLiterals { return "(" + list.map(\.sqlLiteral).joined(separator: ", ") + ")" }
        bindings.append(.list(ValueList(stored: list)))
        return "(SELECT value FROM firn_values(?\(bindings.count)))"
    }

    /// A condition that is true for the rows that fulfil `predicate`. `isNegated` says whether a NOT is above, where
    /// it matters that null is not false.
    func condition(_ predicate: NSPredicate, _ node: Node, isNegated: Bool = false) throws -> String {
        if !writesLiterals, literalParts.contains(where: { $0.isEqual(predicate) }) {
            writesLiterals = true
            defer { writesLiterals = false }
            return try condition(predicate, node, isNegated: isNegated)
        }
        switch predicate {
        case let compound as NSCompoundPredicate:
            return try self.compound(compound, node, isNegated: isNegated)
        case let comparison as NSComparisonPredicate:
            let sql = try self.comparison(comparison, node)
            return isNegated && nullRule == .memory ? "(\(sql)) IS TRUE" : sql
        default:
            switch predicate.kind {
            case .value(let value): return value ? "1" : "0"
            case .block:
                throw UnsupportedPredicate(
                    predicate.predicateFormat,
                    "a block runs in memory only; fetch without it and filter the result")
            case .subclass:
                throw UnsupportedPredicate(
                    predicate.predicateFormat,
                    "a predicate class of the program's own runs in memory only; use NSComparisonPredicate "
                        + "and NSCompoundPredicate")
            }
        }
    }

    private func compound(
        _ predicate: NSCompoundPredicate, _ node: Node, isNegated: Bool
    ) throws -> String {
        switch predicate.compoundPredicateType {
        case .not:
            guard let part = predicate.parts.first else { return "0" }
            if let inner = Self.negated(part) { return try condition(inner, node, isNegated: isNegated) }
            return try nested(2, part) { "NOT (\(try condition(part, node, isNegated: true)))" }
        case .and:
            if predicate.parts.isEmpty { return "1" }
            return try list(Self.flattened(predicate), "AND", node, isNegated)
        case .or:
            if predicate.parts.isEmpty { return "0" }
            return try list(Self.flattened(predicate), "OR", node, isNegated)
        }
    }

    /// Compiles a part that is behind `places` tokens which SQLite's parser has to remember.
    func nested(_ places: Int, _ part: NSPredicate, _ compile: () throws -> String) throws -> String {
        parserDepth += places
        defer { parserDepth -= places }
        guard parserDepth <= Self.parserDepthMax else {
            throw UnsupportedPredicate(
                String(part.predicateFormat.prefix(100)) + "…",
                "it is nested too deep for SQLite: join parts in one NSCompoundPredicate of many subpredicates, or "
                    + "filter the result")
        }
        return try compile()
    }

    /// A balanced tree: SQLite limits the depth of expressions to 1,000. In deep predicates the deepest part is first,
    /// because what is before a parenthesis stays on the parser's stack.
    private func list(
        _ parts: [NSPredicate], _ word: String, _ node: Node, _ isNegated: Bool
    ) throws -> String {
        let (lists, plain) = word == "OR" ? Self.equalities(parts) : ([], parts)
        let isDeep = !bindsInOrder || plain.contains { $0.height > Self.orderedHeightMax }
        var others = plain
        if isDeep {
            bindsInOrder = false
            others = plain.enumerated().sorted { ($1.element.height, $0.offset) < ($0.element.height, $1.offset) }
                .map(\.element)
        }
        let needsNone = parts.count == 1 && lists.isEmpty
        var terms = try lists.map { try isOneOf($0, node, isNegated) }
        for part in others {
            // AND binds tighter than OR.
            let isBare = needsNone || isDeep && word == "OR" && Self.isConjunction(part)
            let sql = try nested((isBare ? 0 : 1) + (terms.isEmpty ? 0 : 2), part) {
                try condition(part, node, isNegated: isNegated)
            }
            terms.append(isBare ? sql : "(\(sql))")
        }
        while terms.count > 64 {
            terms = stride(from: 0, to: terms.count, by: 64).map {
                "(" + terms[$0..<min($0 + 64, terms.count)].joined(separator: " \(word) ") + ")"
            }
        }
        return terms.joined(separator: " \(word) ")
    }
}

/// Predicates without the nesting that means nothing: SQLite's parser ends at some fifty parentheses within each other.
extension PredicateCompiler {
    /// The greatest height of predicates whose parts stay in their order.
    private static let orderedHeightMax = 8
    /// The stack of SQLite's parser has 100 places (https://www.sqlite.org/compile.html#yystackdepth).
    private static let parserDepthMax = 85

    private static func isConjunction(_ predicate: NSPredicate) -> Bool {
        predicate.exactCompound?.compoundPredicateType == .and
    }

    /// The operand of `NOT`; nil for another predicate.
    static func negated(_ predicate: NSPredicate) -> NSPredicate? {
        guard let compound = predicate.exactCompound, compound.compoundPredicateType == .not else { return nil }
        return compound.parts.first
    }

    /// The parts of a conjunction or disjunction, with those of its like among them in their places.
    static func flattened(_ predicate: NSCompoundPredicate) -> [NSPredicate] {
        let type = predicate.compoundPredicateType
        guard predicate.parts.contains(where: { $0.exactCompound?.compoundPredicateType == type }) else {
            return predicate.parts
        }
        var parts: [NSPredicate] = []
        var rest: [NSPredicate] = predicate.parts.reversed()
        while let part = rest.popLast() {
            if let compound = part.exactCompound, compound.compoundPredicateType == type, !compound.parts.isEmpty {
                rest += compound.parts.reversed()
            } else {
                parts.append(part)
            }
        }
        return parts
    }
}

// The exact types, because a subclass that the program declares may override the evaluation.
extension NSPredicate {
    var exactCompound: NSCompoundPredicate? {
        type(of: self) == NSCompoundPredicate.self ? unsafeDowncast(self, to: NSCompoundPredicate.self) : nil
    }

    var exactComparison: NSComparisonPredicate? {
        type(of: self) == NSComparisonPredicate.self ? unsafeDowncast(self, to: NSComparisonPredicate.self) : nil
    }
}

/// A part of a fetch request that SQL cannot answer.
///
/// As in Core Data, a store does not silently fetch everything and filter in memory. The error says what is not
/// possible, and what to do instead.
public struct UnsupportedPredicate: LocalizedError, Sendable {
    /// The part of the request, in its own notation.
    public var part: String
    /// Why SQL cannot answer it, and what to do.
    public var reason: String

    public init(_ part: String, _ reason: String) {
        self.part = part
        self.reason = reason
    }
}

extension UnsupportedPredicate: CustomStringConvertible {
    /// One line.
    public var description: String { "the store cannot answer “\(part)”: \(reason)" }

    public var errorDescription: String? { description }
}

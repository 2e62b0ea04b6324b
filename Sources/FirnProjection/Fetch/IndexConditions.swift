internal import FirnFoundation
internal import class FirnFoundation.NSExpression
internal import class FirnFoundation.NSPredicate
internal import FirnLog
internal import FirnModel

extension PredicateCompiler {
    /// Conditions by indexes that are tables of their own: each selects a superset of the request's rows.
    func indexConditions(_ predicate: NSPredicate, _ node: Node) -> [String] {
        let conjuncts = Self.conjuncts(predicate)
        return rangeConditions(conjuncts, node) + conjuncts.compactMap { wordCondition($0, node) }
    }

    /// For a tree with a bounded column:
    ///
    ///     lat BETWEEN {1, 2} AND lon > 5
    ///     t0.Z_PK IN (SELECT id FROM tree WHERE max0 >= 1 AND min0 <= 2 AND max1 >= 5)
    private func rangeConditions(_ conjuncts: [NSPredicate], _ node: Node) -> [String] {
        let ranges = layout.tables[node.place.table].ranges
        guard !ranges.isEmpty else { return [] }
        let bounds = conjuncts.flatMap { self.bounds($0, node) }
        return ranges.compactMap { range in
            let terms = bounds.compactMap { bound -> String? in
                guard let index = range.columns.firstIndex(of: bound.column) else { return nil }
                let value = RangeIndex.clamped(bind(bound.value))
                return bound.isLower ? "max\(index) >= \(value)" : "min\(index) <= \(value)"
            }
            if terms.isEmpty { return nil }
            return "\(node.alias).Z_PK IN (SELECT id FROM \(quoted(range.name)) WHERE "
                + terms.joined(separator: " AND ") + ")"
        }
    }

    /// For a search in a text with an index of its words, or for several of which one must hold:
    ///
    ///     title TOKENMATCHES[cd] "walden"
    ///     t0.Z_PK IN (SELECT rowid FROM words WHERE words MATCH 'c0 : ("walden")')
    private func wordCondition(_ predicate: NSPredicate, _ node: Node) -> String? {
        if let compound = predicate as? NSCompoundPredicate, compound.compoundPredicateType == .or {
            let terms = compound.parts.compactMap { wordCondition($0, node) }
            return terms.isEmpty || terms.count < compound.parts.count ? nil : "(\(terms.joined(separator: " OR ")))"
        }
        guard let comparison = predicate as? NSComparisonPredicate, comparison.predicateOperatorType == .tokenMatches,
            let column = comparedSlot(comparison, node)?.column, comparison.rightExpression.isFixed,
            let constant = try? Self.constant(comparison.rightExpression),
            case .text(let tokens) = ConstantValue(constant)
        else { return nil }
        let search = TokenSearch(tokens, ComparisonOptions(rawValue: comparison.options.rawValue))
        for index in layout.tables[node.place.table].words {
            guard let name = index.column(column), let words = search.indexExpression(column: name) else { continue }
            let table = quoted(index.name)
            return "\(node.alias).Z_PK IN (SELECT rowid FROM \(table) WHERE \(table) MATCH \(bind(.text(words))))"
        }
        return nil
    }

    /// The property of the row itself that a comparison begins with.
    private func comparedSlot(_ comparison: NSComparisonPredicate, _ node: Node) -> SlotPlace? {
        guard comparison.comparisonPredicateModifier == .direct,
            case .keyPath(let path, nil) = comparison.leftExpression.node, let key = path.singleKey
        else { return nil }
        return node.place.slot(named: key).map { node.place.slots[$0] }
    }

    /// The predicates that must all hold.
    static func conjuncts(_ predicate: NSPredicate) -> [NSPredicate] {
        guard let compound = predicate as? NSCompoundPredicate, compound.compoundPredicateType == .and
        else { return [predicate] }
        return compound.parts.flatMap(conjuncts)
    }

    private struct Bound {
        let column: String
        let isLower: Bool
        let value: PropertyValue
    }

    /// The bounds that a comparison of a property with a number sets.
    private func bounds(_ predicate: NSPredicate, _ node: Node) -> [Bound] {
        guard let comparison = predicate as? NSComparisonPredicate,
            let slot = comparedSlot(comparison, node), let column = slot.column
        else { return [] }
        func bound(_ expression: NSExpression, isLower: Bool) -> [Bound] {
            guard expression.isFixed, case .attribute(let kind) = slot.kind,
                let constant = try? Self.constant(expression),
                let value = ConstantValue(constant).stored(as: SQLType(kind), in: nil)
            else { return [] }
            switch value {
            case .integer: break
            case .real(let number) where !number.isNaN: break
            default: return []
            }
            return [Bound(column: column, isLower: isLower, value: value)]
        }
        let right = comparison.rightExpression
        switch comparison.predicateOperatorType {
        case .greaterThan, .greaterThanOrEqualTo: return bound(right, isLower: true)
        case .lessThan, .lessThanOrEqualTo: return bound(right, isLower: false)
        case .equalTo: return bound(right, isLower: true) + bound(right, isLower: false)
        case .between:
            let limits = Self.limits(right)
            guard limits.count == 2 else { return [] }
            return bound(limits[0], isLower: true) + bound(limits[1], isLower: false)
        default: return []
        }
    }

    private static func limits(_ expression: NSExpression) -> [NSExpression] {
        switch expression.node {
        case .aggregate(let members): return members
        case .constant(let value):
            guard case .list(let members) = ConstantValue(value) else { return [] }
            return members.map { NSExpression(forConstantValue: $0) }
        default: return []
        }
    }
}

import Firn
import FirnModel

/// A context's changes laid over a newer graph: by property for values and to-one relationships, pair by pair for many
/// to many. What is related to an object that is gone is related no more; deletions reach what was related since.
struct Merging {
    private let base: PlainGraph
    private let view: PlainGraph
    private let source: PlainGraph
    private var touched: Touched
    /// Objects that the source does not have, and the context has.
    private var inserted: Set<Int>
    private var deleted: Set<Int>
    /// Objects of which the whole row is written, or nothing: the order of their lists is not said.
    private var pushed: Set<Int> = []
    /// Objects whose place in a list may be written, though nothing else of them is.
    private var placed: Set<Int> = []
    /// Objects that a policy left as they are stored: owners that are deleted here do not take them along.
    private var kept: Set<Int> = []
    private var added: [End: Set<Pair>] = [:]
    private var removed: [End: Set<Pair>] = [:]
    private(set) var result = PlainGraph()
    /// Lists whose order both sides changed: it is not said which order they get.
    private(set) var unclear: Set<Touched.Reference> = []
    /// What the deletions reached in the source.
    private(set) var followed = Touched()

    struct Pair: Hashable {
        let first: Int
        let second: Int

        init(_ end: End, _ first: Int, _ second: Int) {
            let swaps = end == end.opposite && second < first
            (self.first, self.second) = swaps ? (second, first) : (first, second)
        }
    }

    init(_ context: PlainContext, _ source: PlainGraph) {
        (base, view, touched) = (context.base.withoutDangling(in: source), context.view, context.touched)
        self.source = source
        inserted = Set(view.kinds.keys).subtracting(base.kinds.keys)
        deleted = Set(base.kinds.keys).subtracting(view.kinds.keys)
        // To set a property to what it was is no change of it.
        touched.attributes = touched.attributes.filter { context.isChanged($0) }
        touched.references = touched.references.filter {
            context.base.partners($0.end, $0.number) != context.view.partners($0.end, $0.number)
        }
        for end in Self.manyToMany {
            let (old, new) = (Self.pairs(base, end), Self.pairs(view, end))
            added[end] = new.subtracting(old)
            removed[end] = old.subtracting(new)
        }
    }

    private static let manyToMany = End.all.filter { $0.isManyToMany && $0.side == 0 }

    private static func pairs(_ graph: PlainGraph, _ end: End) -> Set<Pair> {
        var result: Set<Pair> = []
        for (number, list) in graph.partners[end] ?? [:] {
            for other in list { result.insert(Pair(end, number, other)) }
        }
        return result
    }

    /// Leaves out, or adds, what a merge policy decides about objects that both sides changed.
    ///
    /// Of objects that `perhaps` are in conflict, as only another place in a list was written, no more than the place
    /// can come of that.
    mutating func apply(_ policy: NSMergePolicy, conflicts: Set<Int>, perhaps possible: Set<Int>) {
        if policy.mergeType == .overwriteMergePolicyType { placed = possible }
        let lost = deleted
        defer {
            // What a deletion ended between two objects that both come back is not ended.
            let back = lost.subtracting(deleted)
            for end in Self.manyToMany {
                removed[end] = removed[end]?.filter { pair in
                    let (first, second) = (back.contains(pair.first), back.contains(pair.second))
                    return !(end.opposite.shape.isHidden ? first || second : first && second)
                }
            }
        }
        let isWonThere: [NSMergePolicyType] = [.rollbackMergePolicyType, .mergeByPropertyStoreTrumpMergePolicyType]
        if isWonThere.contains(policy.mergeType) { kept = conflicts }
        for number in conflicts {
            switch policy.mergeType {
            case .rollbackMergePolicyType: dropAll(number, conflicts)
            case .mergeByPropertyStoreTrumpMergePolicyType: dropColliding(number)
            case .overwriteMergePolicyType: pushAll(number)
            default: break
            }
            let winners: [NSMergePolicyType] = [.overwriteMergePolicyType, .mergeByPropertyObjectTrumpMergePolicyType]
            let isLost = source.kinds[number] == nil && view.kinds[number] != nil
            if isLost, winners.contains(policy.mergeType) { bringBack(number) }
        }
    }

    private mutating func dropAll(_ number: Int, _ conflicts: Set<Int>) {
        pushed.insert(number)
        deleted.remove(number)
        touched.attributes = touched.attributes.filter { $0.number != number }
        touched.references = touched.references.filter { $0.number != number }
        for end in Self.manyToMany {
            let isOneSided = end.opposite.shape.isHidden
            let isDropped: (Pair) -> Bool = {
                conflicts.contains($0.first) && (isOneSided || conflicts.contains($0.second))
            }
            added[end] = added[end]?.filter { !isDropped($0) }
            removed[end] = removed[end]?.filter { !isDropped($0) }
        }
    }

    private mutating func dropColliding(_ number: Int) {
        if deleted.remove(number) != nil {
            touched.references = touched.references.filter { $0.number != number }
        }
        let (old, new) = (base.values[number] ?? [], source.values[number] ?? [])
        touched.attributes = touched.attributes.filter {
            $0.number != number || old.isEmpty || new.isEmpty || old[$0.attribute] == new[$0.attribute]
        }
        touched.references = touched.references.filter {
            $0.number != number || base.partners($0.end, number) == source.partners($0.end, number)
        }
    }

    private mutating func pushAll(_ number: Int) {
        pushed.insert(number)
        for attribute in Kind.attributes.indices {
            touched.attributes.insert(.init(number: number, attribute: attribute))
        }
        for end in view.kinds[number]?.ends ?? [] where !end.shape.isToMany {
            if end.isOneToOne, base.partners(end, number) == source.partners(end, number) { continue }
            touched.references.insert(.init(end: end, number: number))
            guard end.isOneToOne else { continue }
            for other in view.partners(end, number) {
                touched.references.insert(.init(end: end.opposite, number: other))
            }
        }
    }

    private mutating func bringBack(_ number: Int) {
        inserted.insert(number)
        for end in Self.manyToMany {
            added[end]?.formUnion(
                Self.pairs(view, end).filter { $0.first == number || $0.second == number })
        }
        for end in view.kinds[number]?.ends ?? [] where end.isOneToOne {
            for other in view.partners(end, number) {
                touched.references.insert(.init(end: end.opposite, number: other))
            }
        }
    }

    mutating func run() {
        for (number, kind) in source.kinds { result.insert(number, kind, source.values[number] ?? []) }
        for number in inserted {
            guard let kind = view.kinds[number] else { continue }
            result.insert(number, kind, view.values[number] ?? [])
        }
        for fact in touched.attributes where result.kinds[fact.number] != nil {
            guard let value = view.values[fact.number]?[fact.attribute] else { continue }
            result.setValue(value, fact.attribute, of: fact.number)
        }
        for end in Self.manyToMany {
            let now = Self.pairs(source, end).subtracting(removed[end] ?? []).union(added[end] ?? [])
            for pair in now { link(end, pair.first, pair.second) }
        }
        for end in End.all where !end.shape.isToMany && end.opposite.shape.isToMany { mergeReferences(end) }
        for end in End.all where end.isOneToOne && end.side == 0 { mergePairs(end) }
        for end in End.all where end.shape.isOrdered { order(end) }
        for number in deleted where result.kinds[number] != nil { result.delete(number, sparing: kept, &followed) }
    }

    private mutating func mergeReferences(_ end: End) {
        for number in result.kinds.keys where result.kinds[number]?.ends.contains(end) == true {
            let isSet = inserted.contains(number) || touched.references.contains(.init(end: end, number: number))
            let isOwn = isSet && !deleted.contains(number)
            let mine = view.partners(end, number).first
            // What was related here to an object that is gone is related as in the source.
            let isGone = mine.map { result.kinds[$0] == nil && !deleted.contains($0) } ?? false
            // Without an inverse nobody knows whom it left.
            let isVoid = isGone && !end.opposite.shape.isHidden
            let other = isOwn && !isVoid ? mine : source.partners(end, number).first
            if let other { link(end, number, other) }
        }
    }

    /// One to one: what either side changed here holds, unless the other side's change was dropped.
    private mutating func mergePairs(_ end: End) {
        func own(_ end: End) -> Set<Int> {
            var own = inserted.union(touched.references.filter { $0.end == end }.map(\.number))
            own.formIntersection(result.kinds.filter { $0.value.root == end.shape.kind }.keys)
            // What is deleted here is related as in the source first, so that its delete rules reach that.
            own.subtract(deleted)
            return own.filter { leadsToThere(end, $0) && !follows(end, $0) }
        }
        /// Whether an object only lost its partner to another one: that is no change of its own.
        func follows(_ end: End, _ number: Int) -> Bool {
            !pushed.contains(number) && !inserted.contains(number) && view.hasLost(end, number, since: base)
        }
        // What was related here to an object that is gone is related as in the source.
        func leadsToThere(_ end: End, _ number: Int) -> Bool {
            view.partners(end, number).allSatisfy { result.kinds[$0] != nil || deleted.contains($0) }
        }
        let (mine, theirs) = (own(end), own(end.opposite))
        for (number, others) in source.partners[end] ?? [:] where !mine.contains(number) {
            for other in others where !theirs.contains(other) { link(end, number, other) }
        }
        for number in mine {
            for other in view.partners(end, number) where theirs.contains(other) { link(end, number, other) }
        }
    }

    private mutating func link(_ end: End, _ number: Int, _ other: Int) {
        guard result.kinds[number] != nil, result.kinds[other] != nil else { return }
        var ignored = Touched()
        result.link(end, number, other, &ignored)
    }

    private mutating func order(_ end: End) {
        for (number, members) in result.partners[end] ?? [:] {
            let (before, mine, theirs) = (
                base.partners(end, number), view.partners(end, number), source.partners(end, number)
            )
            let leading = mine == before ? theirs : mine
            let kept = leading.filter { members.contains($0) }
            let others = members.filter { !leading.contains($0) }
            // A pushed row has the object's old place in the list of its owner.
            let isPushed = pushed.contains(number) || !pushed.union(placed).isDisjoint(with: members)
            if !others.isEmpty || isPushed || (mine != before && theirs != before) {
                unclear.insert(.init(end: end, number: number))
            }
            result.put(kept + others, end, number)
        }
    }
}

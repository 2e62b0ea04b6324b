import Firn
import FirnModel

/// A context as three plain graphs: what it last read, what it shows, and which of that it changed itself.
struct PlainContext {
    struct Step {
        var before: PlainGraph
        var after: PlainGraph
        let touched: Touched

        /// What others changed beside the step is there before and after it.
        mutating func take(_ numbers: Set<Int>, from view: PlainGraph) {
            before.take(numbers, from: view)
            after.take(numbers, from: view)
        }
    }

    /// What it read or saved last.
    var base = PlainGraph()
    /// What it shows.
    var view = PlainGraph()
    var touched = Touched()
    /// Objects whose deletion, or insertion, was undone, and those that a child set to what they were: it is not said
    /// whether that leaves them changed.
    private(set) var broughtBack: Set<Int> = []
    private(set) var undoable: [Step] = []
    private(set) var redoable: [Step] = []

    var hasChanges: Bool { !touched.numbers.isEmpty }

    /// Whether the context has no changes and shows all that its source holds.
    func isCurrent(with source: PlainGraph) -> Bool { !hasChanges && view == source && base == source }

    /// One event: what it changes is undone together.
    mutating func edit(isUndoable: Bool, _ body: (inout PlainGraph, inout Touched) -> Void) {
        let before = view
        var changes = Touched()
        body(&view, &changes)
        touched.formUnion(changes)
        guard isUndoable, !changes.numbers.isEmpty else { return }
        undoable.append(Step(before: before, after: view, touched: changes))
        redoable = []
    }

    /// It is not said whether these objects are changed.
    mutating func doubt(_ numbers: some Sequence<Int>) { broughtBack.formUnion(numbers) }

    /// Whether an object is as it was last read.
    func isAsRead(_ number: Int) -> Bool {
        base.kinds[number] == view.kinds[number] && base.values[number] == view.values[number]
            && End.all.allSatisfy { base.partners($0, number) == view.partners($0, number) }
    }

    /// Whether an undo brings back an object whose deletion was saved, as one of its own, though another context has
    /// written it again.
    func undoClashes(with store: PlainGraph) -> Bool {
        guard let step = undoable.last else { return false }
        return step.before.kinds.keys.contains {
            view.kinds[$0] == nil && base.kinds[$0] == nil && store.kinds[$0] != nil
        }
    }

    mutating func undo() {
        guard let step = undoable.popLast() else { return }
        broughtBack.formUnion(Set(step.before.kinds.keys).subtracting(step.after.kinds.keys))
        show(step.before)
        touched.formUnion(step.touched)
        redoable.append(step)
    }

    mutating func redo() {
        guard let step = redoable.popLast() else { return }
        broughtBack.formUnion(Set(step.after.kinds.keys).subtracting(step.before.kinds.keys))
        show(step.after)
        touched.formUnion(step.touched)
        undoable.append(step)
    }

    /// Goes back or forth to another state: each to-one relationship that differs is changed by that, whoever set it.
    private mutating func show(_ graph: PlainGraph) {
        for end in End.all where !end.shape.isToMany {
            for number in graph.kinds.keys where graph.partners(end, number) != view.partners(end, number) {
                touched.references.insert(.init(end: end, number: number))
            }
        }
        view = graph
    }

    /// Whether a merge of what the source of the context holds now would end undo and redo.
    func losesSteps(merging source: PlainGraph) -> Bool {
        var trial = self
        _ = trial.merge(source)
        return trial.undoable.count + trial.redoable.count < undoable.count + redoable.count
    }

    mutating func forgetSteps() { (undoable, redoable) = ([], []) }

    mutating func rollback() {
        view = base
        touched = Touched()
        broughtBack = []
        forgetSteps()
    }

    /// Its changes are saved, and what it shows is what it has last read.
    mutating func settle() {
        base = view
        touched = Touched()
        broughtBack = []
    }

    /// Takes over what the source of the context holds now, under its own changes.
    ///
    /// Steps stay if they have nothing in common with what comes in: what they would bring back is said only then.
    mutating func merge(_ source: PlainGraph) -> Set<Touched.Reference> {
        var merging = Merging(self, source)
        merging.run()
        let news = base.differing(from: source).union(view.differing(from: merging.result))
        let siblings = news.flatMap { source.orderedSiblings($0) + view.orderedSiblings($0) }
        let stepped = (undoable + redoable).reduce(into: Set()) { $0.formUnion($1.touched.numbers) }
        if merging.unclear.isEmpty, stepped.isDisjoint(with: news.union(siblings)) {
            for index in undoable.indices { undoable[index].take(news, from: merging.result) }
            for index in redoable.indices { redoable[index].take(news, from: merging.result) }
        } else {
            forgetSteps()
        }
        // What was set to what it was is no change against what comes later either.
        touched.references = touched.references.filter {
            base.partners($0.end, $0.number) != view.partners($0.end, $0.number)
        }
        touched.formUnion(merging.followed)
        base = source
        view = merging.result
        touched.keepOnly { view.kinds[$0] != nil || base.kinds[$0] != nil }
        return merging.unclear
    }
}

extension Touched {
    mutating func keepOnly(_ isKept: (Int) -> Bool) {
        numbers = numbers.filter(isKept)
        attributes = attributes.filter { isKept($0.number) }
        references = references.filter { isKept($0.number) }
    }
}

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
        (base, view, touched) = (context.base, context.view, context.touched)
        self.source = source
        inserted = Set(view.kinds.keys).subtracting(base.kinds.keys)
        deleted = Set(base.kinds.keys).subtracting(view.kinds.keys)
        // To set a relationship to what it was is no change of it.
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
    mutating func apply(_ policy: NSMergePolicy, conflicts: Set<Int>) {
        let lost = deleted
        defer {
            // What a deletion ended between two objects that both come back is not ended.
            let back = lost.subtracting(deleted)
            for end in Self.manyToMany {
                removed[end] = removed[end]?.filter { !(back.contains($0.first) && back.contains($0.second)) }
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
            let isDropped: (Pair) -> Bool = { conflicts.contains($0.first) && conflicts.contains($0.second) }
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
            let isOwn = inserted.contains(number) || touched.references.contains(.init(end: end, number: number))
            let mine = view.partners(end, number).first
            // What was related here to an object that is gone is related as in the source.
            let isVoid = mine.map { result.kinds[$0] == nil && !deleted.contains($0) } ?? false
            let other = isOwn && !isVoid ? mine : source.partners(end, number).first
            if let other { link(end, number, other) }
        }
    }

    /// One to one: what either side changed here holds, unless the other side's change was dropped.
    private mutating func mergePairs(_ end: End) {
        func own(_ end: End) -> Set<Int> {
            var own = inserted.union(touched.references.filter { $0.end == end }.map(\.number))
            own.formIntersection(result.kinds.filter { $0.value.root == end.shape.kind }.keys)
            return own.filter { number in
                // What was related here to an object that is gone is related as in the source.
                view.partners(end, number).allSatisfy { result.kinds[$0] != nil || deleted.contains($0) }
            }
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
            let isPushed = pushed.contains(number) || !pushed.isDisjoint(with: members)
            if !others.isEmpty || isPushed || (mine != before && theirs != before) {
                unclear.insert(.init(end: end, number: number))
            }
            result.put(kept + others, end, number)
        }
    }
}

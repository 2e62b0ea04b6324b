import Firn
import FirnModel

/// A context as three plain graphs: what it last read, what it shows, and which of that it changed itself.
struct PlainContext {
    struct Step {
        var before: PlainGraph
        var after: PlainGraph
        let touched: Touched
        /// The references that it touched first since the context saved.
        let fresh: Set<Touched.Reference>

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
        forgetEmptyChanges()
        body(&view, &changes)
        let fresh = changes.references.subtracting(touched.references)
        touched.formUnion(changes)
        guard isUndoable, !changes.numbers.isEmpty else { return }
        undoable.append(Step(before: before, after: view, touched: changes, fresh: fresh))
        redoable = []
    }

    /// What was set to what it was is no change, also if what it leads to is deleted now, and it goes on leading there.
    private mutating func forgetEmptyChanges() {
        touched.references = touched.references.filter {
            !$0.end.opposite.isLeftDangling || base.partners($0.end, $0.number) != view.partners($0.end, $0.number)
        }
    }

    /// It is not said whether these objects are changed.
    mutating func doubt(_ numbers: some Sequence<Int>) { broughtBack.formUnion(numbers) }

    /// Whether an object is as it was last read.
    func isAsRead(_ number: Int) -> Bool {
        base.kinds[number] == view.kinds[number] && base.values[number] == view.values[number]
            && End.all.allSatisfy { base.partners($0, number) == view.partners($0, number) }
    }

    /// Whether a value is not as it was last read.
    func isChanged(_ fact: Touched.Attribute) -> Bool {
        base.values[fact.number]?[fact.attribute] != view.values[fact.number]?[fact.attribute]
    }

    /// Objects whose partner one to one, as last read, goes elsewhere by a change made here: a save writes them too, as
    /// they are stored by then.
    var left: Set<Int> {
        End.all.filter(\.isOneToOne).reduce(into: Set()) { result, end in
            for (number, list) in base.partners[end] ?? [:] where view.partners(end, number) != list {
                if view.kinds[number] != nil { result.insert(number) }
            }
        }
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
        touched.references.subtract(step.fresh.filter(leadsAsRead))
        redoable.append(step)
    }

    /// Whether a reference leads again to what it was read with, or dangles where that was deleted here: as it dangles,
    /// it is not shown, but it is no change, and leads to the object again if a policy drops the deletion.
    private func leadsAsRead(_ fact: Touched.Reference) -> Bool {
        fact.end.opposite.isLeftDangling
            && base.withoutDangling(in: view).partners(fact.end, fact.number) == view.partners(fact.end, fact.number)
    }

    mutating func redo() {
        guard let step = redoable.popLast() else { return }
        let back = Set(step.after.kinds.keys).subtracting(step.before.kinds.keys)
        broughtBack.formUnion(back)
        // What is inserted again is given its values again, over those that others have saved.
        for number in back {
            for attribute in Kind.attributes.indices {
                touched.attributes.insert(.init(number: number, attribute: attribute))
            }
        }
        show(step.after)
        touched.formUnion(step.touched)
        undoable.append(step)
    }

    /// Goes back or forth to another state: each to-one relationship that differs is changed by that, whoever set it.
    private mutating func show(_ graph: PlainGraph) {
        let (old, new) = (view.withoutDangling(in: graph), graph.withoutDangling(in: view))
        for end in End.all where !end.shape.isToMany {
            for number in graph.kinds.keys where new.partners(end, number) != old.partners(end, number) {
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

    mutating func discardSteps() { (undoable, redoable) = ([], []) }

    mutating func rollback() {
        view = base
        touched = Touched()
        broughtBack = []
        discardSteps()
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
            discardSteps()
        }
        // What was set to what it was is no change against what comes later either. Nor is the loss of a partner that
        // went elsewhere, once the source has another one.
        touched.attributes = touched.attributes.filter(isChanged)
        touched.references = touched.references.filter { fact in
            let (end, number) = (fact.end, fact.number)
            let old = base.partners(end, number)
            if old == view.partners(end, number) { return false }
            return old == source.partners(end, number) || !view.hasLost(end, number, since: base)
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

import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport

/// Saves and merges of a program.
extension GraphProgram {
    func reset(_ actor: Actor) throws {
        note("\(actor.name): reset")
        try actor.reset(to: actor.parent?.plain.view ?? store)
        // What its children hold may never have been saved.
        for child in actors where child.parent === actor { try child.reset(to: actor.plain.view) }
    }

    /// Brings a context up to what the store or its parent holds, under its own changes.
    func sync(_ actor: Actor, by how: Sync) throws {
        if how != .following, holdsWhatIsBack(actor) { return try reset(actor) }
        let source = actor.parent?.plain.view ?? store
        if how != .following { try prepare(actor, for: source) }
        // No draw more, by which the programs would become others.
        let isByHistory = how == .merging && actor.parent == nil && stepCount.isMultiple(of: 2)
        let notifications = (isByHistory ? history(actor) : nil) ?? actor.inbox
        note("\(actor.name): sync by \(how)" + (isByHistory ? ", from the history" : ""))
        actor.context.performAndWait {
            if how == .following { return }
            // Rows that another coordinator wrote are cached as they were until this one hears of it. What was deleted
            // and is there again is not deleted first.
            NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [:], into: [actor.context])
            if how == .merging || cast.hasSecondCoordinator {
                for notification in notifications { actor.context.mergeChanges(fromContextDidSave: notification) }
            }
            if how == .refreshing || actor.parent != nil { actor.context.refreshAllObjects() }
        }
        actor.forgetOthers()
        let unclear = actor.plain.merge(source)
        let (fetched, twins) = try actor.fetched()
        let seen = withoutCollected(fetched, actor)
        adopt(unclear, from: seen, in: actor)
        if !twins.isEmpty { throw failure("\(actor.name): \(twins) have two instances") }
        if seen != actor.plain.view {
            throw failure("\(actor.name), fetched: \(seen.difference(from: actor.plain.view))")
        }
        try abandonChildren(of: actor)
    }

    /// The saves since the last sync as the history tells them, the actor's own among them; nil where it was trimmed.
    private func history(_ actor: Actor) -> [Notification]? {
        let reader = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        reader.persistentStoreCoordinator = actor.context.persistentStoreCoordinator
        let result = reader.performAndWait {
            try? reader.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: actor.token))
        }
        let transactions = (result as? NSPersistentHistoryResult)?.result as? [NSPersistentHistoryTransaction]
        return transactions?.map { $0.objectIDNotification() }
    }

    /// Whether a child has objects that its parent, where they are deleted, would find in the store: another save has
    /// written them again, which the parent has not merged.
    private func holdsWhatIsBack(_ actor: Actor) -> Bool {
        guard let parent = actor.parent else { return false }
        return actor.plain.base.kinds.keys.contains { parent.plain.view.kinds[$0] == nil && store.kinds[$0] != nil }
    }

    /// Undoes what a merge of `source` would leave unclear. The next merge must be that.
    private func prepare(_ actor: Actor, for source: PlainGraph) throws {
        if wouldDeny(actor, source) || actor.plain.leadsNowhere(in: source) { try rollback(actor) }
        if actor.plain.losesSteps(merging: source) { actor.discardSteps() }
    }

    /// Those that merge by themselves what `actor` saves, which is `store` already.
    private func prepareFollowers(of actor: Actor) throws {
        for other in actors where other.follows && other !== actor && other.parent == nil {
            try prepare(other, for: store)
        }
        for child in actors where child.follows && child.parent === actor {
            // What the parent never saved goes without a save that tells of it; so does what an undo brought back there
            // as another object.
            let gone = Set(child.plain.base.kinds.keys).subtracting(actor.plain.view.kinds.keys)
            if !gone.isSubset(of: saved.subtracting(actor.plain.broughtBack)) || holdsWhatIsBack(child) {
                try reset(child)
            } else {
                try prepare(child, for: actor.plain.view)
            }
        }
    }

    /// Holds those that merged by themselves what `actor` has saved to what is expected of them.
    private func checkFollowers(of actor: Actor) throws {
        for other in actors where other.follows && other !== actor {
            guard other.parent == nil || other.parent === actor else { continue }
            try sync(other, by: .following)
            // Its children merge after it, and read then what it has not saved either.
            for child in actors where child.follows && child.parent === other {
                if child.plain.isCurrent(with: other.plain.view) { try sync(child, by: .following) }
            }
        }
    }

    /// Where it is not said which order a list has, it has the one that is seen, if the members are the right ones.
    private func adopt(_ unclear: Set<Touched.Reference>, from seen: PlainGraph, in actor: Actor) {
        for list in unclear {
            let order = seen.partners(list.end, list.number)
            guard order.sorted() == actor.plain.view.partners(list.end, list.number).sorted() else { continue }
            actor.plain.view.put(order, list.end, list.number)
        }
    }

    /// Whether the source has prizes of an author that is deleted here; only those of `besides` do not count.
    private func wouldDeny(_ actor: Actor, _ source: PlainGraph, besides: Set<Int> = []) -> Bool {
        let gone = Set(actor.plain.base.kinds.keys).subtracting(actor.plain.view.kinds.keys)
        return End.all.contains { end in
            end.shape.rule == .denyDeleteRule
                && gone.contains { !besides.isSuperset(of: source.partners(end, $0)) }
        }
    }

    func save(_ actor: Actor) throws {
        if let parent = actor.parent { return try saveChild(actor, into: parent) }
        let touched = actor.plain.touched.numbers
        // It is not said whether an object that is as it was read is written.
        let certain = touched.intersection(actor.changedElsewhere).filter { !actor.plain.isAsRead($0) }
        let possible = touched.union(actor.plain.left).intersection(actor.perhapsChangedElsewhere)
        if possible.isEmpty {
            note("\(actor.name): save")
            return try saveUndisputed(actor, .error)
        }
        guard let policy = pick(Self.policies) else { return try sync(actor, by: .merging) }
        if wouldDeny(actor, store) {
            let winning: [NSMergePolicyType] = [.overwriteMergePolicyType, .mergeByPropertyObjectTrumpMergePolicyType]
            // A prize that is changed or deleted here may deny nothing.
            let isCertain = winning.contains(policy.mergeType) && wouldDeny(actor, store, besides: touched)
            return isCertain ? try saveDenied(actor, policy) : try sync(actor, by: .merging)
        }
        if policy.mergeType == .errorMergePolicyType { return try saveRefused(actor) }
        // What still leads to an object in the store would lead to it again when it is written again.
        let comesBack = possible.contains { store.kinds[$0] == nil && actor.plain.view.kinds[$0] == .tag }
        if comesBack || isUnclear(actor.plain, policy, certain, possible) { return try sync(actor, by: .merging) }
        try saveDisputed(actor, policy, certain, perhaps: possible)
    }

    /// Whether what becomes of a conflict hangs on whether there is one, and that is not said: another's save may have
    /// written an object that it did not change, and an undone deletion may have left a change behind. Nor do plain
    /// graphs know what leads nowhere in the store, where that wins.
    private func isUnclear(
        _ plain: PlainContext, _ policy: NSMergePolicy, _ certain: Set<Int>, _ possible: Set<Int>
    ) -> Bool {
        let doubtful = possible.subtracting(certain)
        // A coordinator first tries with the rows that it knows, and a policy may act on those: what is deleted by then
        // may have been changed before.
        let mayWin = doubtful.contains { store.kinds[$0] == nil || plain.isAsRead($0) }
            || (cast.hasSecondCoordinator && certain.contains { store.kinds[$0] == nil })
        switch policy.mergeType {
        case .rollbackMergePolicyType: return !doubtful.isEmpty || !plain.broughtBack.isDisjoint(with: possible)
        case .mergeByPropertyStoreTrumpMergePolicyType:
            return doubtful.contains { plain.view.kinds[$0] == nil }
                || !plain.touched.references.isDisjoint(with: leadingNowhere)
        case .overwriteMergePolicyType: return mayWin || !plain.broughtBack.isDisjoint(with: possible)
        default: return mayWin || plain.broughtBack.contains { possible.contains($0) && store.kinds[$0] == nil }
        }
    }

    private static let policies: [NSMergePolicy] = [
        .error, .mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite, .rollback,
    ]

    /// Nothing that this context changed was changed by others.
    private func saveUndisputed(_ actor: Actor, _ policy: NSMergePolicy) throws {
        var merging = Merging(actor.plain, store)
        merging.run()
        let before = store
        store = merging.result
        let unclear = merging.unclear
        try perform(actor, policy, before)
        if actor.plain.endDangling(in: store) { actor.discardSteps() }
        let moved = perhapsMoved(actor)
        actor.plain.settle()
        try checkStore(unclear)
        try mergeMoved(moved, actor)
        try checkFollowers(of: actor)
    }

    /// Members of ordered lists that the actor is saving, of which others have saved something that it has not merged.
    private func perhapsMoved(_ actor: Actor) -> Set<Int> {
        let touched = actor.plain.touched.numbers
        return Set(touched.flatMap(actor.plain.view.orderedSiblings))
            .subtracting(touched).intersection(actor.perhapsChangedElsewhere)
    }

    /// A member that gets another place is written over the row that the store has, as a row is of one version: from
    /// then on it shows what others saved of it, before its context merges the rest. It is not said which members are
    /// moved, so each shows either all that the store has, or what it showed. After the former the program merges.
    private func mergeMoved(_ moved: Set<Int>, _ actor: Actor) throws {
        let seen = moved.isEmpty ? actor.plain.view : actor.held()
        let stored = seen.withoutDangling(in: store)
        let current = moved.filter { stored.shown($0) == store.shown($0) }
        actor.changedElsewhere.subtract(current)
        let owners = current.flatMap { number in
            End.all.filter { !$0.shape.isToMany }.flatMap { end in
                (store.partners(end, number) + actor.plain.base.partners(end, number)).map { (end.opposite, $0) }
            }
        }
        var expected = actor.plain.view
        expected.take(current, from: seen)
        for (end, owner) in owners where seen.partners(end, owner) == store.partners(end, owner) {
            expected.put(store.partners(end, owner), end, owner)
        }
        if seen != expected { throw failure("\(actor.name), after its save: \(seen.difference(from: expected))") }
        if seen != actor.plain.view { try sync(actor, by: .merging) }
    }

    /// The error policy: either nothing is saved, or nothing that both changed is lost.
    private func saveRefused(_ actor: Actor) throws {
        note("\(actor.name): save, to be refused")
        let collisions = actor.plain.collisions(with: store)
        do {
            let before = store
            var merging = Merging(actor.plain, store)
            merging.run()
            store = merging.result
            do { try perform(actor, .error, before) } catch {
                store = before
                throw error
            }
            if !collisions.isEmpty {
                throw failure("\(actor.name): a save that loses another's change of \(collisions) was not refused")
            }
            actor.plain.settle()
            try checkStore(merging.unclear)
            try sync(actor, by: .merging)
            try checkFollowers(of: actor)
        } catch let error as NSError where error.code == NSManagedObjectMergeError {
            try check(actor, "after a refused save")
            try checkStore([])
            if chance(2) { try rollback(actor) } else { try sync(actor, by: .merging) }
        }
    }

    /// A policy by which deletions win does not overrule what another save related to a deleted object.
    private func saveDenied(_ actor: Actor, _ policy: NSMergePolicy) throws {
        note("\(actor.name): save with \(policy.mergeType), to be denied")
        let denials = [NSValidationRelationshipDeniedDeleteError, NSValidationMultipleErrorsError]
        do {
            try actor.context.performAndWait {
                actor.context.mergePolicy = policy
                try actor.context.save()
            }
        } catch let error as NSError where denials.contains(error.code) {
            try checkStore([])
            return try reset(actor)
        }
        throw failure("\(actor.name): a deletion that another's prize denies was saved")
    }

    private func saveDisputed(
        _ actor: Actor, _ policy: NSMergePolicy, _ conflicts: Set<Int>, perhaps possible: Set<Int>
    ) throws {
        note("\(actor.name): save with \(policy.mergeType), conflicts \(conflicts.sorted())")
        var merging = Merging(actor.plain, store)
        merging.apply(policy, conflicts: conflicts, perhaps: possible)
        merging.run()
        let before = store
        store = merging.result
        let unclear = merging.unclear
        try perform(actor, policy, before)
        actor.discardSteps()
        try checkStore(unclear)
        actor.plain = PlainContext()
        actor.plain.base = store
        actor.plain.view = store
        try sync(actor, by: .merging)
        try checkFollowers(of: actor)
    }

    /// Saves, and tells the others. `store` is already what is expected to be saved.
    private func perform(_ actor: Actor, _ policy: NSMergePolicy, _ before: PlainGraph) throws {
        try prepareFollowers(of: actor)
        nonisolated(unsafe) var sent: [Notification] = []
        let observer = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSaveObjectIDs, object: actor.context, queue: nil
        ) { sent.append($0) }
        defer { NotificationCenter.default.removeObserver(observer) }
        let touched = actor.plain.touched.numbers
        let broughtBack = actor.plain.broughtBack
        let asRead = touched.filter(actor.plain.isAsRead)
        let inserted = Set(actor.plain.view.kinds.keys).subtracting(actor.plain.base.kinds.keys)
        try actor.context.performAndWait {
            actor.context.mergePolicy = policy
            try actor.context.save()
            if actor.context.hasChanges { throw failure("\(actor.name) has changes after a save") }
        }
        leadingNowhere.formUnion(before.dangling(in: store))
        let before = before.withoutDangling(in: store)
        let differing = before.differing(from: store)
        let changed = touched.union(differing)
        let siblings = Set(changed.flatMap { number in before.orderedSiblings(number) + store.orderedSiblings(number) })
        for other in actors where other !== actor && other.parent == nil {
            other.inbox += sent
            // A policy may have dropped what was changed here, and members can come and go without their owner's row.
            let rows = differing.filter {
                before.row($0) != store.row($0) || (touched.contains($0) && before.shown($0) != store.shown($0))
            }
            let written = policy.mergeType == .errorMergePolicyType
                ? touched.subtracting(broughtBack).subtracting(asRead) : []
            other.changedElsewhere.formUnion(rows.union(written))
            other.perhapsChangedElsewhere.formUnion(changed.union(siblings))
        }
        // What comes back when its saved deletion is undone is another object with the number of the old one.
        let isTaken = !inserted.isDisjoint(with: saved)
        for other in roots where other !== actor && (isTaken || other.plain.clashes(with: store)) { try reset(other) }
        saved.formUnion(store.kinds.keys)
    }

    private func saveChild(_ child: Actor, into parent: Actor) throws {
        let lost = child.plain.touched.numbers.contains {
            child.plain.base.kinds[$0] != nil && parent.plain.view.kinds[$0] == nil
        }
        let gone = Set(child.plain.base.kinds.keys).subtracting(child.plain.view.kinds.keys)
        if lost || gone.contains(where: parent.plain.wouldDangle) || wouldDeny(child, parent.plain.view) {
            return try child.reset(to: parent.plain.view)
        }
        note("\(child.name): save")
        let stepCount = parent.undoCount
        try parent.event { try child.context.performAndWait { try child.context.save() } }
        var merging = Merging(child.plain, parent.plain.view)
        merging.run()
        let touched = child.plain.touched
        // A save of nothing but what was inserted and deleted in the child is no event in the parent.
        let isStep = parent.undoCount > stepCount
        if parent.undoes, !isStep, merging.result != parent.plain.view {
            throw failure("\(child.name): what it saved cannot be undone")
        }
        parent.plain.doubt(child.plain.touched.numbers.filter { child.plain.isAsRead($0) })
        parent.plain.edit(isUndoable: isStep) { view, changes in
            view = merging.result
            changes.formUnion(touched)
            changes.formUnion(merging.followed)
        }
        for number in merging.result.kinds.keys where parent.instances[number] == nil {
            parent.instances[number] = try parent.find(number, merging.result.kinds[number])
        }
        adopt(merging.unclear, from: parent.held(), in: parent)
        try check(parent, "after its child's save")
        child.plain.settle()
        if child.plain.view != parent.plain.view { try sync(child, by: .refreshing) }
    }

    /// Holds the store, and its tables built anew, to what is expected.
    func checkStore(_ unclear: Set<Touched.Reference>) throws {
        guard let coordinator = pick(coordinators) else { return }
        let reader = coordinator.context()
        let seen = try reader.performAndWait { try PlainGraph(fetching: reader) }
        for list in unclear {
            let order = seen.partners(list.end, list.number)
            guard order.sorted() == store.partners(list.end, list.number).sorted() else { continue }
            store.put(order, list.end, list.number)
        }
        if seen != store { throw failure("saved: \(seen.difference(from: store))") }
        try rebuilt?.check(self)
        try past.add(store, reader, coordinator)
        try past.visit(self)
    }
}

extension Actor {
    fileprivate func find(_ number: Int, _ kind: Kind?) throws -> NSManagedObject? {
        try context.performAndWait {
            try context.all(kind?.root.rawValue ?? "").first { $0.number == number }
        }
    }
}

extension PlainContext {
    /// Whether what came back here by an undo, as an object of its own, is in the store again too.
    fileprivate func clashes(with store: PlainGraph) -> Bool {
        view.kinds.keys.contains { base.kinds[$0] == nil && store.kinds[$0] != nil }
    }

    /// The objects that the source lacks, or of which it has other values, and that this context changed.
    fileprivate func collisions(with source: PlainGraph) -> [Int] {
        let base = base.withoutDangling(in: source)
        let lost = touched.numbers.filter {
            base.kinds[$0] != nil && view.kinds[$0] != nil && source.kinds[$0] == nil && !broughtBack.contains($0)
        }
        let values = touched.attributes.filter { fact in
            guard let old = base.values[fact.number], let new = source.values[fact.number] else { return false }
            return old[fact.attribute] != new[fact.attribute]
        }
        // To set a relationship to what it was is no change of it.
        let references = touched.references.filter { fact in
            base.kinds[fact.number] != nil && source.kinds[fact.number] != nil
                && base.partners(fact.end, fact.number) != view.partners(fact.end, fact.number)
                && base.partners(fact.end, fact.number) != source.partners(fact.end, fact.number)
        }
        return lost.union(values.map(\.number)).union(references.map(\.number)).sorted()
    }
}

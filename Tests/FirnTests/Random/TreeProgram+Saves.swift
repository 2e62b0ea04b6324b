import Firn
import FirnFoundation
import class FirnFoundation.NSPredicate
import FirnModel
import Foundation
import StoreSupport

/// What reaches other contexts than the one in which a program does it.
extension TreeProgram {
    func save(_ branch: Branch) throws {
        // Into rows that nobody read of a parent that is behind its own, a change means what these are when it is read.
        if let parent = branch.parent {
            try refresh(parent)
            if chance(8), try saveDropped(branch, parent) { return }
        }
        let type = (branch.context.mergePolicy as? NSMergePolicy)?.mergeType
        if branch.parent == nil, type == .errorMergePolicyType, !branch.isMixed, branch.overlay.base != store {
            try saveRefused(branch)
        }
        let loses = branch.parent == nil && type == .mergeByPropertyStoreTrumpMergePolicyType
        // It is not said whether a save of what is no change is in conflict with a deletion.
        if loses, !branch.overlay.deleted.isEmpty { branch.isMixed = true }
        let isMerged = mergesByPolicy(branch)
        let isChildMerged = isMerged && branch.parent != nil
        let lost = isChildMerged ? branch.overlay.lost(in: source(of: branch)) : []
        let perhapsLost = isChildMerged ? branch.overlay.perhapsLost(in: source(of: branch)) : []
        let isWrittenAgain = isWonHere(type) && !lost.isEmpty
        if isWrittenAgain {
            branch.overlay.refresh(source(of: branch), writingAgain: lost)
        } else if isMerged {
            branch.overlay.refresh(source(of: branch), dropsCollisions: loses)
        } else {
            try refresh(branch)
        }
        note("\(branch.name): save" + (isMerged ? " over what it has not read" : ""))
        let (view, written, before) = (branch.overlay.view, branch.overlay.written, store)
        let read = branch.overlay.base
        if let parent = branch.parent {
            try recordStep(parent) {
                parent.context.performAndWait { parent.context.undoManager?.beginUndoGrouping() }
                defer { parent.context.performAndWait { parent.context.undoManager?.endUndoGrouping() } }
                do {
                    try write(branch)
                    if type == .errorMergePolicyType, !lost.isEmpty {
                        throw failure("\(branch.name): a save that loses changes of \(lost) was not refused")
                    }
                } catch let error as NSError
                    where error.code == NSManagedObjectMergeError && type == .errorMergePolicyType
                    && !perhapsLost.isEmpty
                {
                    // What was changed here is deleted above.
                    note("\(branch.name): is refused, and refreshed")
                    try run(branch) { branch.context.refreshAllObjects() }
                    try write(branch)
                }
                parent.overlay.merge(branch.overlay)
            }
            if isWrittenAgain { discardSteps(parent) }
        } else {
            do { try write(branch) } catch let error as NSError
                where error.code == NSManagedObjectMergeError && type == .errorMergePolicyType
            {
                // It is not said whether a save of what is no change is a change to others.
                try run(branch) { branch.context.refreshAllObjects() }
                try write(branch)
            }
            store = view
        }
        branch.overlay = PlainOverlay(view)
        if isMerged {
            branch.isMixed = false
            try run(branch) { branch.context.refreshAllObjects() }
            discardSteps(branch)
        }
        try checkFollowers(of: branch, written, before, read)
    }

    /// Saves over what was not read under the error policy. Where both changed something that is refused and changes
    /// nothing: the program refreshes then, and saves again.
    private func saveRefused(_ branch: Branch) throws {
        note("\(branch.name): save, to be refused")
        var merged = branch.overlay
        merged.refresh(store)
        let (view, written, before, read) = (merged.view, merged.written, store, branch.overlay.base)
        do { try write(branch) } catch let error as NSError where error.code == NSManagedObjectMergeError {
            try checkStore()
            if !branch.context.performAndWait({ branch.context.hasChanges }) {
                throw failure("\(branch.name) has no changes after a refused save")
            }
            return
        }
        let collisions = branch.overlay.collisions(with: store)
        if !collisions.isEmpty { throw failure("\(branch.name): a save over changes of \(collisions) was not refused") }
        store = view
        branch.overlay = PlainOverlay(view)
        try run(branch) { branch.context.refreshAllObjects() }
        discardSteps(branch)
        try checkFollowers(of: branch, written, before, read)
    }

    /// Saves into a parent of which an observer drops all changes: the save throws, and the context has its changes.
    private func saveDropped(_ branch: Branch, _ parent: Branch) throws -> Bool {
        let overlay = branch.overlay
        guard overlay.base == source(of: branch), !branch.isMixed, overlay.view != overlay.base,
            survives(branch, parent.overlay)
        else { return false }
        try discardDependents(of: parent)
        let resets = chance(2)
        note("\(branch.name): save, which a \(resets ? "reset" : "rollback") of its parent drops")
        if resets { parent.held = [:] }
        let context = parent.context
        nonisolated(unsafe) var isDropped = false
        let observer = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
        ) { _ in
            if isDropped { return }
            isDropped = true
            if resets { context.reset() } else { context.rollback() }
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        let code = try run(branch, isStep: false) {
            do { try branch.context.save() } catch { return (error as NSError).code }
            return 0
        }
        if code != NSPersistentStoreSaveError { throw failure("\(branch.name): error \(code)") }
        didDropChanges(of: parent, resets)
        discardSteps(branch)
        return true
    }

    private func write(_ branch: Branch) throws {
        nonisolated(unsafe) var sent: [Notification] = []
        let observer = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSaveObjectIDs, object: branch.context, queue: nil
        ) { sent.append($0) }
        defer { NotificationCenter.default.removeObserver(observer) }
        try run(branch) {
            try branch.context.save()
            if branch.context.hasChanges { throw self.failure("\(branch.name) has changes after a save") }
        }
        told = (told + sent).suffix(Self.toldCount)
    }

    private static let toldCount = 6

    /// Merges an earlier save, of any context. One that shows all that its source has shows the same after that.
    func mergeLate(_ branch: Branch) throws {
        guard let notification = pick(told) else { return }
        let sender = (notification.object as? NSManagedObjectContext)?.name ?? "one that is gone"
        note("\(branch.name): merges a save of \(sender)")
        willMerge(branch)
        try run(branch, isStep: false) { branch.context.mergeChanges(fromContextDidSave: notification) }
    }

    func saveToStore(_ branch: Branch) throws {
        try save(branch)
        if let parent = branch.parent { try saveToStore(parent) }
    }

    private func isWonHere(_ type: NSMergePolicyType?) -> Bool {
        type == .mergeByPropertyObjectTrumpMergePolicyType || type == .overwriteMergePolicyType
    }

    /// Whether a context saves without a refresh before: property by property its changes win over what others saved.
    /// Where the source has deleted what was changed here, that is gone, or written again where changes win. For roots
    /// it is other programs that write it again.
    private func mergesByPolicy(_ branch: Branch) -> Bool {
        let source = source(of: branch)
        let type = (branch.context.mergePolicy as? NSMergePolicy)?.mergeType
        let wins = branch.parent == nil && type == .mergeByPropertyObjectTrumpMergePolicyType
        if branch.parent == nil, type == .errorMergePolicyType { return false }
        if branch.isMixed, !wins { return false }
        // Of a partner one to one it is not said whose it is then, nor what is written again for its side of a change.
        // Members that were not read cannot be.
        if branch.parent != nil, isWonHere(type), case let lost = branch.overlay.lost(in: source),
            lost != branch.overlay.perhapsLost(in: source) || !branch.overlay.haveNoPartners(lost)
        {
            return false
        }
        return branch.overlay.base != source && (wins || branch.parent != nil || branch.overlay.deleted.isEmpty)
            && (!wins || branch.overlay.changes.allSatisfy { $0.value.isNew || source[$0.key] != nil })
    }

    /// Contexts that merge what their source saves show it without a refresh, if they showed all else before.
    ///
    /// - Parameter read: what the source had read before it changed something.
    private func checkFollowers(
        of branch: Branch, _ written: Set<Int>, _ before: [Int: PlainNode], _ read: [Int: PlainNode]
    ) throws {
        for one in branches.sorted(by: { $0.depth < $1.depth }) { try enqueue(one) {} }
        func follow(_ one: Branch, _ old: [Int: PlainNode]?, _ numbers: Set<Int> = []) throws {
            guard one.context.automaticallyMergesChangesFromParent else { return }
            let (known, view) = (one.overlay.base, one.overlay.view)
            let isCurrent = !one.isMixed
                && old.map { old in
                    let stale = stale(known, old)
                    return stale.isSubset(of: numbers)
                        && !stale.contains { hasUntoldLinks(known[$0], old[$0], numbers.isEmpty ? nil : read[$0]) }
                } ?? false
            note("\(one.name): follows" + (isCurrent ? "" : ", and is refreshed"))
            if !isCurrent { try run(one) { one.context.refreshAllObjects() } }
            one.isMixed = false
            try adopt(source(of: one), one)
            for child in branches where child.parent === one { try follow(child, isCurrent ? view : nil) }
            try check(one)
        }
        if branch.parent == nil {
            for root in branches where root.parent == nil && root !== branch { try follow(root, before) }
        }
        for child in branches where child.parent === branch { try follow(child, branch.overlay.view, written) }
    }

    /// Whether an object leads elsewhere than a context knows, by what the save that is told did not write: the objects
    /// at the other ends are not told then.
    private func hasUntoldLinks(_ known: PlainNode?, _ now: PlainNode?, _ read: PlainNode?) -> Bool {
        guard let now, let read else { return false }
        let links = PlainLink.allCases.contains { link in
            link.inverse != nil && known?.links[link] != now.links[link] && read.links[link] == now.links[link]
        }
        return links || (known?.likes ?? []) != now.likes && read.likes == now.likes
    }

    /// The objects that differ. Of a relationship one to one both sides are read from their own rows.
    private func stale(_ known: [Int: PlainNode], _ now: [Int: PlainNode]) -> Set<Int> {
        let numbers = Set(known.keys).union(now.keys).filter { known[$0] != now[$0] }
        return numbers.union(numbers.flatMap { number in
            let (old, new) = (known[number]?.links[.lock], now[number]?.links[.lock])
            return old == new ? [] : [old, new].compactMap { $0 }
        })
    }

    /// Changes rows of the store, or deletes some, by any ID that a context had of them. Others are told.
    func batch(_ branch: Branch) throws {
        if chance(3), store.count < Self.sizeLimit { return try insertBatch(branch) }
        let numbers = store.keys.filter { ids[$0]?.isEmpty == false }.sorted()
        guard let number = pick(numbers), let id = ids[number].flatMap(pick) else { return }
        let deletes = chance(2)
        if deletes, doomed(number, store, nil) == nil { return }
        let value = newValue()
        note("\(branch.name): batch, " + (deletes ? "delete \(number)" : "value of \(number) to \(value)"))
        let changed = try run(branch) {
            if deletes {
                let request = NSBatchDeleteRequest(objectIDs: [id])
                request.resultType = .resultTypeObjectIDs
                let result = try branch.context.execute(request) as? NSBatchDeleteResult
                return result?.result as? [NSManagedObjectID] ?? []
            }
            let request = NSBatchUpdateRequest(entityName: "Node")
            request.predicate = NSPredicate(format: "SELF IN %@", argumentArray: [[id]])
            request.propertiesToUpdate = self.values.updates(value)
            request.resultType = .updatedObjectIDsResultType
            let result = try branch.context.execute(request) as? NSBatchUpdateResult
            return result?.result as? [NSManagedObjectID] ?? []
        }
        var overlay = PlainOverlay(store)
        if deletes { overlay.delete(number) } else { overlay.setValue(value, of: number) }
        if changed.count != store.count - overlay.view.count + (deletes ? 0 : 1) {
            throw failure("\(branch.name): a batch changed \(changed.count) rows")
        }
        let current = deletes ? branches.filter(isCurrent) : []
        store = overlay.view
        try announce(number, changed, deletes ? NSDeletedObjectsKey : NSUpdatedObjectsKey, current)
    }

    private func insertBatch(_ branch: Branch) throws {
        lastNumber += 1
        let (number, value) = (lastNumber, newValue())
        note("\(branch.name): batch, insert \(number)")
        let changed = try run(branch) {
            let request = NSBatchInsertRequest(
                entityName: self.entity(of: number),
                objects: [["number": number, "value": self.values.encode(value)]])
            request.resultType = .objectIDs
            request.affectedStores = [self.store(of: number)]
            let result = try branch.context.execute(request) as? NSBatchInsertResult
            return result?.result as? [NSManagedObjectID] ?? []
        }
        if changed.count != 1 { throw failure("\(branch.name): a batch inserted \(changed.count) rows") }
        ids[number] = changed
        store[number] = PlainNode(value: value)
        try announce(number, changed, NSInsertedObjectsKey)
    }

    /// Whether a context, and those above it, show all that their sources have.
    private func isCurrent(_ branch: Branch) -> Bool {
        !branch.isMixed && branch.overlay.base == source(of: branch) && branch.parent.map(isCurrent) ?? true
    }

    /// Tells contexts what a batch did: all, or some with those above them. Those that were current before a deletion
    /// show all of it.
    private func announce(
        _ number: Int, _ changed: [NSManagedObjectID], _ key: String, _ current: [Branch] = []
    ) throws {
        let (isWhole, asURIs) = (chance(2), chance(3))
        let picked = branches.filter { _ in isWhole || chance(2) }
        let heard = branches.filter { one in picked.contains { $0 === one || $0.isBelow(one) } }
        note("told to \(heard.map(\.name))")
        NSManagedObjectContext.mergeChanges(
            fromRemoteContextSave: [key: asURIs ? changed.map { $0.uriRepresentation() } : changed],
            into: heard.map(\.context))
        // A child may list the object from now on, which its parent may have deleted by the next look at the list.
        for child in branches where child.parent != nil { child.listed = nil }
        for one in heard.sorted(by: { $0.depth < $1.depth }) {
            try enqueue(one) {}
            // It has read the row again, and shows this even if what it read is undone above it.
            guard let known = one.overlay.base[number] else { continue }
            if let now = source(of: one)[number], known.links == now.links, known.likes == now.likes {
                var read = one.overlay.base
                read[number] = now
                try adopt(read, one)
            } else {
                if !current.contains(where: { $0 === one }) { try run(one) { one.context.refreshAllObjects() } }
                one.isMixed = false
                try adopt(source(of: one), one)
            }
        }
    }
}

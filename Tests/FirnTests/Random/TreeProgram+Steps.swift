import Firn
import FirnFoundation
import class FirnFoundation.NSPredicate
import FirnModel
import Foundation
import StoreSupport

/// What a program in trees of contexts does in one of them.
extension TreeProgram {
    /// Brings a context and those above it up to date, if anything came from above. Else they are left as they are.
    func refresh(_ branch: Branch) throws {
        if let parent = branch.parent { try refresh(parent) }
        let source = source(of: branch)
        if branch.overlay.base == source, !branch.isMixed, !chance(6) { return }
        note("\(branch.name): refresh")
        try run(branch) { branch.context.refreshAllObjects() }
        branch.isMixed = false
        try adopt(source, branch)
    }

    /// A context merges something: unless it shows all that its source has, it may show some of it afterwards.
    func willMerge(_ branch: Branch) {
        var above: Branch? = branch
        while let one = above {
            if one.isMixed || one.overlay.base != source(of: one) { branch.isMixed = true }
            above = one.parent
        }
    }

    /// Takes over what a context has read from its source.
    func adopt(_ source: [Int: PlainNode], _ branch: Branch) throws {
        let known = branch.overlay.madeElsewhere(source)
        if !known.isEmpty {
            try run(branch) {
                for number in known { _ = try self.object(number, branch).value(forKey: "likes") }
            }
        }
        let (old, oldView) = (branch.overlay.base, branch.overlay.view)
        branch.overlay.refresh(source)
        if old != source { keepSteps(branch, news: (old, source), views: (oldView, branch.overlay.view)) }
    }

    /// Steps stay if they have nothing in common with what came from above: what of it they would take back is not said
    /// in few words.
    private func keepSteps(
        _ branch: Branch, news: ([Int: PlainNode], [Int: PlainNode]), views: ([Int: PlainNode], [Int: PlainNode])
    ) {
        let states = branch.undoable + [views.0] + branch.redoable.reversed()
        // It is not said what the undo of a step does that changed nothing.
        if zip(states, states.dropFirst()).contains(where: ==) { return discardSteps(branch) }
        let stepped = zip(states, states.dropFirst()).reduce(into: Set()) { $0.formUnion(reach($1.0, $1.1)) }
        let news = reach(news.0, news.1).union(reach(views.0, views.1))
        if !stepped.isDisjoint(with: news) { return discardSteps(branch) }
        func update(_ state: inout [Int: PlainNode]) { for number in news { state[number] = views.1[number] } }
        for index in branch.undoable.indices { update(&branch.undoable[index]) }
        for index in branch.redoable.indices { update(&branch.redoable[index]) }
    }

    /// The objects that differ, and all that these lead to.
    private func reach(_ old: [Int: PlainNode], _ new: [Int: PlainNode]) -> Set<Int> {
        let differing = Set(old.keys).union(new.keys).filter { old[$0] != new[$0] }
        return differing.reduce(into: differing) { result, number in
            for node in [old[number], new[number]] {
                result.formUnion(node?.likes ?? [])
                result.formUnion(node?.links.values.map { $0 } ?? [])
            }
        }
    }

    func edit(_ branch: Branch) throws {
        try refresh(branch)
        try recordStep(branch) { try editOnce(branch) }
    }

    private func editOnce(_ branch: Branch) throws {
        let view = branch.overlay.view
        let choice = Int.random(in: 0..<18, using: &generator)
        guard let number = pick(view.keys.sorted()), choice > 2 || view.count >= Self.sizeLimit else {
            return try insert(branch)
        }
        let target = chance(4) ? nil : pick(view.keys.filter { isSafeTarget($0, for: number) }.sorted())
        switch choice {
        case 0..<4: try delete(number, branch)
        case 4..<6:
            // Sometimes what it was, which is no change.
            let value = chance(3) ? (branch.overlay.base[number] ?? view[number])?.value ?? 0 : newValue()
            note("\(branch.name): value of \(number) to \(value)")
            try change(number, branch) { $0.setValue(self.values.encode(value), forKey: "value") }
            branch.overlay.setValue(value, of: number)
        case 6..<13:
            guard let link = pick(PlainLink.allCases) else { return }
            let target = chance(5) ? pastTarget(link, of: number, branch) : target
            let key = target.flatMap { target in view.first { $0.value.links[link] == target }?.key }
            let ends = [number, target, view[number]?.links[link], key].compactMap { $0 }
            if link == .lock, target == number || isUnlockedElsewhere(ends, branch) { return }
            note("\(branch.name): \(link) of \(number) to \(target.map(String.init) ?? "none")")
            try change(number, branch, target) { $0.setValue($1, forKey: link.rawValue) }
            branch.overlay.set(link, target, of: number)
        default:
            // Often the same, in several contexts.
            if let pair = lastPair, chance(2), view[pair.0] != nil, view[pair.1] != nil,
                isSafeTarget(pair.1, for: pair.0)
            {
                return try toggle(pair.0, pair.1, branch)
            }
            if let target { try toggle(number, target, branch) }
        }
    }

    /// Adds a member to a relationship that is many to many, or removes it, by either side.
    private func toggle(_ number: Int, _ target: Int, _ branch: Branch) throws {
        guard let likes = branch.overlay.view[number]?.likes else { return }
        lastPair = (number, target)
        let (adds, isForward) = (!likes.contains(target), chance(2))
        let verb = adds ? "likes" : "no longer likes"
        note("\(branch.name): \(number) \(verb) \(target)" + (isForward ? "" : ", by the other side"))
        try change(number, branch, target) { object, target in
            guard let target else { return }
            let (one, two) = isForward ? (object, target) : (target, object)
            let members = one.mutableSetValue(forKey: isForward ? "likes" : "likedBy")
            if adds { members.add(two) } else { members.remove(two) }
        }
        branch.overlay.setLikes(likes.symmetricDifference([target]), of: number)
    }

    private func insert(_ branch: Branch) throws {
        lastNumber += 1
        let (number, value) = (lastNumber, newValue())
        note("\(branch.name): insert \(number)")
        try run(branch) {
            let object = branch.context.make(
                self.entity(of: number), ["number": number, "value": self.values.encode(value)])
            if self.stores.count > 1 { branch.context.assign(object, to: self.store(of: number)) }
            // Asked for in some only: an ID that nobody knows is made when it is permanent.
            if number % 2 == 0 { self.remember(object) }
        }
        branch.overlay.insert(number, value)
    }

    /// It is not said what becomes of a reference to what is deleted elsewhere: the programs make none.
    /// Nor does a relationship leave a store.
    private func isSafeTarget(_ target: Int, for number: Int) -> Bool {
        store(of: target) === store(of: number) && !branches.contains { $0.overlay.deleted.contains(target) }
    }

    /// The destination of a relationship when it was read, if that is there: to set it to that is no change.
    private func pastTarget(_ link: PlainLink, of number: Int, _ branch: Branch) -> Int? {
        branch.overlay.base[number]?.links[link].flatMap {
            branch.overlay.view[$0] != nil && isSafeTarget($0, for: number) ? $0 : nil
        }
    }

    /// Nor is it said in few words who wins of two that give away the same partner: they do not.
    private func isUnlockedElsewhere(_ numbers: [Int], _ branch: Branch) -> Bool {
        branches.contains {
            $0 !== branch && !branch.isBelow($0) && !$0.overlay.unlocked.isDisjoint(with: numbers)
        }
    }

    /// An object and the parts that its deletion takes along, if nothing is in the way of it anywhere.
    func doomed(_ number: Int, _ view: [Int: PlainNode], _ branch: Branch?) -> Set<Int>? {
        var doomed: Set<Int> = []
        var next: Set<Int> = [number]
        while !next.isEmpty {
            doomed.formUnion(next)
            next = Set(view.filter { next.contains($0.value.links[.whole] ?? 0) }.keys).subtracting(doomed)
        }
        return isDeletable(doomed, view, branch) ? doomed : nil
    }

    private func isDeletable(_ numbers: Set<Int>, _ view: [Int: PlainNode], _ branch: Branch?) -> Bool {
        let isOther = ([store] + branches.map(\.overlay.view)).contains {
            $0.values.contains { $0.links[.other].map(numbers.contains) ?? false }
        }
        let isGuardian = view.contains {
            !numbers.contains($0.key) && $0.value.links[.guardian].map(numbers.contains) ?? false
        }
        func ends(_ numbers: Set<Int>) -> [Int] {
            numbers.flatMap { number in
                [number, view[number]?.links[.lock], view.first { $0.value.links[.lock] == number }?.key]
                    .compactMap { $0 }
            }
        }
        return !isOther && !isGuardian && !branches.contains { other in
            if let branch, other === branch { return false }
            let isAbove = branch?.isBelow(other) == true
            if !isAbove, !other.overlay.targets.isDisjoint(with: numbers) { return true }
            // Both may delete the same.
            let shared = numbers.filter { number in
                other.overlay.deleted.contains(number) && other.overlay.base[number] == view[number]
                    && other.overlay.base.filter { $0.value.links[.lock] == number }.keys
                        == view.filter { $0.value.links[.lock] == number }.keys
            }
            return !isAbove && !other.overlay.unlocked.isDisjoint(with: ends(numbers.subtracting(shared)))
        }
    }

    private func delete(_ number: Int, _ branch: Branch) throws {
        guard let doomed = doomed(number, branch.overlay.view, branch) else { return }
        note("\(branch.name): delete \(number) of \(doomed.sorted())")
        try change(number, branch) { $0.managedObjectContext?.delete($0) }
        branch.overlay.delete(number)
    }

    /// A save of a deletion that a rule denies says so, and a rollback takes it back.
    func attemptDenied(_ branch: Branch) throws {
        try refresh(branch)
        let wards = branch.overlay.view.filter { number, node in
            node.links[.guardian].map { $0 != number } ?? false && node.links[.whole] == nil
        }
        let guardian = pick(wards.keys.sorted()).flatMap { wards[$0]?.links[.guardian] }
        guard let guardian, !branch.overlay.hasChanges else { return }
        note("\(branch.name): delete \(guardian), which is denied")
        try change(guardian, branch) { $0.managedObjectContext?.delete($0) }
        let code = try run(branch, isStep: false) {
            defer { branch.context.rollback() }
            do { try branch.context.save() } catch { return (error as NSError).code }
            return 0
        }
        discardSteps(branch)
        let codes = [NSValidationRelationshipDeniedDeleteError, NSValidationMultipleErrorsError]
        if !codes.contains(code) { throw failure("\(branch.name): error \(code)") }
    }

    private func change(_ number: Int, _ branch: Branch, _ body: @escaping (NSManagedObject) -> Void) throws {
        try run(branch) { body(try self.object(number, branch)) }
    }

    private func change(
        _ number: Int, _ branch: Branch, _ target: Int?, _ body: @escaping (NSManagedObject, NSManagedObject?) -> Void
    ) throws {
        try run(branch) { body(try self.object(number, branch), try target.map { try self.object($0, branch) }) }
    }

    /// An object by an ID that some context had of it, or by a fetch.
    func object(_ number: Int, _ branch: Branch) throws -> NSManagedObject {
        if let held = branch.held[number], held.managedObjectContext === branch.context { return held }
        if let id = ids[number].flatMap(pick) {
            let object = branch.context.object(with: id)
            if chance(2) { branch.held[number] = object }
            return object
        }
        return try fetched(NSPredicate(format: "number == %d", number), branch).first.map { $0 }
            ?? { throw failure("\(branch.name): a fetch does not find \(number)") }()
    }

    func fetched(_ predicate: NSPredicate?, _ branch: Branch) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Node")
        request.predicate = predicate
        return try branch.context.fetch(request)
    }

    func obtain(_ branch: Branch) throws {
        try refresh(branch)
        let numbers = branch.overlay.view.keys.sorted().shuffled(using: &generator).prefix(3)
        note("\(branch.name): permanent IDs of \(numbers.sorted())")
        try run(branch) {
            let objects = try numbers.map { try self.object($0, branch) }
            try branch.context.obtainPermanentIDs(for: objects)
            for object in objects {
                self.remember(object)
                if object.objectID.isTemporaryID { throw self.failure("\(branch.name): \(object) has no permanent ID") }
            }
        }
    }

    func remember(_ object: NSManagedObject) {
        let id = object.objectID
        guard let number = object.value(forKey: "number") as? Int else { return }
        if ids[number]?.contains(where: { $0 === id }) != true { ids[number, default: []].append(id) }
    }
}

/// Undo and redo.
extension TreeProgram {
    /// What `body` does in a context can be undone, if that context has an undo manager.
    func recordStep(_ branch: Branch, _ body: () throws -> Void) throws {
        let (before, count) = (branch.overlay.view, branch.undoCount)
        try body()
        if branch.undoCount > count {
            branch.undoable.append(before)
            branch.redoable = []
        } else if branch.context.undoManager != nil, branch.overlay.view != before {
            throw failure("\(branch.name): this cannot be undone")
        }
    }

    /// Steps end with what comes from above: what of it they would take back is not said in few words.
    func discardSteps(_ branch: Branch) {
        (branch.undoable, branch.redoable) = ([], [])
        branch.context.performAndWait { branch.context.undoManager?.removeAllActions() }
    }

    func undo(_ branch: Branch, again: Bool) throws {
        try refresh(branch)
        guard let state = again ? branch.redoable.last : branch.undoable.last else { return }
        let view = branch.overlay.view
        if !canShow(state, branch) { return discardSteps(branch) }
        note("\(branch.name): \(again ? "redo" : "undo")")
        try run(branch, isStep: false) { again ? branch.context.redo() : branch.context.undo() }
        // An object whose deletion was saved comes back as another one, with IDs of its own.
        for number in state.keys where view[number] == nil && branch.overlay.base[number] == nil {
            ids[number] = nil
            for one in branches { (one.held[number], one.listed) = (nil, nil) }
        }
        branch.overlay.show(state, again: again)
        if again {
            branch.redoable.removeLast()
            branch.undoable.append(view)
        } else {
            branch.undoable.removeLast()
            branch.redoable.append(view)
        }
    }

    /// Whether all is said about what an undo or redo leads to.
    private func canShow(_ state: [Int: PlainNode], _ branch: Branch) -> Bool {
        let view = branch.overlay.view
        let gone = Set(view.keys).subtracting(state.keys)
        let differing = state.filter { view[$0.key] != $0.value }
        let isBackElsewhere = differing.keys.contains { number in
            guard view[number] == nil else { return false }
            let isNew = branch.overlay.base[number] == nil
            return (isNew && store[number] != nil) || branches.contains {
                $0 !== branch && (isNew || $0.isBelow(branch)) && $0.overlay.view[number] != nil
            }
        }
        let ends = differing.filter { $0.value.links[.lock] != view[$0.key]?.links[.lock] }.flatMap {
            [$0.key, $0.value.links[.lock], view[$0.key]?.links[.lock]].compactMap { $0 }
        }
        return !isBackElsewhere && !isUnlockedElsewhere(ends, branch)
            && (gone.isEmpty || isDeletable(gone, state, branch))
            && differing.values.allSatisfy { $0.likes.union($0.links.values).allSatisfy { target in
                !branches.contains { $0 !== branch && $0.overlay.deleted.contains(target) }
            } }
    }
}

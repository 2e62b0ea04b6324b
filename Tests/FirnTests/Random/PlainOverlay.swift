/// A to-one relationship of a node, each with another rule for the deletion of what it leads to.
enum PlainLink: String, CaseIterable {
    /// One to many, nullify.
    case owner
    /// One to many, cascade: the whole takes its parts along.
    case whole
    /// One to many, deny.
    case guardian
    /// One to one, nullify.
    case lock
    /// Without an inverse.
    case other

    var inverse: String? {
        switch self {
        case .owner: "owned"
        case .whole: "parts"
        case .guardian: "wards"
        case .lock: "key"
        case .other: nil
        }
    }
}

/// An object of a tree of contexts as plain values.
struct PlainNode: Equatable {
    var value = 0
    var links: [PlainLink: Int] = [:]
    var likes: Set<Int> = []
}

/// A context as what it last read, and its unsaved changes laid over that.
struct PlainOverlay {
    struct Change: Equatable {
        var isNew = false
        var value: Int?
        /// A value that was set to nothing is nil.
        var links: [PlainLink: Int?] = [:]
        var liked: Set<Int> = []
        var unliked: Set<Int> = []

        var targets: Set<Int> { liked.union(links.values.compactMap { $0 }) }
    }

    private(set) var base: [Int: PlainNode] = [:]
    private(set) var changes: [Int: Change] = [:]
    private(set) var deleted: Set<Int> = []
    /// Values that were set before the deletion, which an undo of it brings back as changes.
    private var deletedValues: Set<Int> = []

    init(_ base: [Int: PlainNode] = [:]) { self.base = base }

    /// Everything that the unsaved changes lead to.
    var targets: Set<Int> { changes.values.reduce(into: []) { $0.formUnion($1.targets) } }

    /// Everything whose partner one to one is another one by the unsaved changes, or gone.
    var unlocked: Set<Int> {
        changes.reduce(into: deleted) { result, change in
            guard let lock = change.value.links[.lock] else { return }
            result.formUnion([change.key, lock, base[change.key]?.links[.lock]].compactMap { $0 })
        }
    }

    var hasChanges: Bool { !changes.isEmpty || !deleted.isEmpty }

    /// The objects that a save tells of in any case: all that are others now, and what they lead to. What they led to
    /// is not told where that was read after the change.
    var written: Set<Int> {
        let view = view
        let numbers = Set(changes.keys.filter { base[$0] != view[$0] }).union(deleted)
        return numbers.reduce(into: numbers) { result, number in
            let (old, new) = (base[number] ?? PlainNode(), view[number] ?? PlainNode())
            result.formUnion(old.likes.symmetricDifference(new.likes))
            for link in PlainLink.allCases where old.links[link] != new.links[link] {
                if let target = new.links[link] { result.insert(target) }
            }
        }
    }

    /// What the context shows.
    var view: [Int: PlainNode] {
        var result = base
        for number in deleted { result[number] = nil }
        for (number, change) in changes {
            guard var node = change.isNew ? PlainNode() : result[number] else { continue }
            if let value = change.value { node.value = value }
            for (link, target) in change.links { node.links[link] = target }
            node.likes = node.likes.subtracting(change.unliked).union(change.liked)
            result[number] = node
        }
        return result
    }

    /// Objects whose changes of `likes` the source has made too. Once that is read they are no changes.
    func madeElsewhere(_ source: [Int: PlainNode]) -> [Int] {
        changes.keys.filter { number in
            guard let change = changes[number], !change.isNew, let now = source[number]?.likes else { return false }
            return !change.liked.isDisjoint(with: now) || !change.unliked.isSubset(of: now)
        }
    }

    /// Takes over what the source shows now. What was set to what it was is no change, and what the source has deleted
    /// is lost with its changes.
    ///
    /// - Parameter dropsCollisions: whether the source wins where both changed a property.
    mutating func refresh(_ source: [Int: PlainNode], dropsCollisions: Bool = false) {
        for (number, change) in changes where !change.isNew {
            guard let now = source[number] else {
                changes[number] = nil
                continue
            }
            let old = base[number]
            if change.value == old?.value || (dropsCollisions && old?.value != now.value) {
                changes[number]?.value = nil
            }
            changes[number]?.liked.subtract(now.likes)
            changes[number]?.unliked.formIntersection(now.likes)
            for (link, target) in change.links
            where target == old?.links[link] || (dropsCollisions && old?.links[link] != now.links[link]) {
                changes[number]?.links.removeValue(forKey: link)
            }
        }
        deleted = deleted.filter { source[$0] != nil }
        base = source
    }

    /// The objects that the source has deleted, and whose changes a save must not lose.
    func lost(in source: [Int: PlainNode]) -> Set<Int> {
        Set(changes.keys.filter { number in
            guard let change = changes[number], !change.isNew, source[number] == nil else { return false }
            return change.value.map { $0 != base[number]?.value } ?? false || !change.links.isEmpty
                || !change.liked.isEmpty || !change.unliked.isEmpty
        })
    }

    /// The objects that the source has deleted, and that a save may write: some for their side of a relationship.
    func perhapsLost(in source: [Int: PlainNode]) -> Set<Int> {
        let numbers = deleted.union(changes.keys)
        let ends = numbers.reduce(into: targets.union(numbers)) { result, number in
            result.formUnion(base[number]?.likes ?? [])
            result.formUnion(base[number]?.links.values.map { $0 } ?? [])
        }
        let owners = base.keys.filter { number in
            guard let node = base[number] else { return false }
            return !node.likes.isDisjoint(with: deleted) || node.links.values.contains(where: deleted.contains)
        }
        return ends.union(owners).filter { base[$0] != nil && source[$0] == nil && !deleted.contains($0) }
    }

    /// Takes over what the source shows, and writes objects again that it has deleted: with all that these lead to, as
    /// far as it is there.
    mutating func refresh(_ source: [Int: PlainNode], writingAgain numbers: Set<Int>) {
        let old = view
        for number in numbers { changes[number] = nil }
        refresh(source)
        for number in numbers { insert(number, old[number]?.value ?? 0) }
        let now = view
        for number in numbers {
            guard let node = old[number] else { continue }
            for (link, target) in node.links where now[target] != nil { set(link, target, of: number) }
            setLikes(node.likes.filter { now[$0] != nil }, of: number)
        }
    }

    /// Whether objects have no partners one to one, and had no members or partners many to many when they were read.
    func haveNoPartners(_ numbers: Set<Int>) -> Bool {
        let areLocked = [base, view].contains { nodes in
            nodes.contains { number, node in
                node.links[.lock].map { numbers.contains(number) || numbers.contains($0) } ?? false
            }
        }
        return !areLocked && !base.contains { number, node in
            !node.likes.isEmpty && (numbers.contains(number) || !node.likes.isDisjoint(with: numbers))
        }
    }

    /// Objects of which this context and its source changed the same property to other values, or one of them deleted
    /// what the other one changed.
    func collisions(with source: [Int: PlainNode]) -> [Int] {
        func isChangedThere(_ number: Int) -> Bool {
            base[number]?.value != source[number]?.value || base[number]?.links != source[number]?.links
        }
        let changed = changes.filter { number, change in
            guard !change.isNew, let old = base[number] else { return false }
            let isValue = change.value != nil && change.value != old.value
            let links = change.links.filter { $0.value != old.links[$0.key] }
            guard let now = source[number] else { return isValue || !links.isEmpty }
            return (isValue && old.value != now.value && change.value != now.value)
                || links.contains { old.links[$0.key] != now.links[$0.key] && $0.value != now.links[$0.key] }
        }
        return (changed.keys + deleted.filter { source[$0] != nil && isChangedThere($0) }).sorted()
    }

    /// Whether no object at another end of a relationship is changed with this one.
    func canDropChanges(of number: Int) -> Bool {
        if deleted.contains(number) {
            return (base[number].map { $0.links.isEmpty && $0.likes.isEmpty } ?? false) && !base.values.contains {
                $0.likes.contains(number) || $0.links.values.contains(number)
            }
        }
        let isUnliked = changes.values.contains { $0.unliked.contains(number) }
        let isLeft = deleted.contains { base[$0]?.links[.lock] == number || base[number]?.links[.lock] == $0 }
        if isUnliked || isLeft || targets.contains(number) || unlocked.contains(number) { return false }
        guard let change = changes[number] else { return true }
        return !change.isNew && change.links.isEmpty && change.liked.isEmpty && change.unliked.isEmpty
    }

    /// Refreshes an object that is as the source has it.
    mutating func refresh(_ number: Int, dropsChanges: Bool) {
        if dropsChanges {
            changes[number] = nil
            deleted.remove(number)
        } else if changes[number]?.isNew == false, changes[number]?.value == base[number]?.value {
            changes[number]?.value = nil
        }
    }

    /// Forgets objects.
    mutating func removeAll(where isGone: (Int) -> Bool) {
        base = base.filter { !isGone($0.key) }
        changes = changes.filter { !isGone($0.key) }
        deleted = deleted.filter { !isGone($0) }
    }

    mutating func discardChanges() { self = PlainOverlay(base) }

    mutating func insert(_ number: Int, _ value: Int) { changes[number] = Change(isNew: true, value: value) }

    mutating func setValue(_ value: Int, of number: Int) { changes[number, default: Change()].value = value }

    /// Sets a relationship. A lock has one key.
    mutating func set(_ link: PlainLink, _ target: Int?, of number: Int) {
        if link == .lock, let target {
            for (key, node) in view where key != number && node.links[.lock] == target { write(.lock, nil, of: key) }
        }
        write(link, target, of: number)
    }

    private mutating func write(_ link: PlainLink, _ target: Int?, of number: Int) {
        let isAsRead = base[number].map { $0.links[link] == target } ?? false
        changes[number, default: Change()].links.removeValue(forKey: link)
        if !isAsRead { changes[number]?.links.updateValue(target, forKey: link) }
    }

    mutating func setLikes(_ likes: Set<Int>, of number: Int) {
        let before = base[number]?.likes ?? []
        changes[number, default: Change()].liked = likes.subtracting(before)
        changes[number, default: Change()].unliked = before.subtracting(likes)
    }

    /// Deletes an object with its parts. Its wards must be among them.
    mutating func delete(_ number: Int) {
        let before = view
        remove(number)
        for (other, node) in before where other != number {
            if node.links[.whole] == number, view[other] != nil { delete(other) }
            guard view[other] != nil else { continue }
            for (link, target) in node.links where target == number { set(link, nil, of: other) }
            if node.likes.contains(number) { setLikes(node.likes.subtracting([number]), of: other) }
        }
    }

    private mutating func remove(_ number: Int) {
        if changes[number]?.isNew != true { deleted.insert(number) }
        if changes[number]?.value != nil { deletedValues.insert(number) }
        changes[number] = nil
    }

    /// Shows another state, by an undo or redo. What is inserted again is given its value again.
    mutating func show(_ new: [Int: PlainNode], again: Bool) {
        let old = view
        for number in old.keys where new[number] == nil { remove(number) }
        for (number, node) in new where node != old[number] {
            if base[number] == nil { insert(number, node.value) }
            let hadValue = deleted.remove(number) != nil && (again || deletedValues.contains(number))
            if hadValue || node.value != (old[number] ?? base[number])?.value { setValue(node.value, of: number) }
            for link in PlainLink.allCases { write(link, node.links[link], of: number) }
            setLikes(node.likes, of: number)
        }
    }

    /// A child writes an object again: only what it leads to by then is left of what it led to.
    private mutating func undelete(_ number: Int) {
        for link in PlainLink.allCases { write(link, nil, of: number) }
        setLikes([], of: number)
    }

    /// Takes over what a child saved.
    mutating func merge(_ child: PlainOverlay) {
        for (number, change) in child.changes where change.isNew {
            if deleted.remove(number) == nil { insert(number, change.value ?? 0) } else { undelete(number) }
        }
        for (number, change) in child.changes {
            guard let node = view[number] else { continue }
            if let value = change.value { setValue(value, of: number) }
            for (link, target) in change.links { set(link, target, of: number) }
            if !change.liked.isEmpty || !change.unliked.isEmpty {
                setLikes(node.likes.subtracting(change.unliked).union(change.liked), of: number)
            }
        }
        for number in child.deleted where view[number] != nil { delete(number) }
    }
}

/// An object of a tree of contexts as plain values.
struct PlainNode: Equatable {
    var value = 0
    var owner: Int?
    var other: Int?
    var likes: Set<Int> = []
}

/// A context as what it last read, and its unsaved changes laid over that.
struct PlainOverlay {
    struct Reference: Equatable {
        let number: Int?
    }

    struct Change: Equatable {
        var isNew = false
        var value: Int?
        var owner: Reference?
        var other: Reference?
        var liked: Set<Int> = []
        var unliked: Set<Int> = []

        var targets: Set<Int> { liked.union([owner?.number, other?.number].compactMap { $0 }) }
    }

    private(set) var base: [Int: PlainNode] = [:]
    private(set) var changes: [Int: Change] = [:]
    private(set) var deleted: Set<Int> = []

    init(_ base: [Int: PlainNode] = [:]) { self.base = base }

    /// Everything that the unsaved changes lead to.
    var targets: Set<Int> { changes.values.reduce(into: []) { $0.formUnion($1.targets) } }

    var hasChanges: Bool { !changes.isEmpty || !deleted.isEmpty }

    /// What the context shows.
    var view: [Int: PlainNode] {
        var result = base
        for number in deleted { result[number] = nil }
        for (number, change) in changes {
            guard var node = change.isNew ? PlainNode() : result[number] else { continue }
            if let value = change.value { node.value = value }
            if let owner = change.owner { node.owner = owner.number }
            if let other = change.other { node.other = other.number }
            node.likes = node.likes.subtracting(change.unliked).union(change.liked)
            result[number] = node
        }
        return result
    }

    /// Takes over what the source shows now. What was set to what it was is no change, and what the source has deleted
    /// is lost with its changes.
    mutating func refresh(_ source: [Int: PlainNode]) {
        for (number, change) in changes where !change.isNew {
            guard let now = source[number] else {
                changes[number] = nil
                continue
            }
            if change.owner?.number == base[number]?.owner { changes[number]?.owner = nil }
            if change.other?.number == base[number]?.other { changes[number]?.other = nil }
            changes[number]?.liked.subtract(now.likes)
            changes[number]?.unliked.formIntersection(now.likes)
        }
        deleted = deleted.filter { source[$0] != nil }
        base = source
    }

    mutating func discardChanges() { (changes, deleted) = ([:], []) }

    mutating func insert(_ number: Int, _ value: Int) { changes[number] = Change(isNew: true, value: value) }

    mutating func setValue(_ value: Int, of number: Int) { changes[number, default: Change()].value = value }

    mutating func setOwner(_ owner: Int?, of number: Int) {
        let isAsRead = base[number].map { $0.owner == owner } ?? false
        changes[number, default: Change()].owner = isAsRead ? nil : Reference(number: owner)
    }

    mutating func setOther(_ other: Int?, of number: Int) {
        let isAsRead = base[number].map { $0.other == other } ?? false
        changes[number, default: Change()].other = isAsRead ? nil : Reference(number: other)
    }

    mutating func setLikes(_ likes: Set<Int>, of number: Int) {
        let before = base[number]?.likes ?? []
        changes[number, default: Change()].liked = likes.subtracting(before)
        changes[number, default: Change()].unliked = before.subtracting(likes)
    }

    mutating func delete(_ number: Int) {
        for (other, node) in view where other != number {
            if node.owner == number { setOwner(nil, of: other) }
            if node.likes.contains(number) { setLikes(node.likes.subtracting([number]), of: other) }
        }
        if changes[number]?.isNew != true { deleted.insert(number) }
        changes[number] = nil
    }

    /// Takes over what a child saved.
    mutating func merge(_ child: PlainOverlay) {
        for (number, change) in child.changes where change.isNew { insert(number, change.value ?? 0) }
        for (number, change) in child.changes {
            guard let node = view[number] else { continue }
            if let value = change.value { setValue(value, of: number) }
            if let owner = change.owner { setOwner(owner.number, of: number) }
            if let other = change.other { setOther(other.number, of: number) }
            if !change.liked.isEmpty || !change.unliked.isEmpty {
                setLikes(node.likes.subtracting(change.unliked).union(change.liked), of: number)
            }
        }
        for number in child.deleted where view[number] != nil { delete(number) }
    }
}

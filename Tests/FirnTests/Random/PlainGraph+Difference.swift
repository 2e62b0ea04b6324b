/// How two plain graphs differ.
extension PlainGraph {
    /// Objects that are not as in `other`.
    func differing(from other: PlainGraph) -> Set<Int> {
        var result = Set(kinds.keys).symmetricDifference(other.kinds.keys)
        for (number, list) in values where other.values[number] != list { result.insert(number) }
        for end in End.all {
            let (mine, theirs) = (partners[end] ?? [:], other.partners[end] ?? [:])
            for number in Set(mine.keys).union(theirs.keys) where mine[number] != theirs[number] {
                result.insert(number)
            }
        }
        return result
    }

    /// What the row of an object has, or nil.
    func row(_ number: Int) -> [[Int]]? { shown(number) { !$0.shape.isToMany } }

    /// What an object shows, or nil: not what leads to it without an inverse.
    func shown(_ number: Int) -> [[Int]]? { shown(number) { _ in true } }

    private func shown(_ number: Int, _ isIncluded: (End) -> Bool) -> [[Int]]? {
        guard let kind = kinds[number], let values = values[number] else { return nil }
        return [values] + kind.ends.filter(isIncluded).map { partners($0, number) }
    }

    /// Whether an object has no partner one to one only because the one that it had in `base` leads elsewhere.
    func hasLost(_ end: End, _ number: Int, since base: PlainGraph) -> Bool {
        guard end.isOneToOne, partners(end, number).isEmpty, let left = base.partners(end, number).first else {
            return false
        }
        return !partners(end.opposite, left).isEmpty
    }

    /// The members of the ordered lists of an object, which a new order touches.
    func orderedSiblings(_ number: Int) -> [Int] {
        (kinds[number]?.ends ?? []).filter { $0.shape.isOrdered && !$0.isManyToMany }.flatMap { partners($0, number) }
    }

    /// Makes these objects what they are in `other`.
    mutating func take(_ numbers: Set<Int>, from other: PlainGraph) {
        for number in numbers {
            if let kind = other.kinds[number], let values = other.values[number] {
                insert(number, kind, values)
            } else {
                remove(number)
            }
            for end in End.all where !end.shape.isHidden { take(end, number, from: other) }
            // What leads to it is theirs who lead there, but for what is gone.
            for end in End.all where end.shape.isHidden && other.kinds[number] == nil {
                var ignored = Touched()
                for leading in partners(end, number) { unlink(end, number, leading, &ignored) }
            }
        }
    }

    private mutating func take(_ end: End, _ number: Int, from other: PlainGraph) {
        let (old, new) = (partners(end, number), other.partners(end, number))
        put(new, end, number)
        guard end.opposite.shape.isHidden, old != new else { return }
        for left in old { put(partners(end.opposite, left).filter { $0 != number }, end.opposite, left) }
        for gained in new { put(partners(end.opposite, gained) + [number], end.opposite, gained) }
    }
}

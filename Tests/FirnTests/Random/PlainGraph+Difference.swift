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
    func row(_ number: Int) -> [[Int]]? {
        guard let kind = kinds[number], let values = values[number] else { return nil }
        return [values] + kind.ends.filter { !$0.shape.isToMany }.map { partners($0, number) }
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
            for end in End.all { put(other.partners(end, number), end, number) }
        }
    }
}

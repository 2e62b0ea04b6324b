import FirnModel

/// Objects as plain dictionaries, by number: what a context, or a store, is expected to hold.
struct PlainGraph: Equatable {
    private(set) var kinds: [Int: Kind] = [:]
    /// The values of `Kind.attributes`.
    private(set) var values: [Int: [Int]] = [:]
    /// The objects at the other side of each end, in order; ascending where there is no order. Nothing is absent.
    private(set) var partners: [End: [Int: [Int]]] = [:]

    func partners(_ end: End, _ number: Int) -> [Int] { partners[end]?[number] ?? [] }

    func numbers(_ kind: Kind) -> [Int] { kinds.filter { $0.value.root == kind.root }.keys.sorted() }

    var owners: [(end: End, number: Int)] {
        partners.flatMap { end, lists in lists.keys.map { (end, $0) } }
    }

    mutating func insert(_ number: Int, _ kind: Kind, _ first: [Int]) {
        kinds[number] = kind
        values[number] = first
    }

    mutating func remove(_ number: Int) {
        kinds[number] = nil
        values[number] = nil
    }

    mutating func setValue(_ value: Int, _ attribute: Int, of number: Int) {
        values[number]?[attribute] = value
    }

    /// Makes `list` what `number` has at `end`; the other sides follow.
    mutating func set(_ end: End, of number: Int, to list: [Int], _ touched: inout Touched) {
        touched.numbers.insert(number)
        if !end.shape.isToMany { touched.references.insert(.init(end: end, number: number)) }
        let now = partners(end, number)
        for other in now where !list.contains(other) { unlink(end, number, other, &touched) }
        for other in list where !now.contains(other) { link(end, number, other, &touched) }
        if end.shape.isOrdered { put(list, end, number) }
    }

    /// Deletes an object and what its rules reach, but for those that a merge policy kept.
    mutating func delete(_ number: Int, sparing kept: Set<Int> = [], _ touched: inout Touched) {
        var gone: Set<Int> = [number]
        var queue = [number]
        while let next = queue.popLast() {
            guard let kind = kinds[next] else { continue }
            for end in kind.ends where end.shape.rule == .cascadeDeleteRule {
                for other in partners(end, next) where !kept.contains(other) && gone.insert(other).inserted {
                    queue.append(other)
                }
            }
        }
        for number in gone {
            for end in kinds[number]?.allEnds ?? [] {
                for other in partners(end, number) {
                    var ignored = Touched()
                    if gone.contains(other) || end.isLeftDangling {
                        unlink(end, number, other, &ignored)
                    } else {
                        unlink(end, number, other, &touched)
                    }
                }
            }
            remove(number)
            touched.numbers.insert(number)
        }
    }

    mutating func link(_ end: End, _ number: Int, _ other: Int, _ touched: inout Touched) {
        if !end.shape.isToMany, let old = partners(end, number).first { unlink(end, number, old, &touched) }
        if !end.opposite.shape.isToMany, let old = partners(end.opposite, other).first {
            unlink(end.opposite, other, old, &touched)
        }
        put(partners(end, number) + [other], end, number)
        if end != end.opposite || number != other {
            put(partners(end.opposite, other) + [number], end.opposite, other)
        }
        touched.pair(end, number, other)
    }

    mutating func unlink(_ end: End, _ number: Int, _ other: Int, _ touched: inout Touched) {
        put(partners(end, number).filter { $0 != other }, end, number)
        put(partners(end.opposite, other).filter { $0 != number }, end.opposite, other)
        touched.pair(end, number, other)
    }

    /// Replaces the order of a list that has none to tell.
    mutating func put(_ list: [Int], _ end: End, _ number: Int) {
        partners[end, default: [:]][number] = list.isEmpty ? nil : end.shape.isOrdered ? list : list.sorted()
        if partners[end]?.isEmpty == true { partners[end] = nil }
    }

    /// In words, what is not as in `other`.
    func difference(from other: PlainGraph) -> String {
        var parts: [String] = []
        for number in Set(kinds.keys).union(other.kinds.keys).sorted() {
            let name = "\((kinds[number] ?? other.kinds[number])?.rawValue ?? "?") \(number)"
            guard kinds[number] != nil, other.kinds[number] != nil else {
                parts.append(kinds[number] == nil ? "\(name) is missing" : "\(name) is there")
                continue
            }
            if values[number] != other.values[number] {
                parts.append("\(name): \(values[number] ?? []), expected \(other.values[number] ?? [])")
            }
            for end in kinds[number]?.ends ?? [] {
                let (mine, theirs) = (partners(end, number), other.partners(end, number))
                if mine != theirs { parts.append("\(name).\(end.shape.name): \(mine), expected \(theirs)") }
            }
        }
        return parts.prefix(12).joined(separator: "; ")
    }
}

/// What a context changed since it last saved, as far as the values do not tell.
struct Touched: Equatable {
    struct Attribute: Hashable {
        let number: Int
        let attribute: Int
    }

    /// A to-one relationship of an object.
    struct Reference: Hashable {
        let end: End
        let number: Int
    }

    /// Every object of which anything was changed, members included.
    var numbers: Set<Int> = []
    var attributes: Set<Attribute> = []
    var references: Set<Reference> = []

    mutating func pair(_ end: End, _ number: Int, _ other: Int) {
        if !end.shape.isHidden { numbers.insert(number) }
        if !end.opposite.shape.isHidden { numbers.insert(other) }
        if !end.shape.isToMany { references.insert(.init(end: end, number: number)) }
        if !end.opposite.shape.isToMany { references.insert(.init(end: end.opposite, number: other)) }
    }

    mutating func formUnion(_ other: Touched) {
        numbers.formUnion(other.numbers)
        attributes.formUnion(other.attributes)
        references.formUnion(other.references)
    }
}

/// Which names of an older model go on under which names of a newer one.
///
/// A renaming identifier names what the thing was called before. Models keep it over many versions, so it is also a
/// name that does not change: two versions that carry the same one mean the same thing, whatever came between.
/// https://developer.apple.com/documentation/coredata/nspropertydescription/renamingidentifier
struct NameMatching {
    struct Name {
        var name: String
        /// Nil unless it says something that the name does not.
        var identifier: String?

        init(_ name: String, identifier: String?) {
            self.name = name
            self.identifier = identifier == name ? nil : identifier
        }
    }

    /// For each new name the index of the old one; nil for what is new. No old name is taken twice.
    private(set) var sources: [Int?]
    private var isTaken: [Bool]
    private let byName: [String: [Int]]
    private let byIdentifier: [String: [Int]]

    /// Complexity: O(new + old), but for names that come more than once.
    init(_ new: [Name], from old: [Name]) {
        sources = Array(repeating: nil, count: new.count)
        isTaken = Array(repeating: false, count: old.count)
        byName = Dictionary(grouping: old.indices) { old[$0].name }
        let identified = old.indices.filter { old[$0].identifier != nil }
        byIdentifier = Dictionary(grouping: identified) { old[$0].identifier ?? "" }
        // A renamed thing goes before a new one that took its old name.
        for (index, candidate) in new.enumerated() where byName[candidate.name] == nil {
            guard let identifier = candidate.identifier else { continue }
            take(index, byIdentifier[identifier])
            take(index, byName[identifier])
        }
        for (index, candidate) in new.enumerated() {
            take(index, byName[candidate.name]?.filter { old[$0].identifier == candidate.identifier })
        }
        for (index, candidate) in new.enumerated() {
            guard let identifier = candidate.identifier else { continue }
            take(index, byIdentifier[identifier])
            take(index, byName[identifier])
        }
        for (index, candidate) in new.enumerated() { take(index, byName[candidate.name]) }
        // Renamed back, without saying so.
        for (index, candidate) in new.enumerated() { take(index, byIdentifier[candidate.name]) }
    }

    private mutating func take(_ index: Int, _ candidates: [Int]?) {
        guard sources[index] == nil, let found = candidates?.first(where: { !isTaken[$0] }) else { return }
        sources[index] = found
        isTaken[found] = true
    }
}

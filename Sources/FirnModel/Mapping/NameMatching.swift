/// The names of an older model that continue under names of a newer one.
///
/// A renaming identifier is the thing's earlier name. Models keep it over many versions, so it also identifies a thing:
/// two versions with the same identifier mean the same thing.
/// https://developer.apple.com/documentation/coredata/nspropertydescription/renamingidentifier
struct NameMatching {
    struct Name {
        var name: String
        /// Nil if it equals the name.
        var identifier: String?

        init(_ name: String, identifier: String?) {
            self.name = name
            self.identifier = identifier == name ? nil : identifier
        }
    }

    /// For each new name the index of the old one; nil for what is new. No old name is matched twice.
    private(set) var sources: [Int?]
    private var isMatched: [Bool]
    private let byName: [String: [Int]]
    private let byIdentifier: [String: [Int]]

    /// Complexity: O(new + old), except for names that occur more than once.
    init(_ new: [Name], from old: [Name]) {
        sources = Array(repeating: nil, count: new.count)
        isMatched = Array(repeating: false, count: old.count)
        byName = Dictionary(grouping: old.indices) { old[$0].name }
        let identified = old.indices.filter { old[$0].identifier != nil }
        byIdentifier = Dictionary(grouping: identified) { old[$0].identifier ?? "" }
        // A renamed thing has precedence over a new one that has its old name.
        for (index, candidate) in new.enumerated() where byName[candidate.name] == nil {
            guard let identifier = candidate.identifier else { continue }
            match(index, byIdentifier[identifier])
            match(index, byName[identifier])
        }
        for (index, candidate) in new.enumerated() {
            match(index, byName[candidate.name]?.filter { old[$0].identifier == candidate.identifier })
        }
        for (index, candidate) in new.enumerated() {
            guard let identifier = candidate.identifier else { continue }
            match(index, byIdentifier[identifier])
            match(index, byName[identifier])
        }
        for (index, candidate) in new.enumerated() { match(index, byName[candidate.name]) }
        // Renamed back without a renaming identifier.
        for (index, candidate) in new.enumerated() { match(index, byIdentifier[candidate.name]) }
    }

    private mutating func match(_ index: Int, _ candidates: [Int]?) {
        guard sources[index] == nil, let found = candidates?.first(where: { !isMatched[$0] }) else { return }
        sources[index] = found
        isMatched[found] = true
    }
}

#if SwiftData
/// The rows that a data store has told of its models, as long as the container is open.
struct SnapshotRows {
    /// The row that it has told of one model.
    struct Row {
        let snapshot: DefaultSnapshot
        /// Rises with every change.
        let version: UInt64
    }

    private var rows: [PersistentIdentifier: Row] = [:]

    subscript(identifier: PersistentIdentifier) -> Row? { rows[identifier] }

    /// Notes what the store has told. True if it had told something else of the model.
    mutating func record(_ snapshot: DefaultSnapshot) -> Bool {
        guard let known = rows[snapshot.persistentIdentifier] else {
            rows[snapshot.persistentIdentifier] = Row(snapshot: snapshot, version: 1)
            return false
        }
        if known.snapshot.hasValues(of: snapshot) { return false }
        rows[snapshot.persistentIdentifier] = Row(snapshot: snapshot, version: known.version + 1)
        return true
    }

    mutating func remove(_ identifiers: [PersistentIdentifier]) {
        for identifier in identifiers { rows[identifier] = nil }
    }

    /// Removes the models of entities but some. Gives those that it removes.
    mutating func removeAll(
        of entityNames: Set<String>, except kept: Set<PersistentIdentifier>
    ) -> [PersistentIdentifier] {
        let removed = rows.keys.filter { entityNames.contains($0.entityName) && !kept.contains($0) }
        remove(removed)
        return removed
    }

    /// Removes all models, and gives them.
    mutating func removeAll() -> [PersistentIdentifier] {
        defer { rows = [:] }
        return Array(rows.keys)
    }
}
#endif

package import FirnLog
import FirnModel
import FirnProjection

/// The reader of a save while it makes its change set.
///
/// Reads the newest rows without any lock, and remembers which ones it gave: the basis of a transaction.
///
/// For one thread.
package final class TransactionReader {
    private let engine: StoreEngine
    private let remote: [LogRecord]
    package private(set) var basis: Basis

    init(_ engine: StoreEngine, remote: [LogRecord]) {
        self.engine = engine
        self.remote = remote
        basis = Basis(head: engine.readableSequence)
    }

    /// The sequence number that the record will have, or an earlier one that was free when reading began.
    package var sequence: SequenceNumber { basis.head.next }
    /// Whether a row was changed by a save of which this program hears only now.
    package func isRemote(_ key: ObjectKey) -> Bool { remote.haveChanged(key) }

    /// The newest row, of this program or another.
    package func snapshot(_ key: ObjectKey) throws -> Snapshot? {
        let row = try engine.snapshot(key)
        basis.add(key, version: row?.version)
        return row
    }

    /// Whether there is a row, in whatever version.
    package func exists(_ key: ObjectKey) throws -> Bool {
        let isThere = try engine.snapshot(key) != nil
        if isThere { basis.add(present: key) } else { basis.add(key, version: nil) }
        return isThere
    }

    /// The objects that have the values of each claim. Those to one constraint are looked up by one statement.
    package func owners(of claims: [UniqueClaim]) throws -> [[ObjectKey]] {
        var owners = [[ObjectKey]](repeating: [], count: claims.count)
        for (constraint, places) in claims.byConstraint() {
            let (slots, values) = (constraint.slots, places.map { claims[$0].values })
            let entity = engine.schema.number(of: constraint.constrainedEntity)
            let found = try engine.read { try $0.keys(of: entity, slots: slots, claims: values) }
            basis.add(Basis.UniqueLookup(entity: entity, slots: slots, claims: values, found: found))
            for (place, keys) in zip(places, found) { owners[place] = keys }
        }
        return owners
    }

    /// A link of the group's relationship as it is now, with its positions.
    ///
    /// Links change with the versions of the rows that they relate.
    package func link(_ group: LinkGroup, _ link: Link) throws -> Link? {
        try engine.read { try $0.link(link, of: group) }
    }

    /// Primary keys that no object of the root entity had before.
    ///
    /// Another program may write objects under them before this save does: then the transaction does not stand.
    package func nextPrimaryKeys(root: EntityNumber, count: Int) throws -> Range<Int64> {
        if !engine.keyAllocator.isKnown { try engine.read { try engine.loadKeys($0) } }
        let reservation = try engine.keyAllocator.reserve(count, in: root)
        basis.add(reservation)
        return reservation.keys
    }
}

extension StoreEngine {
    /// A reader for a transaction. `remote` are records of other writers that an earlier try brought to light.
    package func transactionReader(remote: [LogRecord]) -> TransactionReader {
        TransactionReader(self, remote: remote)
    }

    /// The newest row that is known in this program.
    package func snapshot(_ key: ObjectKey) throws -> Snapshot? {
        try rowCache.snapshot(key) { try read { try $0.row(key) } }
    }
}

extension StoreEngine {
    /// Lets keys be given, if they cannot be yet.
    func loadKeys(_ tables: ProjectionReader) throws {
        if keyAllocator.isKnown { return }
        guard try tables.checkpoint >= log.baseline else {
            throw ProjectionError(
                .gap, "the tables are about to be rebuilt, since the log was cut off behind them: save again",
                path: projection.location.path)
        }
        keyAllocator.load(try tables.lastKeys())
    }
}

extension [LogRecord] {
    /// Whether one of them changed a row.
    func haveChanged(_ key: ObjectKey) -> Bool {
        contains { record in
            guard case .changes(let changeSet) = record.body else { return false }
            return changeSet.groups.contains { $0.entity == key.entity && $0.primaryKeys.contains(key.primaryKey) }
        }
    }
}

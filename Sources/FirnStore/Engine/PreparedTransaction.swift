package import FirnLog
package import FirnProjection

/// A transaction with what follows from it: the store computes that, for saves and for batch requests alike.
///
///     changes, or a batch request ─► derived attributes ─► large values into files ─► what is appended
///
/// It is computed without the lock. The one that has it looks whether the tables that were read were written since,
/// and if they were, computes it again: its maker is not asked.
///
/// Only one thread uses it at a time: the one that made it, and while that waits the one that commits.
package final class PreparedTransaction: @unchecked Sendable {
    package let transaction: Transaction
    /// The change set that is appended.
    package internal(set) var changes: ChangeSet
    /// The objects that a batch request is about.
    package internal(set) var keys: [ObjectKey] = []
    /// The derived values, whether they differ from the rows or not.
    package internal(set) var derived: [DerivedRow] = []
    /// The tables that were read for it; nil if none was.
    var tables: TableBasis?
    /// The values that have files of their own, which nothing but this names yet.
    var files: [ExternalReference] = []
    /// Whether all of it was computed.
    var isComplete = true
    /// The size of the changes in memory, in bytes, approximately.
    package private(set) var size = 0
    /// The rows of the inserting and updating groups as they are then, which the caller may add: in the order of the
    /// groups, nil for a group of which it has none. Empty again if the changes had to be computed once more.
    package var rows: [RowColumns?] = []
    /// The rows with their number, in the order of `rows`, once the transaction is committed.
    package private(set) var batches: [RowBatch?] = []
    /// The record that is appended. Nil if its bytes are to be made by the append.
    var record: PreparedRecord?
    /// Set by the thread that commits, before it wakes the one that waits.
    var result: Result<CommitResult, any Error>?
    private var semaphore: Semaphore?

    init(_ transaction: consuming Transaction) {
        changes = transaction.changes
        self.transaction = transaction
    }

    fileprivate func didCompute() {
        isComplete = true
        record = nil
        size = changes.heldSize
        rows = []
    }

    /// Gives the rows their number, and puts them into the row cache. The caller holds the writer's lock.
    func publishRows(_ sequence: SequenceNumber, to cache: RowCache) {
        batches = rows.map { $0.map { RowBatch($0, version: sequence) } }
        for (index, group) in changes.groups.enumerated() where group.operation != .refresh {
            if index < batches.count, let batch = batches[index] {
                cache.insert(written: batch)
            } else if group.operation != .insert {
                cache.remove(group.primaryKeys, entity: group.entity)
            }
        }
    }

    /// Whether a record was written for it; nil while that is open.
    var isWritten: Bool? {
        switch result {
        case nil: nil
        case .success(.committed): true
        case .success, .failure: false
        }
    }

    /// To be called before the transaction is handed to another thread.
    func expectWait() { semaphore = Semaphore() }

    func wait() { semaphore?.wait() }

    /// Wakes the thread that waits: there is a result, or it has to commit by itself.
    func wake() { semaphore?.signal() }
}

extension StoreEngine {
    /// Computes what follows from a transaction, without any lock. What fails for a reason that the log knows fails
    /// again when it is committed, unless the reason has gone.
    package func prepare(_ transaction: consuming Transaction) throws -> PreparedTransaction {
        let prepared = PreparedTransaction(transaction)
        try compute(prepared)
        do {
            try moveLargeValues(of: prepared)
        } catch is LogError {
            // Who collects files that no record names may have removed one of them.
            prepared.isComplete = false
        }
        return prepared
    }

    /// Computes once more what follows from a transaction, while nobody else writes.
    func recompute(_ prepared: PreparedTransaction) throws {
        try compute(prepared)
        try moveLargeValues(of: prepared)
    }

    /// Whether anything follows from a transaction but what it says itself.
    func hasPart(in prepared: PreparedTransaction) -> Bool { readsTables(for: prepared) || hasLargeValues }

    private func readsTables(for prepared: PreparedTransaction) -> Bool {
        if prepared.transaction.computation != nil { return true }
        return prepared.transaction.derives && !derivations.isEmpty && !prepared.transaction.changes.isEmpty
    }

    /// Computes the changes, and the derived attributes that follow from them.
    private func compute(_ prepared: PreparedTransaction) throws {
        prepared.changes = prepared.transaction.changes
        if readsTables(for: prepared) {
            let head = readableSequence
            try read { tables in
                try loadKeys(tables)
                try compute(prepared, TableReader(tables, schema, keyAllocator, head: head))
            }
        }
        prepared.didCompute()
    }

    private func compute(_ prepared: PreparedTransaction, _ reader: TableReader) throws {
        if let computation = prepared.transaction.computation {
            let computed = try computation.changeSet(reader)
            (prepared.changes, prepared.keys) = (computed.changes, computed.keys)
        }
        if prepared.transaction.derives, !derivations.isEmpty {
            prepared.derived = try DerivedColumns(plan: derivations, reader: reader).complete(&prepared.changes)
        }
        prepared.tables = reader.basis
    }

    private func moveLargeValues(of prepared: PreparedTransaction) throws {
        guard hasLargeValues else { return }
        prepared.files = try prepared.changes.moveLargeValues(largeValues, schema)
    }

    /// Whether a migration was the last thing that happened to a store with derived attributes: their values for the
    /// objects that were there are still to be computed. Once anything came after it, they were.
    package var isDerivationDue: Bool {
        get throws {
            guard hasDerivations, try log.refresh() == modelSequence else { return false }
            return try log.currentModel?.model.migration != nil
        }
    }

    /// Computes the derived attributes of all objects, and saves those that differ.
    package func computeDerivations() throws {
        var transaction = Transaction(
            TransactionHeader.ofProcess(date: clock()), model: modelSequence,
            DerivationsOfAll(plan: derivations, model: modelSequence))
        transaction.derives = false
        _ = try commit(prepare(transaction))
    }
}

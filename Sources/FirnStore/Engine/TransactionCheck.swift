import FirnLog
import FirnProjection

/// The check which transactions of a batch hold, for the thread that has the writer's lock.
struct TransactionCheck {
    private let engine: StoreEngine
    private let head: SequenceNumber
    /// The records of other writers that this batch brought to light.
    private let remote: [LogRecord]
    /// The change set that was admitted last.
    private var last: ChangeSet?
    /// The rows that those before it change.
    private var changed: Set<ObjectKey> = []
    /// Whether the admitted one is to be appended alone.
    private var isFull = false

    init(_ engine: StoreEngine, _ remote: [LogRecord]) {
        self.engine = engine
        self.remote = remote
        head = engine.log.head
    }

    /// Makes a transaction ready to be appended now: what the store computed for it is as of now. Of one without
    /// changes the metadata is stored. False if it has its result already, or its turn comes with the next batch.
    ///
    /// The transactions of a batch have nothing to do with each other: none saw a row that another one changes, and one
    /// that has to look values up in the tables is alone.
    mutating func admit(_ prepared: PreparedTransaction) throws -> Bool {
        let isAlone = engine.isLarge(prepared) || !prepared.isCheckedByRows
        if isFull || last != nil && (isAlone || sees(prepared.transaction)) { return false }
        do {
            guard try stands(prepared) else {
                prepared.result = .success(.conflict(records: remote))
                return false
            }
            if prepared.changes.isEmpty, let metadata = prepared.transaction.metadata {
                try engine.log.store(attachment: metadata)
            }
        } catch let error as LogError where error.code == .overtaken {
            throw error
        } catch {
            prepared.result = .failure(error)
            return false
        }
        guard !prepared.changes.isEmpty else {
            prepared.result = .success(.empty)
            return false
        }
        last = prepared.changes
        isFull = isAlone
        return true
    }

    /// Whether it saw a row that one before it changes.
    private mutating func sees(_ transaction: Transaction) -> Bool {
        if let last { add(last) }
        guard let basis = transaction.basis else { return false }
        return basis.versions.contains { changed.contains($0.key) } || basis.present.contains(where: changed.contains)
    }

    private mutating func add(_ changes: ChangeSet) {
        // Nobody else knows of a new row.
        for group in changes.groups where group.operation != .insert {
            for key in group.primaryKeys { changed.insert(ObjectKey(entity: group.entity, primaryKey: key)) }
        }
    }

    /// Whether what a transaction takes for granted holds. What the store computed for it is computed again if that
    /// does not.
    private func stands(_ prepared: PreparedTransaction) throws -> Bool {
        for save in prepared.transaction.unanswered {
            try save.check({ try engine.log.holds($0, at: $1) }, path: engine.place)
        }
        if let basis = prepared.transaction.basis, try !holds(basis) { return false }
        guard engine.hasPart(in: prepared), !holds(prepared) else { return true }
        try engine.recompute(prepared)
        return true
    }

    /// Whether what the store computed is as it would be computed now.
    private func holds(_ prepared: PreparedTransaction) -> Bool {
        guard prepared.isComplete, prepared.files.allSatisfy(engine.externalValues.has) else { return false }
        guard let basis = prepared.tables else { return true }
        guard engine.keyAllocator.areValid(basis.keys) else { return false }
        return head == basis.head || engine.tableVersions.hold(basis, engine.schema.layout)
    }

    /// Whether what a transaction's maker saw is as it was.
    ///
    /// At once if nothing was written since; else O(rows that it saw).
    private func holds(_ basis: Basis) throws -> Bool {
        guard engine.keyAllocator.areValid(basis.keys) else { return false }
        if head == basis.head { return true }
        try loadRows(basis.versions.map(\.key) + basis.present)
        for (key, version) in basis.versions where try engine.snapshot(key)?.version != version { return false }
        for key in basis.present where try engine.snapshot(key) == nil { return false }
        return try basis.lookups.allSatisfy { lookup in
            let found = try engine.read { try $0.keys(of: lookup.entity, slots: lookup.slots, claims: lookup.claims) }
            return zip(found, lookup.found).allSatisfy { Set($0) == Set($1) }
        }
    }

    /// Reads by one statement what is in no cache.
    private func loadRows(_ keys: [ObjectKey]) throws {
        let cached = engine.rowCache.snapshots(keys)
        let missing = keys.indices.filter { cached[$0] == nil }.map { keys[$0] }
        if missing.count < 2 { return }
        try engine.rowCache.load { try engine.read { try $0.rows(missing) }.batches }
    }
}

extension PreparedTransaction {
    /// Whether the cached rows tell if it stands: it may be appended with others then.
    fileprivate var isCheckedByRows: Bool {
        tables == nil && files.isEmpty && isComplete && transaction.metadata == nil && transaction.unanswered.isEmpty
            && transaction.basis?.lookups.isEmpty ?? false
    }
}

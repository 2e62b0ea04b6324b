package import FirnLog
import FirnProjection

/// A change set that is to be appended, with what it takes for granted about the store.
///
/// It is made without any lock, from what a `TransactionReader` answered. `StoreEngine.commit` appends it if that still
/// holds. What follows from it the store computes itself (`PreparedTransaction`).
package struct Transaction {
    package var header: TransactionHeader
    package var changes: ChangeSet
    /// The computation that makes the changes, in place of `changes`.
    package var computation: (any ChangeComputation)?
    /// Nil if it takes nothing for granted.
    package var basis: Basis?
    /// Whether derived attributes are computed for it.
    package var derives = true
    /// The store's metadata, encoded; nil if it stays as it is.
    package var metadata: [UInt8]?
    /// Earlier saves of the same changes that got no answer: none of them may have been made after all.
    package var unanswered: [IndeterminateSave] = []
    /// Whether the commit of a large change set returns only once its rows are in the tables.
    package var waitsForRows = false

    package init(_ header: TransactionHeader, _ changes: ChangeSet, basis: Basis? = nil) {
        self.header = header
        self.changes = changes
        self.basis = basis
    }

    /// The transaction of one try, of which this has what all tries share.
    package func with(_ changes: ChangeSet, basis: Basis) -> Transaction {
        var transaction = self
        (transaction.changes, transaction.basis) = (changes, basis)
        return transaction
    }

    /// One whose changes are computed by the store.
    package init(_ header: TransactionHeader, model: SequenceNumber, _ computation: any ChangeComputation) {
        self.init(header, ChangeSet(model: model))
        self.computation = computation
        waitsForRows = true
    }
}

/// The outcome of a transaction.
package enum CommitResult {
    /// It is in the log, as this record, and as durable as the store promises.
    case committed(SequenceNumber)
    /// There was nothing to write.
    case empty
    /// The basis holds no longer, or another machine was faster: the transaction has to be made again. Nothing was
    /// written. `records` are those of other writers that the store had not seen before.
    case conflict(records: [LogRecord])
}

/// The basis of a transaction: the rows that its maker saw, and the keys that were given to it.
package struct Basis {
    /// The last record that the store knew of before any of it was read. If it is still the last one, all of it holds.
    let head: SequenceNumber
    private(set) var keys: [KeyReservation] = []
    /// The versions of rows; nil of a row that was not there.
    private(set) var versions: [(key: ObjectKey, version: Int64?)] = []
    /// Objects that have to be there, in whatever version.
    private(set) var present: [ObjectKey] = []
    private(set) var lookups: [UniqueLookup] = []

    /// The rows that had the values of each claim to a constraint.
    struct UniqueLookup {
        let entity: EntityNumber
        let slots: [Int]
        let claims: [[PropertyValue]]
        let found: [[ObjectKey]]
    }

    init(head: SequenceNumber) { self.head = head }

    mutating func add(_ reservation: KeyReservation) { keys.append(reservation) }

    mutating func add(_ key: ObjectKey, version: Int64?) { versions.append((key, version)) }

    mutating func add(present key: ObjectKey) { present.append(key) }

    mutating func add(_ lookup: UniqueLookup) { lookups.append(lookup) }
}

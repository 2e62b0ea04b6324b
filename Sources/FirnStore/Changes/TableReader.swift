package import FirnLog
import FirnModel
package import FirnProjection

/// Reads the tables in one state, for what the store computes itself: derived attributes and batch requests.
///
/// It remembers which tables it read: as long as nobody has written into them, what was computed from them holds.
///
/// For one thread, inside the call that hands it out.
package final class TableReader {
    package let schema: StoreSchema
    /// The sequence number that the record will have, or an earlier one that was free when reading began.
    package let sequence: SequenceNumber
    private let tables: ProjectionReader
    private let keyAllocator: PrimaryKeyAllocator
    private(set) var basis: TableBasis

    /// `head` is a record that `tables` has, and that the allocator knows of.
    init(_ tables: ProjectionReader, _ schema: StoreSchema, _ keyAllocator: PrimaryKeyAllocator, head: SequenceNumber) {
        self.tables = tables
        self.schema = schema
        self.keyAllocator = keyAllocator
        sequence = head.next
        basis = TableBasis(head: head)
    }

    /// The entity whose table has an object's row.
    func root(_ entity: EntityNumber) -> EntityNumber { tables.layout.existingPlace(entity).root }

    /// The rows of objects of any entities, in the order of `keys` within a root entity. A key without a row is left
    /// out.
    package func rows(_ keys: [ObjectKey]) throws -> FetchedRows {
        var last: EntityNumber?
        for key in keys where key.entity != last {
            basis.add(root(key.entity))
            last = key.entity
        }
        return try tables.rows(keys)
    }

    /// The members of a to-many relationship of objects of one root entity, parallel to `owners`.
    package func members(of owners: [ObjectKey], slot: Int) throws -> [[ObjectKey]] {
        guard let first = owners.first else { return [] }
        basis.add(root(first.entity))
        if let destination = schema.entity(first.entity)?.layout.slots[slot].destination {
            basis.add(root(schema.number(of: destination)))
        }
        return try tables.members(of: owners, slot: slot)
    }

    /// The objects that have the values of a claim.
    package func owners(of claim: UniqueClaim) throws -> [ObjectKey] {
        let entity = schema.number(of: claim.constraint.constrainedEntity)
        basis.add(root(entity))
        return try tables.keys(of: entity, slots: claim.constraint.slots, claims: [claim.values])[0]
    }

    /// The objects that a request finds. Its predicate may ask any table.
    package func keys(_ plan: FetchPlan) throws -> [ObjectKey] {
        basis.addAll()
        return try tables.keys(plan)
    }

    /// The rows that a request finds.
    package func rows(_ plan: FetchPlan) throws -> FetchedRows {
        basis.addAll()
        return try tables.rows(plan)
    }

    /// The values that a request computes.
    package func dictionaries(_ plan: FetchPlan) throws -> DictionaryRows {
        basis.addAll()
        return try tables.dictionaries(plan)
    }

    /// Nobody else may write new objects of the entity before what is computed is written: it gives them places.
    package func readPlaces(of entity: EntityNumber) { basis.add(root(entity)) }

    /// Primary keys that no object of the root entity had before.
    package func nextPrimaryKeys(root: EntityNumber, count: Int) throws -> Range<Int64> {
        let reservation = try keyAllocator.reserve(count, in: root)
        basis.add(reservation)
        return reservation.keys
    }
}

/// The tables that the store read to compute something, and the keys that it gave.
struct TableBasis {
    /// The last record that the store knew of before any of it was read.
    let head: SequenceNumber
    private(set) var roots: Set<EntityNumber> = []
    /// Whether any table may have been read.
    private(set) var hasReadAll = false
    private(set) var keys: [KeyReservation] = []

    init(head: SequenceNumber) { self.head = head }

    fileprivate mutating func add(_ root: EntityNumber) { roots.insert(root) }
    fileprivate mutating func addAll() { hasReadAll = true }
    fileprivate mutating func add(_ reservation: KeyReservation) { keys.append(reservation) }
}

/// The record that last wrote into each table, as far as this program knows.
struct TableVersions {
    /// After this record it is known which tables were written.
    private var unknown: SequenceNumber
    private var newest: SequenceNumber
    /// By entity, of which a table may have several: there are few.
    private var last: [(entity: EntityNumber, sequence: SequenceNumber)] = []

    init(_ head: SequenceNumber) { (unknown, newest) = (head, head) }

    mutating func apply(_ changes: ChangeSet, at sequence: SequenceNumber) {
        for group in changes.groups where group.operation != .refresh { set(group.entity, sequence) }
        for group in changes.links { set(group.entity, sequence) }
        newest = max(newest, sequence)
    }

    private mutating func set(_ entity: EntityNumber, _ sequence: SequenceNumber) {
        if let index = last.firstIndex(where: { $0.entity == entity }) {
            last[index].sequence = sequence
        } else {
            last.append((entity, sequence))
        }
    }

    /// A record may have changed any table.
    mutating func invalidate(_ sequence: SequenceNumber) {
        unknown = max(unknown, sequence)
        newest = max(newest, sequence)
    }

    /// Whether no table was written that was read for `basis`, since it was read.
    func hold(_ basis: TableBasis, _ layout: TableLayout) -> Bool {
        if unknown > basis.head { return false }
        if basis.hasReadAll { return newest <= basis.head }
        return last.allSatisfy { table in
            table.sequence <= basis.head || !basis.roots.contains(layout.existingPlace(table.entity).root)
        }
    }
}

import FirnStore
import FirnLog
import FirnModel
import FirnProjection
import Foundation

/// Settles the uniqueness constraints of a batch insert, among its rows and against the store.
///
///     policy            a row that has the values of another one
///     error             fails the request with 133021
///     store, rollback   is left out
///     object            gives the other row the values that the request has for it
///     overwrite         gives the other row all its values, defaults and nulls too
struct UniqueRows {
    private let rows: BatchRows
    private let policy: NSMergePolicyType
    private let reader: TableReader
    private let entity: EntityNumber

    /// What is left to write.
    struct Resolved {
        var columns: [Column]
        var rowCount: Int
        var updates: [ChangeGroup] = []
        var updatedKeys: [ObjectKey] = []
    }

    /// Where the values of a row go.
    private enum Destination: Hashable {
        /// Into a new object, together with those of other rows that go there.
        case row(Int)
        case stored(ObjectKey)
    }

    /// Values that only one object may have.
    private struct Claim: Hashable {
        let constraint: Int
        let exact: BytewiseValues

        var values: [PropertyValue] { exact.values }
    }

    init(_ rows: BatchRows, policy: NSMergePolicyType, reader: TableReader) {
        self.rows = rows
        self.policy = policy
        self.reader = reader
        entity = reader.schema.number(of: rows.layout.entity)
    }

    func resolved() throws -> Resolved {
        guard !rows.layout.uniquenessConstraints.isEmpty else {
            return Resolved(columns: rows.columns, rowCount: rows.count)
        }
        var claimed: [Claim: Destination] = [:]
        /// The rows that go to each destination, in order; the destinations in the order of their first row.
        var sources: [Destination: [Int]] = [:]
        var order: [Destination] = []
        for row in 0..<rows.count {
            let claims = try claims(of: row)
            var found = Set(claims.compactMap { claimed[$0] })
            for claim in claims where claimed[claim] == nil {
                for key in try stored(claim) { found.insert(.stored(key)) }
            }
            guard found.count <= 1, found.isEmpty || policy != .errorMergePolicyType else {
                throw violation(claims, row)
            }
            if let taken = found.first, isStoreFirst {
                for claim in claims where claimed[claim] == nil { claimed[claim] = taken }
                continue
            }
            let destination = found.first ?? .row(row)
            for claim in claims { claimed[claim] = destination }
            if sources[destination] == nil { order.append(destination) }
            sources[destination, default: []].append(row)
        }
        return try gather(order.map { ($0, sources[$0] ?? []) })
    }

    private var isStoreFirst: Bool {
        policy == .mergeByPropertyStoreTrumpMergePolicyType || policy == .rollbackMergePolicyType
    }

    private func claims(of row: Int) throws -> [Claim] {
        rows.layout.uniquenessConstraints.enumerated().compactMap { index, constraint in
            var values: [PropertyValue] = []
            for slot in constraint.slots {
                guard let column = rows.column(of: slot) else { return nil }
                let value = rows.columns[column][row]
                if value.isNull { return nil }
                values.append(value)
            }
            return Claim(constraint: index, exact: BytewiseValues(values: values))
        }
    }

    private func stored(_ claim: Claim) throws -> [ObjectKey] {
        let constraint = rows.layout.uniquenessConstraints[claim.constraint]
        return try reader.keys(
            entity: reader.schema.number(of: constraint.constrainedEntity), slots: constraint.slots,
            values: claim.values)
    }

    private func violation(_ claims: [Claim], _ row: Int) -> NSError {
        let texts = claims.map { claim in
            let names = rows.layout.uniquenessConstraints[claim.constraint].slots.map { rows.layout.slots[$0].name }
            return zip(names, claim.values).map { "\($0) = \($1)" }.joined(separator: ", ")
        }
        return CoreDataError.make(
            .managedObjectConstraintMerge,
            "row \(row) of the batch insert violates a uniqueness constraint of \(rows.layout.name): an object with "
                + texts.joined(separator: "; or ")
                + " is there already. Set a merge policy, or leave the row out")
    }

    /// The final columns. A destination's value is that of the last of its rows that has one from the request.
    private func gather(_ destinations: [(Destination, [Int])]) throws -> Resolved {
        let news = destinations.filter { if case .row = $0.0 { true } else { false } }
        var resolved = Resolved(columns: rows.columns, rowCount: news.count)
        if destinations.count < rows.count || news.count < destinations.count {
            resolved.columns = rows.columns.indices.map { column in
                let slot = rows.layout.storedSlots[column]
                var result = Column(rows.columns[column].type)
                for (_, sources) in news { result.append(rows.columns[column][source(sources, slot)]) }
                return result
            }
        }
        let updates = UpdateGroups(reader)
        for (destination, sources) in destinations {
            guard case .stored(let key) = destination else { continue }
            resolved.updatedKeys.append(key)
            var slots = SlotSet()
            for row in sources { slots.formUnion(rows.given[row]) }
            for column in rows.columns.indices {
                let slot = rows.layout.storedSlots[column]
                guard slots.contains(slot) || policy == .overwriteMergePolicyType, !rows.layout.slots[slot].isPosition
                else { continue }
                updates.set(rows.columns[column][source(sources, slot)], slot, of: key, named: rows.layout.slots[slot])
            }
        }
        resolved.updates = try updates.groups()
        return resolved
    }

    private func source(_ sources: [Int], _ slot: Int) -> Int {
        if policy == .overwriteMergePolicyType { return sources[sources.count - 1] }
        return sources.last { rows.given[$0].contains(slot) } ?? sources[0]
    }
}

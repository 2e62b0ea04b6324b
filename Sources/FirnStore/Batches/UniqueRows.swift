package import FirnLog
import FirnModel
import FirnProjection
import Foundation

/// Settles the uniqueness constraints of a batch insert, among its rows and against the store. A row that would become
/// part of two objects fails the request with 133021.
package struct UniqueRows {
    /// The use of a row that has the unique values of another one.
    package enum Duplicates {
        /// None, as by INSERT OR IGNORE.
        case leaveOut
        /// It gives the other row the values that the request has for it.
        case change
        /// It gives the other row all its values, defaults and nulls too.
        case replace
    }

    private let rows: BatchRows
    private let duplicates: Duplicates
    private let reader: TableReader

    /// The rows that are left to write.
    package struct Resolved {
        package var columns: [Column]
        package var rowCount: Int
        package var updates: [ChangeGroup] = []
        package var updatedKeys: [ObjectKey] = []
    }

    /// Where the values of a row go.
    private enum Destination: Hashable {
        /// Into a new object, together with those of other rows that go there.
        case row(Int)
        case stored(ObjectKey)
    }

    package init(_ rows: BatchRows, duplicates: Duplicates, reader: TableReader) {
        self.rows = rows
        self.duplicates = duplicates
        self.reader = reader
    }

    package func resolved() throws -> Resolved {
        guard !rows.layout.uniquenessConstraints.isEmpty else {
            return Resolved(columns: rows.columns, rowCount: rows.count)
        }
        var owners: [UniqueClaim: Destination] = [:]
        /// The destinations that the rows so far claim, or gave up, by the number of the constraint.
        var held: [Destination: [Int: UniqueClaim?]] = [:]
        /// The rows that go to each destination, in order; the destinations in the order of their first row.
        var sources: [Destination: [Int]] = [:]
        var order: [Destination] = []
        for row in 0..<rows.count {
            let constraints = rows.layout.uniquenessConstraints
            let claims = constraints.map { constraint in
                UniqueClaim(constraint) { slot in rows.column(of: slot).map { rows.columns[$0][row] } }
            }
            var found: Set<Destination> = []
            for (number, claim) in claims.enumerated() {
                guard let claim else { continue }
                if let owner = owners[claim] {
                    found.insert(owner)
                } else {
                    found.formUnion(
                        try reader.owners(of: claim).map { .stored($0) }.filter { held[$0]?[number] == nil })
                }
            }
            if !found.isEmpty, duplicates == .leaveOut { continue }
            guard found.count <= 1 else { throw violation(claims.compactMap { $0 }, row) }
            let destination = found.first ?? .row(row)
            for (number, claim) in claims.enumerated()
            where found.isEmpty || duplicates == .replace
                || constraints[number].slots.contains(where: rows.given[row].contains)
            {
                // The value that this one replaces is free.
                if case let old?? = held[destination, default: [:]].updateValue(claim, forKey: number) {
                    owners[old] = nil
                }
                if let claim { owners[claim] = destination }
            }
            if sources[destination] == nil { order.append(destination) }
            sources[destination, default: []].append(row)
        }
        return try gather(order.map { ($0, sources[$0] ?? []) })
    }

    private func violation(_ claims: [UniqueClaim], _ row: Int) -> NSError {
        CoreDataError.make(
            .managedObjectConstraintMerge,
            "row \(row) of the batch insert has unique values of \(rows.layout.name) that several objects have: "
                + claims.map { $0.text(rows.layout) }.joined(separator: "; ")
                + ". Leave the row out, or set a merge policy that does")
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
                guard slots.contains(slot) || duplicates == .replace, !rows.layout.slots[slot].isPosition
                else { continue }
                updates.set(rows.columns[column][source(sources, slot)], slot, of: key, named: rows.layout.slots[slot])
            }
        }
        resolved.updates = try updates.groups()
        return resolved
    }

    private func source(_ sources: [Int], _ slot: Int) -> Int {
        if duplicates == .replace { return sources[sources.count - 1] }
        return sources.last { rows.given[$0].contains(slot) } ?? sources[0]
    }
}

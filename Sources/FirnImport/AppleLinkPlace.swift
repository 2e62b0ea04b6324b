import FirnLog
import FirnModel
import FirnProjection
import Foundation

/// Where a store of Apple's keeps the members of a to-many relationship that has no to-one inverse.
///
///     Z_3TAGS                the table of `tags`, a relationship of entity 3 (Note), or of its inverse: Z_5NOTES
///       Z_3NOTES             the key of an object of entity 3, to which `notes` of entity 5 (Tag) leads
///       Z_5TAGS              the key of an object of entity 5, to which `tags` leads
///       Z_FOK_5TAGS          its place, if `tags` is ordered
///     REFLEXIVE              the other key, where a relationship is its own inverse
///     Z_5TAGS1               the column in another such table: that of a second relationship `tags` to entity 5
///
/// One without an inverse has a column with the owner's key in the table of its destination: `Z3TAGS`, `Z_FOK_3TAGS`.
struct AppleLinkPlace {
    /// The canonical side: its entity in the new store, and its slot there.
    let entity: EntityNumber
    let slot: Int
    let inverseSlot: Int?
    let table: String
    let sourceColumn: String
    let destinationColumn: String
    let sourceOrderColumn: String?
    let destinationOrderColumn: String?
    /// Tables of the objects at both ends.
    let sourceTable: String
    let destinationTable: String
    let isReflexive: Bool

    /// Nil if the store has no place for it.
    init?(
        _ place: AppleEntityPlace, _ slot: Slot, _ relationship: NSRelationshipDescription,
        _ numbers: AppleEntityNumbers, _ file: AppleStoreFile
    ) throws {
        guard let destination = relationship.destinationEntity else { return nil }
        entity = place.number
        self.slot = slot.index
        inverseSlot = slot.inverseSlot
        sourceTable = place.table
        destinationTable = AppleLayout.table(destination.layout.rootEntity)
        let inverse = relationship.inverseRelationship
        isReflexive = inverse === relationship
        let forward = slot.appleName
        let found =
            if let inverse {
                try Self.join(
                    forward, inverse.name.uppercased(), numbers.number(of: relationship.entity),
                    numbers.number(of: destination), isReflexive, file)
            } else {
                try Self.column(forward, numbers.number(of: place.entity), in: destinationTable, file)
            }
        guard let found else { return nil }
        table = found.table
        sourceColumn = found.source
        destinationColumn = found.destination
        let present = try file.columns(of: table)
        func order(_ column: String, _ isOrdered: Bool) -> String? {
            let name = "Z_FOK_" + column.dropFirst(column.hasPrefix("Z_") ? 2 : 1)
            return isOrdered && present.contains(name) ? name : nil
        }
        let isColumn = inverse == nil && table == destinationTable
        sourceOrderColumn = order(isColumn ? sourceColumn : destinationColumn, relationship.isOrdered)
        destinationOrderColumn = order(sourceColumn, inverse?.isOrdered ?? false)
    }

    private typealias Found = (table: String, source: String, destination: String)

    /// The table that has both columns. Numbers may be those of an older model, so that names decide where they must.
    private static func join(
        _ forward: String, _ backward: String, _ source: Int64?, _ destination: Int64?, _ isReflexive: Bool,
        _ file: AppleStoreFile
    ) throws -> Found? {
        let (source, destination) = (source ?? 0, destination ?? 0)
        let exact = ["Z_\(source)\(forward)", "Z_\(destination)\(backward)"]
        let others = try file.linkTables().filter { table in
            !exact.contains(table) && (table.isNumbered("Z_", forward) || table.isNumbered("Z_", backward))
        }
        for table in exact + others {
            let columns = try file.columns(of: table).sorted()
            guard !columns.isEmpty else { continue }
            func column(_ number: Int64, _ name: String, except: String?) -> String? {
                let best = "Z_\(number)\(name)"
                let named = columns.filter { $0 != except && $0 != "REFLEXIVE" && !$0.hasPrefix("Z_FOK_") }
                return named.first { $0 == best } ?? named.first { $0.isCounted(best) }
                    ?? named.first { $0.isNumbered("Z_", name) } ?? named.first { $0.isNumberedAndCounted("Z_", name) }
            }
            guard let second = column(destination, forward, except: nil) else { continue }
            let first = isReflexive ? columns.first { $0 == "REFLEXIVE" } : column(source, backward, except: second)
            if let first { return (table, first, second) }
        }
        return nil
    }

    private static func column(
        _ name: String, _ owner: Int64?, in table: String, _ file: AppleStoreFile
    ) throws -> Found? {
        let columns = try file.columns(of: table)
        let names = ["Z\(owner ?? 0)\(name)", "Z_\(owner ?? 0)\(name)"]
        return names.first { columns.contains($0) }.map { (table, $0, "Z_PK") }
    }
}

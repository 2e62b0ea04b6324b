import FirnLog
import FirnModel
import FirnProjection
import FirnSQLite
import Foundation

/// One transaction of a store's persistent history, and who wrote it.
struct AppleTransaction {
    let number: Int64
    /// Microseconds since 1970.
    let date: Int64
    var author: String?
    var bundleID: String?
    var contextName: String?
    var processName: String?

    var header: TransactionHeader {
        TransactionHeader(
            date: date, id: .random(), author: author, contextName: contextName, processName: processName ?? "",
            bundleID: bundleID)
    }
}

/// One row of `ACHANGE`.
struct AppleChange {
    enum Kind: Int64 {
        case insert = 0
        case update = 1
        case delete = 2
    }

    let transaction: Int64
    let kind: Kind
    let key: ObjectKey
    /// The slots that an update wrote; nil if the store does not say which.
    var slots: [Int]?
    /// The values that were kept of a deleted object.
    var tombstone: [Int: PropertyValue] = [:]
}

/// Reads a store's persistent history.
///
///     ATRANSACTION         a save: when, and numbers of who in ATRANSACTIONSTRING
///     ACHANGE              an object in it: ZCHANGETYPE 0 inserted, 1 updated, 2 deleted
///       ZCOLUMNS           of an update a bit for each property of the entity that is not transient, attributes and
///                          relationships in one list by name; the highest bit of the first byte is the first
///       ZTOMBSTONE0 …      of a deletion the attributes that are preserved after deletion, by name
///
/// Not documented; told by those who compared these tables with what Core Data answers.
struct AppleHistory {
    let file: AppleStoreFile
    let layout: AppleLayout

    private var connection: Connection { file.connection }

    func timeline(_ rows: AppleRowReader) throws -> ImportTimeline {
        try file.reading {
            var unknown = 0
            let transactions = try transactions()
            let changes = transactions.isEmpty ? [] : try changes(&unknown)
            var timeline = ImportTimeline(transactions, layout)
            try timeline.add(changes) { try rows.key($0.primaryKey, in: table(of: $0)) == $0 }
            try timeline.begin { try rows.keys(of: $0) }
            if unknown > 0 {
                timeline.addNote("\(unknown) changes in the history are of entities that the model does not have")
            }
            let strangers = try rows.strangers()
            if strangers > 0 {
                timeline.addNote("\(strangers) rows are of entities that the model does not have; they are left out")
            }
            return timeline
        }
    }

    private func table(of key: ObjectKey) -> String { layout.place(key.entity)?.table ?? "" }

    private func transactions() throws -> [AppleTransaction] {
        let columns = try file.columns(of: "ATRANSACTION")
        guard columns.contains("ZTIMESTAMP") else { return [] }
        let hasStrings = try !file.columns(of: "ATRANSACTIONSTRING").isEmpty
        func text(_ name: String) -> String {
            let plain = columns.contains(name) ? quoted(name) : "NULL"
            guard hasStrings, columns.contains(name + "TS") else { return plain }
            return "coalesce((SELECT ZNAME FROM ATRANSACTIONSTRING s WHERE s.Z_PK = \(quoted(name + "TS"))), \(plain))"
        }
        let texts = ["ZAUTHOR", "ZBUNDLEID", "ZCONTEXTNAME", "ZPROCESSID"].map(text).joined(separator: ", ")
        return try connection.withStatement(
            "SELECT Z_PK, ZTIMESTAMP, \(texts) FROM ATRANSACTION ORDER BY Z_PK"
        ) { statement in
            var found: [AppleTransaction] = []
            while try statement.step() {
                func name(_ column: Int32) -> String? {
                    let name = statement.text(column)
                    return name.isEmpty ? nil : name
                }
                found.append(
                    AppleTransaction(
                        number: statement.integer(0), date: Self.microseconds(statement.real(1)), author: name(2),
                        bundleID: name(3), contextName: name(4), processName: name(5)))
            }
            return found
        }
    }

    /// From seconds since 2001 to microseconds since 1970.
    private static func microseconds(_ seconds: Double) -> Int64 {
        let value = ((seconds + Date.timeIntervalBetween1970AndReferenceDate) * 1e6).rounded()
        return Int64(exactly: value) ?? 0
    }

    private func changes(_ unknown: inout Int) throws -> [AppleChange] {
        let columns = try file.columns(of: "ACHANGE")
        guard columns.isSuperset(of: ["ZTRANSACTIONID", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK"]) else { return [] }
        let mask = columns.contains("ZCOLUMNS") ? "ZCOLUMNS" : "NULL"
        let tombstones = (0..<columns.count).map { "ZTOMBSTONE\($0)" }.prefix { columns.contains($0) }
        let list = ([mask] + tombstones).joined(separator: ", ")
        return try connection.withStatement(
            "SELECT ZTRANSACTIONID, ZCHANGETYPE, ZENTITY, ZENTITYPK, \(list) FROM ACHANGE ORDER BY ZTRANSACTIONID, Z_PK"
        ) { statement in
            var found: [AppleChange] = []
            while try statement.step() {
                guard let place = layout.place(appleNumber: statement.integer(2)),
                    let kind = AppleChange.Kind(rawValue: statement.integer(1))
                else {
                    unknown += 1
                    continue
                }
                var change = AppleChange(
                    transaction: statement.integer(0), kind: kind,
                    key: ObjectKey(entity: place.number, primaryKey: statement.integer(3)))
                if kind == .update, !statement.isNull(4) { change.slots = Self.slots(statement.blob(4), place.entity) }
                if kind == .delete { change.tombstone = Self.tombstone(statement, tombstones.count, place.entity) }
                found.append(change)
            }
            return found
        }
    }

    /// The slots of the properties that a mask names; nil if it names more than there are.
    static func slots(_ mask: [UInt8], _ entity: NSEntityDescription) -> [Int]? {
        let listed = entity.layout.publicSlots.map { entity.layout.slots[$0] }
            .filter { slot in
                if case .fetched = slot.kind { return false }
                return !slot.isTransient
            }.sorted { $0.name < $1.name }
        var slots: [Int] = []
        for (index, byte) in mask.enumerated() where byte != 0 {
            for bit in 0..<8 where byte & (0x80 >> UInt8(bit)) != 0 {
                guard index * 8 + bit < listed.count else { return nil }
                slots += listed[index * 8 + bit].withParts
            }
        }
        return slots.sorted()
    }

    private static func tombstone(
        _ statement: Statement, _ count: Int, _ entity: NSEntityDescription
    ) -> [Int: PropertyValue] {
        let kept = entity.layout.publicSlots.map { entity.layout.slots[$0] }
            .filter { slot in
                let attribute = slot.property as? NSAttributeDescription
                return slot.isStored && attribute?.preservesValueInHistoryOnDeletion == true
            }
            .sorted { $0.name < $1.name }
        var values: [Int: PropertyValue] = [:]
        for (index, slot) in kept.prefix(count).enumerated() {
            let column = Int32(index + 5)
            guard !statement.isNull(column), let type = slot.attributeType else { continue }
            values[slot.index] = AppleValue.value(statement, column, type)
        }
        return values
    }
}

extension Slot {
    /// The slots that change with the property: of a composite its leaves, of a to-one also its position.
    fileprivate var withParts: [Int] {
        switch kind {
        case .composite(let leaves): Array(leaves)
        case .toOne(let toOne): [index] + (toOne.positionSlot.map { [$0] } ?? [])
        default: [index]
        }
    }
}

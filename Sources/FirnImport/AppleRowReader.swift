import FirnLog
import FirnModel
import FirnProjection
import FirnSQLite
import Foundation

/// Reads rows of a store of Apple's as values of the new one.
///
/// Not thread-safe: statements are kept.
final class AppleRowReader {
    let layout: AppleLayout
    private let file: AppleStoreFile
    private let external: AppleExternalData
    private var statements: [EntityNumber: Statement] = [:]
    private var greatestOrders: [String: Int64] = [:]
    private(set) var externalValueCount = 0
    private(set) var notes: [String] = []

    init(file: AppleStoreFile, layout: AppleLayout, external: AppleExternalData) {
        self.file = file
        self.layout = layout
        self.external = external
    }

    var connection: Connection { file.connection }

    /// The keys of an entity's objects, not those of its subentities, ascending.
    func keys(of place: AppleEntityPlace) throws -> [Int64] {
        try connection.withStatement("SELECT Z_PK FROM \(quoted(place.table)) WHERE Z_ENT = ?1 ORDER BY Z_PK") {
            try $0.bind(place.appleNumber, at: 1)
            var keys: [Int64] = []
            while try $0.step() { keys.append($0.integer(0)) }
            return keys
        }
    }

    /// Rows whose entity is none of the model's.
    func strangers() throws -> Int {
        let byTable = Dictionary(grouping: layout.places, by: \.table)
        return try byTable.reduce(0) { count, places in
            let table = quoted(places.key)
            let all = try Int(connection.integer("SELECT count(*) FROM \(table)") ?? 0)
            return try count + all - places.value.reduce(0) { try $0 + keyCount(of: $1) }
        }
    }

    private func keyCount(of place: AppleEntityPlace) throws -> Int {
        try connection.withStatement("SELECT count(*) FROM \(quoted(place.table)) WHERE Z_ENT = ?1") {
            try $0.bind(place.appleNumber, at: 1)
            return try $0.step() ? Int($0.integer(0)) : 0
        }
    }

    /// The object with a key in a table, by its concrete entity; nil if there is none.
    func key(_ primaryKey: Int64, in table: String) throws -> ObjectKey? {
        try connection.withStatement("SELECT Z_ENT FROM \(quoted(table)) WHERE Z_PK = ?1") {
            try $0.bind(primaryKey, at: 1)
            guard try $0.step(), let place = layout.place(appleNumber: $0.integer(0)) else { return nil }
            return ObjectKey(entity: place.number, primaryKey: primaryKey)
        }
    }

    /// The values of an object's stored slots, null for the others; nil if it is not there.
    func values(of key: ObjectKey) throws -> [PropertyValue]? {
        guard let place = layout.place(key.entity) else { return nil }
        let statement = try statement(for: place)
        defer { statement.reset() }
        try statement.bind(key.primaryKey, at: 1)
        try statement.bind(place.appleNumber, at: 2)
        guard try statement.step() else { return nil }
        var column: Int32 = 0
        var values = [PropertyValue](repeating: .null, count: place.columns.count)
        for (slot, described) in zip(place.entity.layout.slots, place.columns) {
            guard let described else { continue }
            defer { column += described.entityColumn == nil ? 1 : 2 }
            if statement.isNull(column) { continue }
            values[slot.index] = try value(slot, described, statement, column, key)
        }
        return values
    }

    private func statement(for place: AppleEntityPlace) throws -> Statement {
        if let statement = statements[place.number] { return statement }
        let columns = place.columns.compactMap { $0 }.flatMap { [$0.name] + ($0.entityColumn.map { [$0] } ?? []) }
        let list = columns.isEmpty ? "1" : columns.map(quoted).joined(separator: ",")
        let statement = try connection.prepare(
            "SELECT \(list) FROM \(quoted(place.table)) WHERE Z_PK = ?1 AND Z_ENT = ?2")
        statements[place.number] = statement
        return statement
    }

    private func value(
        _ slot: Slot, _ described: AppleColumn, _ statement: Statement, _ column: Int32, _ key: ObjectKey
    ) throws -> PropertyValue {
        switch slot.kind {
        case .toOne(let toOne):
            let primaryKey = statement.integer(column)
            let known = described.entityColumn == nil ? nil : layout.place(appleNumber: statement.integer(column + 1))
            if let known { return .reference(ObjectKey(entity: known.number, primaryKey: primaryKey)) }
            let declared = layout.schema.number(of: toOne.destination)
            let table = AppleLayout.table(toOne.destination.layout.rootEntity)
            let found = toOne.destinationHasSubentities ? try self.key(primaryKey, in: table) : nil
            return .reference(found ?? ObjectKey(entity: declared, primaryKey: primaryKey))
        case .position:
            // The greatest position becomes 0: those that later saves give are greater, so new members come last.
            let greatest = try greatest(described.name, in: layout.place(key.entity)?.table)
            let (position, isBeyond) = statement.integer(column).subtractingReportingOverflow(greatest)
            if isBeyond { addNote("positions out of all bounds became the first ones in \(name(of: slot, key))") }
            return .integer(isBeyond ? .min : position)
        default: return try attribute(slot, statement, column, key)
        }
    }

    private func greatest(_ column: String, in table: String?) throws -> Int64 {
        guard let table else { return 0 }
        let place = table + "." + column
        if let known = greatestOrders[place] { return known }
        let found = try connection.integer("SELECT max(\(quoted(column))) FROM \(quoted(table))") ?? 0
        greatestOrders[place] = found
        return found
    }

    private func attribute(
        _ slot: Slot, _ statement: Statement, _ column: Int32, _ key: ObjectKey
    ) throws -> PropertyValue {
        let value = AppleValue.value(statement, column, slot.attributeType ?? .undefinedAttributeType)
        guard case .blob(let bytes)? = value,
            (slot.property as? NSAttributeDescription)?.allowsExternalBinaryDataStorage == true
        else {
            if value == nil { addNote("values of another type than the model's became nil in \(name(of: slot, key))") }
            return value ?? .null
        }
        switch try external.value(bytes, "\(name(of: slot, key)) of object \(key.primaryKey)") {
        case .inline(let bytes): return .blob(bytes)
        case .external(let bytes):
            externalValueCount += 1
            return .blob(bytes)
        case .missing(let file):
            addNote(
                "\(name(of: slot, key)) of object \(key.primaryKey): the file \(file) is missing, so the value is nil")
            return .null
        }
    }

    private func name(of slot: Slot, _ key: ObjectKey) -> String {
        (layout.place(key.entity)?.entity.name ?? "") + "." + slot.name
    }

    /// Each note once.
    func addNote(_ text: String) { if !notes.contains(text) { notes.append(text) } }
}

extension AppleStoreFile {
    /// Runs `body`, and says what SQLite reports as trouble with this file.
    func reading<R>(_ body: () throws -> R) throws -> R {
        do {
            return try body()
        } catch let error as SQLiteError {
            throw Self.error(error, url)
        }
    }
}

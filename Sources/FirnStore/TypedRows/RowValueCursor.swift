import FirnFoundation
import FirnLog
import FirnModel
package import FirnProjection
import FirnRuntime
package import FirnSQLite
package import Foundation

/// The rows of a fetch of columns, one after the other: those of a running statement, or of dictionaries where a store
/// answers with such.
///
/// For `RowValue`: an application does not use it.
public final class RowValueCursor {
    /// Nil for dictionaries.
    private let owner: Statement?
    /// `owner`, whose references are not counted for each value.
    private let statement: UncountedReference<Statement>?
    private let columns: [AnyRowColumn]
    private let kinds: [DictionaryColumn]
    /// Where the concrete entity of each reference is read.
    private let entityColumns: [Int32]
    private let references: (any RowReferences)?
    private let dictionaries: [NSDictionary]
    /// The number of the current row, from 0.
    private var index = -1

    /// The rows of a plan's statement.
    package init(_ statement: Statement, _ plan: FetchPlan, _ columns: ColumnList, _ references: any RowReferences) {
        owner = statement
        self.statement = UncountedReference(statement)
        self.columns = columns.all
        self.references = references
        kinds = plan.columns
        entityColumns = plan.entityColumns
        dictionaries = []
    }

    /// The rows of the answer to a dictionary fetch.
    package init(_ dictionaries: [NSDictionary], _ columns: ColumnList) {
        self.dictionaries = dictionaries
        self.columns = columns.all
        (owner, statement, references, kinds, entityColumns) = (nil, nil, nil, [], [])
    }

    /// Calls `body`, which reads all rows. Returns their count.
    package func read(_ body: (RowValueCursor) throws -> Void) rethrows -> Int {
        try body(self)
        return index
    }

    /// Goes to the next row. False at the end.
    @usableFromInline
    package func next() throws -> Bool {
        index += 1
        if let statement { return try statement.with { try $0.step() } }
        return index < dictionaries.count
    }

    // The values of the current row; nil for null. A null reads as zero or as no bytes, so only such a value is checked
    // for its type.

    @inline(__always)
    func integer(_ column: Int32) throws -> Int64? {
        guard let statement else { return try listed(column, as: NSNumber.self)?.int64Value }
        let value = statement.with { $0.integer(column) }
        return value == 0 && statement.with { $0.isNull(column) } ? nil : value
    }

    @inline(__always)
    func real(_ column: Int32) throws -> Double? {
        guard let statement else { return try listedReal(column) }
        let value = statement.with { $0.real(column) }
        if value != 0 { return value }
        return switch statement.with({ $0.storageClass(column) }) {
        case .null: nil
        // SQLite stores no NaN.
        case .text: .nan
        default: value
        }
    }

    func text(_ column: Int32) throws -> String? {
        guard let statement else { return try listed(column, as: String.self) }
        let bytes = statement.with { $0.textBytes(column) }
        if bytes.isEmpty, statement.with({ $0.isNull(column) }) { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    func link(_ column: Int32) throws -> URL? {
        if statement == nil { return try listed(column, as: URL.self) }
        guard let text = try text(column) else { return nil }
        guard let url = URL(string: text) else { throw unfit(URL.self, column, text) }
        return url
    }

    func decimal(_ column: Int32) throws -> Decimal? {
        if statement == nil { return try listed(column, as: NSNumber.self)?.decimalValue }
        return try text(column).map { Decimal(plainText: $0) }
    }

    func data(_ column: Int32) throws -> Data? {
        guard let statement = owner else { return try listed(column, as: Data.self) }
        let bytes = statement.blobBytes(column)
        if bytes.isEmpty, statement.isNull(column) { return nil }
        if bytes.count == Format.externalReferenceSize,
            let value = try references?.largeValue(Array(bytes), name(column))
        {
            return value
        }
        return Data(bytes)
    }

    func uuid(_ column: Int32) throws -> UUID? {
        guard let statement = owner else { return try listed(column, as: UUID.self) }
        let bytes = statement.blobBytes(column)
        if bytes.isEmpty, statement.isNull(column) { return nil }
        guard bytes.count == 16 else { throw unfit(UUID.self, column, "\(bytes.count) bytes") }
        return UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
    }

    func number(_ column: Int32) throws -> NSNumber? {
        guard let statement = owner else { return try listed(column, as: NSNumber.self) }
        if statement.isNull(column) { return nil }
        switch kinds[Int(column)].kind {
        case .attribute(.boolean): return NSNumber(value: statement.integer(column) != 0)
        case .attribute(.decimal): return try decimal(column).map { NSDecimalNumber(decimal: $0) }
        case .attribute(.double), .attribute(.float): return try real(column).map { NSNumber(value: $0) }
        default: return NSNumber(value: statement.integer(column))
        }
    }

    func objectID(_ column: Int32) throws -> NSManagedObjectID? {
        guard let statement = owner else { return try listed(column, as: NSManagedObjectID.self) }
        if statement.isNull(column) { return nil }
        let entityColumn = entityColumns[Int(column)]
        guard entityColumn >= 0 else { throw unfit(NSManagedObjectID.self, column, statement.integer(column)) }
        let entity = EntityNumber(stored: statement.integer(entityColumn))
        let key = ObjectKey(entity: entity, primaryKey: statement.integer(column))
        guard let id = references?.objectID(for: key) else { throw unfit(NSManagedObjectID.self, column, key) }
        return id
    }

    // Values of dictionaries.

    private func listed(_ column: Int32) -> Any? {
        let value = dictionaries[index].object(forKey: NSString(string: name(column)))
        return value is NSNull ? nil : value
    }

    private func listed<Value>(_ column: Int32, as type: Value.Type) throws -> Value? {
        guard let value = listed(column) else { return nil }
        guard let value = value as? Value else { throw unfit(type, column, value) }
        return value
    }

    private func listedReal(_ column: Int32) throws -> Double? {
        if let date = listed(column) as? Date { return date.timeIntervalSinceReferenceDate }
        return try listed(column, as: NSNumber.self)?.nearestDouble
    }

    // Errors.

    private func name(_ column: Int32) -> String { columns[Int(column)].name }

    /// The error for a null of which the type has none.
    @usableFromInline
    package func missing(_ type: Any.Type, _ column: Int32) -> any Error {
        failure(
            column, "has no value for \"\(name(column))\", which \(type) cannot hold: ask for \(type)?, "
                + "as with .optional or .key(\"\(name(column))\", as: \(type)?.self)")
    }

    /// The error for a value of which the type has none.
    @usableFromInline
    package func unfit(_ type: Any.Type, _ column: Int32, _ value: Any) -> any Error {
        failure(column, "has the value \(value) for \"\(name(column))\", which \(type) cannot hold")
    }

    private func failure(_ column: Int32, _ message: String) -> any Error {
        CoreDataError.make(
            .persistentStoreOperation, "row \(index) of the fetch (the first is 0) \(message)",
            [NSValidationKeyErrorKey: name(column)])
    }
}

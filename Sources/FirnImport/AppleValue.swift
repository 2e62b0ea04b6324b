import FirnStore
import FirnLog
import FirnModel
import FirnSQLite
import Foundation

/// A value as a column of Apple's keeps it, as ours.
///
/// Columns are declared `TIMESTAMP` or `DECIMAL`, to which SQLite gives numeric affinity, so that a whole number of
/// seconds is kept as an integer, and a decimal as an integer, a real, or a text:
/// https://www.sqlite.org/datatype3.html#determination_of_column_affinity
enum AppleValue {
    /// Nil for a value that is not of the attribute's type. Not to be asked of a null.
    static func value(_ statement: Statement, _ column: Int32, _ type: NSAttributeType) -> PropertyValue? {
        let storage = statement.storageClass(column)
        switch type {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
            return storage.isNumber ? .integer(statement.integer(column)) : nil
        case .booleanAttributeType: return storage.isNumber ? .integer(statement.integer(column) != 0 ? 1 : 0) : nil
        case .doubleAttributeType, .floatAttributeType, .dateAttributeType:
            return storage.isNumber ? .real(statement.real(column)) : nil
        case .stringAttributeType, .URIAttributeType: return .text(statement.text(column))
        case .decimalAttributeType: return decimal(statement, column, storage)
        case .UUIDAttributeType: return uuid(statement, column, storage)
        case .binaryDataAttributeType, .transformableAttributeType: return .blob(statement.blob(column))
        case .objectIDAttributeType, .undefinedAttributeType, .compositeAttributeType: return nil
        }
    }

    /// In the shortest plain notation: no exponent, no zeros at the end.
    private static func decimal(_ statement: Statement, _ column: Int32, _ storage: StorageClass) -> PropertyValue? {
        let text: String
        switch storage {
        case .integer: return .text(String(statement.integer(column)))
        case .real: text = "\(statement.real(column))"
        default: text = statement.text(column)
        }
        return Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")).map { .text($0.description) }
    }

    private static func uuid(_ statement: Statement, _ column: Int32, _ storage: StorageClass) -> PropertyValue? {
        if storage == .text {
            guard let uuid = UUID(uuidString: statement.text(column)) else { return nil }
            return withUnsafeBytes(of: uuid.uuid) { .blob([UInt8]($0)) }
        }
        let bytes = statement.blob(column)
        return bytes.count == 16 ? .blob(bytes) : nil
    }
}

extension StorageClass {
    fileprivate var isNumber: Bool { self == .integer || self == .real }
}

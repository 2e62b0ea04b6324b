internal import FirnLog

extension PropertyValue {
    /// The value as SQL. For definitions, which have no parameters; a fetch binds its values.
    var sqlLiteral: String {
        switch self {
        case .null: "NULL"
        case .integer(let value): String(value)
        case .real(let value) where value.isNaN: "'\(notANumber)'"
        case .real(let value) where value.isInfinite: value < 0 ? "-9e999" : "9e999"
        case .real(let value): "\(value)"
        // In hexadecimal there is nothing to escape, not even NUL.
        case .text(let value): "CAST(x'\(Self.hex(value.utf8))' AS TEXT)"
        case .blob(let value): "x'\(Self.hex(value))'"
        case .reference(let key): String(key.primaryKey)
        }
    }

    private static func hex(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

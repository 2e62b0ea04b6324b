/// One value of SQLite. For single values and tests: loops over many rows bind and read without it.
package enum SQLiteValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])
}

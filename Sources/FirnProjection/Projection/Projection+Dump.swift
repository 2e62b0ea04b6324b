internal import FirnLog
internal import FirnSQLite

extension Projection {
    /// All tables as text, row by row in the order of their keys: two projections of one log at one checkpoint give
    /// the same text. Index pages, free pages and the like are not in it.
    package func dump() throws -> String {
        try readLatest { try $0.dump() }
    }

    /// The rows of the model's tables alone.
    package func dumpTables() throws -> String { try readLatest { try $0.dumpTables() } }
}

extension ProjectionReader {
    package func dump() throws -> String { try dump(layout.dumpedTables) }

    /// The rows of the model's tables alone.
    package func dumpTables() throws -> String { try dump(layout.dumpedModelTables) }

    /// The rows of the other tables.
    func dumpOwn() throws -> String { try dump(layout.ownTables) }

    private func dump(_ tables: [DumpedTable]) throws -> String {
        var text = ""
        for table in tables {
            text += "\(table.name)(\(table.columns.joined(separator: ",")))\n"
            try connection.withStatement(table.sql) { statement in
                while try statement.step() { text += "  " + Self.row(statement) + "\n" }
            }
        }
        return text
    }

    /// The values of the current row.
    static func row(_ statement: Statement) -> String {
        (0..<Int32(statement.columnCount)).map { literal(statement.value($0)) }.joined(separator: " | ")
    }

    /// A notation in which different values, also of different types, are different texts.
    private static func literal(_ value: SQLiteValue) -> String {
        switch value {
        case .null: return "NULL"
        case .integer(let value): return String(value)
        // The bit pattern tells -0.0 from 0.0.
        case .real(let value): return "\(value) (\(String(value.bitPattern, radix: 16)))"
        case .text(let value):
            let escaped = value.unicodeScalars.map { scalar in
                switch scalar {
                case "'": "''"
                case "\\": "\\\\"
                case _ where scalar.value < 32: "\\u{\(String(scalar.value, radix: 16))}"
                default: String(scalar)
                }
            }
            return "'" + escaped.joined() + "'"
        case .blob(let bytes):
            return "x'\(bytes.hexadecimal)'"
        }
    }
}

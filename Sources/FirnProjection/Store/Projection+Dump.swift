internal import FirnSQLite

extension Projection {
    /// All tables as text, row by row in the order of their keys: two projections of one log at one checkpoint give
    /// the same text. Index pages, free pages and the like are not in it.
    package func dump() throws -> String {
        try readAnew { try $0.dump() }
    }

    /// The rows of the model's tables alone.
    package func dumpTables() throws -> String { try readAnew { try $0.dumpTables() } }
}

extension ProjectionReader {
    package func dump() throws -> String {
        var text = ""
        try dump("firn_store", columns: ["store", "model", "checkpoint"], order: "1", into: &text)
        try dump("firn_entities", columns: ["number", "name", "parent", "\"table\""], order: "1", into: &text)
        try dump("firn_keys", columns: ["root", "last"], order: "1", into: &text)
        return text + (try dumpTables())
    }

    /// The rows of the model's tables alone.
    package func dumpTables() throws -> String {
        var text = ""
        for table in layout.tables {
            let columns = ["Z_PK", "Z_ENT", "Z_OPT"] + table.columns.map { quoted($0.name) }
            try dump(quoted(table.name), columns: columns, order: "1", into: &text)
        }
        for link in layout.links {
            try dump(quoted(link.name), columns: link.columns, order: "1, 2", into: &text)
        }
        return text
    }

    private func dump(_ table: String, columns: [String], order: String, into text: inout String) throws {
        let list = columns.joined(separator: ",")
        text += "\(table)(\(list))\n"
        try connection.withStatement("SELECT \(list) FROM \(table) ORDER BY \(order)") { statement in
            while try statement.step() {
                for column in 0..<Int32(columns.count) {
                    text += column == 0 ? "  " : " | "
                    text += Self.literal(statement.value(column))
                }
                text += "\n"
            }
        }
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
            return "x'" + bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "'"
        }
    }
}

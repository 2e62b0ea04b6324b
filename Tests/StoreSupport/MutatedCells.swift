import FirnSQLite
package import Foundation
package import TestSupport

/// Cells of a database that get other values.
package enum MutatedCells {
    private static let values: [SQLiteValue] = [
        .null, .integer(0), .integer(-1), .integer(.max), .integer(.min), .integer(1 << 33), .integer(99),
        .real(.infinity), .real(1e300), .real(-0.5), .text(""), .text("x"), .text("Author"), .text("\u{0}"),
        .text("1e999"), .blob([]), .blob([0xFF, 0xFE]), .blob([1, 2, 3, 4]), .blob([2, 0x2E, 0x2E, 0]),
    ]

    package static func change(_ url: URL, _ mutations: inout Mutations) throws {
        let connection = try Connection(.file(url.path), mode: .readWrite)
        let tables = try names(connection, "SELECT name FROM sqlite_schema WHERE type = 'table'").filter { name in
            !name.hasPrefix("sqlite")
        }
        for _ in 0...mutations.random(in: 0...2) {
            let table = mutations.element(of: tables)
            let columns = try names(connection, "SELECT name FROM pragma_table_info('\(table)')")
            if columns.isEmpty { continue }
            let column = mutations.element(of: columns)
            // A row number that is taken, or a value of another type, is refused by SQLite.
            let value = try mutation(connection, table, column, &mutations)
            let skipped = mutations.random(in: 0...3)
            let row = "SELECT rowid FROM \"\(table)\" LIMIT 1 OFFSET \(skipped)"
            _ = try? connection.withStatement("UPDATE \"\(table)\" SET \"\(column)\" = ? WHERE rowid = (\(row))") {
                try $0.bind(value, at: 1)
                try $0.run()
            }
        }
    }

    /// A value of the list, or a mutation of what is there.
    private static func mutation(
        _ connection: Connection, _ table: String, _ column: String, _ mutations: inout Mutations
    ) throws -> SQLiteValue {
        if mutations.random(in: 0...1) == 0 { return mutations.element(of: values) }
        let bytes = try connection.withStatement("SELECT CAST(\"\(column)\" AS BLOB) FROM \"\(table)\" LIMIT 1") {
            try $0.step() ? $0.blob(0) : []
        }
        let changed = mutations.mutated(bytes.isEmpty ? [0] : bytes)
        return mutations.random(in: 0...1) == 0 ? .blob(changed) : .text(String(decoding: changed, as: UTF8.self))
    }

    private static func names(_ connection: Connection, _ sql: String) throws -> [String] {
        try connection.withStatement(sql) { statement in
            var names: [String] = []
            while try statement.step() { names.append(statement.text(0)) }
            return names
        }
    }
}

internal import FirnSQLite

/// Where two projections differ first.
package struct TableDifference: Sendable {
    /// The table's name.
    package var table: String
    /// The values of the row that is there; nil if there are no more rows.
    package var present: String?
    /// The values of the row that should be there.
    package var expected: String?
}

/// A table as it is dumped and compared: its columns, in the order of its keys.
struct DumpedTable {
    let name: String
    let columns: [String]
    /// Numbers of the columns that the rows are ordered by.
    var order = "1"

    var sql: String { "SELECT \(columns.joined(separator: ",")) FROM \(name) ORDER BY \(order)" }
}

extension TableLayout {
    /// The tables whose contents follow from the log: those of the model, and the projection's own.
    var dumpedTables: [DumpedTable] { ownTables + dumpedModelTables }

    /// The projection's own.
    var ownTables: [DumpedTable] {
        [
            DumpedTable(name: "firn_store", columns: ["store", "model", "checkpoint"]),
            DumpedTable(name: "firn_entities", columns: ["number", "name", "parent", "\"table\""]),
            DumpedTable(name: "firn_keys", columns: ["root", "last"]),
        ]
    }

    var dumpedModelTables: [DumpedTable] {
        tables.map { table in
            DumpedTable(
                name: quoted(table.name),
                columns: ["Z_PK", "Z_ENT", "Z_OPT"] + table.columns.map { quoted($0.name) })
        } + links.map { DumpedTable(name: quoted($0.name), columns: $0.columns, order: "1, 2") }
    }
}

extension ProjectionReader {
    /// The first difference from tables of the same layout; nil if they hold the same.
    ///
    /// Throws `damaged` if these cannot be read.
    ///
    /// Complexity: O(rows), with one row of each in memory.
    package func firstDifference(from expected: ProjectionReader) throws -> TableDifference? {
        for table in layout.dumpedTables {
            do {
                let mine = try connection.prepare(table.sql)
                let theirs = try expected.connection.prepare(table.sql)
                if let difference = try Self.firstDifference(mine, theirs, table.name) { return difference }
            } catch let error as SQLiteError
                where error.path == connection.path && (error.isDamage || error.code == .error)
            {
                throw ProjectionFile.damaged(error.path, error)
            }
        }
        return nil
    }

    private static func firstDifference(
        _ mine: Statement, _ theirs: Statement, _ table: String
    ) throws -> TableDifference? {
        while true {
            let (isMine, isTheirs) = (try mine.step(), try theirs.step())
            if !isMine, !isTheirs { return nil }
            if isMine, isTheirs, mine.hasSameRow(as: theirs) { continue }
            return TableDifference(
                table: table, present: isMine ? row(mine) : nil, expected: isTheirs ? row(theirs) : nil)
        }
    }
}

extension Statement {
    /// Whether the current rows have the same values, of the same types.
    fileprivate func hasSameRow(as other: Statement) -> Bool {
        for column in 0..<Int32(columnCount) {
            let type = storageClass(column)
            guard type == other.storageClass(column) else { return false }
            let isSame =
                switch type {
                case .null: true
                case .integer: integer(column) == other.integer(column)
                // The bits tell -0.0 from 0.0.
                case .real: real(column).bitPattern == other.real(column).bitPattern
                case .text: textBytes(column).elementsEqual(other.textBytes(column))
                case .blob: blobBytes(column).elementsEqual(other.blobBytes(column))
                }
            if !isSame { return false }
        }
        return true
    }
}

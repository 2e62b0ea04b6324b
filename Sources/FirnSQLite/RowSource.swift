internal import CSQLite

/// Rows in memory that one parameter of a statement stands for:
///
///     INSERT INTO "Item"(Z_PK, "a") SELECT c0, c1 FROM firn_rows_16(?1)
///
/// SQLite writes all rows in one run of a statement, which is faster than a run for each row. The table's cursor keeps
/// its position, and rows with ascending keys are appended without a search
/// (https://www.sqlite.org/vtab.html#table_valued_functions). The columns of a virtual table are fixed, so there is a
/// function for 16 columns, for 32 and so on. A statement uses the first columns.
package enum RowSource {
    /// SQLite's limit of 2,000 columns, without the hidden one that takes the parameter
    /// (https://www.sqlite.org/limits.html#max_column).
    package static let columnCountMax = 1_999

    /// The columns of the rows; all have `count` rows.
    struct Rows {
        var columns: UnsafePointer<ColumnPointer>
        var columnCount: Int
        var count: Int
    }
}

extension Connection {
    /// The name of the function for rows of `columnCount` columns, at most `RowSource.columnCountMax`.
    package func rowSource(columnCount: Int) throws -> String {
        guard columnCount <= RowSource.columnCountMax else {
            fatalError("SQLite has no table of \(columnCount) columns")
        }
        var width = 16
        while width < columnCount { width *= 2 }
        let name = "firn_rows_\(width)"
        if rowSources.insert(width).inserted {
            let columns = UnsafeMutableRawPointer(bitPattern: min(width, RowSource.columnCountMax))
            try check(sqlite3_create_module_v2(handle, name, module, columns, nil))
        }
        return name
    }
}

extension Statement {
    /// Runs the statement with `columns`, each of `count` rows, as the rows of its parameter `parameter`.
    package func run(rows columns: [ColumnPointer], count: Int, at parameter: Int32) throws {
        try columns.withUnsafeBufferPointer { columns in
            guard let start = columns.baseAddress else { return }
            var rows = RowSource.Rows(columns: start, columnCount: columns.count, count: count)
            try withUnsafeMutablePointer(to: &rows) { rows in
                try check(sqlite3_bind_pointer(handle, parameter, rows, rowSourceTypeName, nil))
                defer { sqlite3_bind_null(handle, parameter) }
                try run()
            }
        }
    }
}

/// The type name that guards a bound pointer. SQLite keeps its address, so it must live for ever.
private nonisolated(unsafe) let rowSourceTypeName: UnsafePointer<CChar> = {
    let name: StaticString = "firn_rows"
    return UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
}()

/// SQLite keeps the address, so the table of functions lives for ever.
private nonisolated(unsafe) let module = TableFunction.module(
    connect: { database, width, _, _, table, _ in
        let columns = (0..<Int(bitPattern: width)).map { "c\($0)," }.joined()
        return TableFunction.declare(columns + "list HIDDEN", database, table)
    },
    // Statements compare no other column.
    bestIndex: { _, info in TableFunction.requireParameter(info, hidden: nil) },
    filter: { pointer, _, _, count, arguments in
        guard let cursor = TableFunction.cursor(pointer) else { return SQLITE_MISUSE }
        (cursor.pointee.source, cursor.pointee.row, cursor.pointee.count) = (nil, 0, 0)
        // The rows are on the stack of `run(rows:count:at:)`, which runs the statement.
        if count == 1, let rows = sqlite3_value_pointer(arguments?[0], rowSourceTypeName) {
            cursor.pointee.source = rows
            cursor.pointee.count = rows.assumingMemoryBound(to: RowSource.Rows.self).pointee.count
        }
        return SQLITE_OK
    },
    column: { pointer, context, column in
        guard let cursor = TableFunction.cursor(pointer), let source = cursor.pointee.source else { return SQLITE_OK }
        let rows = source.assumingMemoryBound(to: RowSource.Rows.self)
        guard Int(column) < rows.pointee.columnCount else { return SQLITE_OK }
        rows.pointee.columns[Int(column)].setResult(context, cursor.pointee.row)
        return SQLITE_OK
    })

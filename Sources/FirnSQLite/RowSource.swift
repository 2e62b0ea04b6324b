internal import CSQLite

/// Rows in memory that one parameter of a statement stands for:
///
///     INSERT INTO "Item"(Z_PK, "a") SELECT c0, c1 FROM firn_rows_16(?1)
///
/// SQLite writes them in one run of a statement, which is faster than a run for each: a cursor of the table stays where
/// it is, and rows with ascending keys are appended without a search
/// (https://www.sqlite.org/vtab.html#table_valued_functions). There is a function for 16 columns, for 32 and so on,
/// since the columns of a virtual table are fixed; a statement uses the first ones.
package enum RowSource {
    /// SQLite's limit of 2,000 columns, without the hidden one that takes the parameter
    /// (https://www.sqlite.org/limits.html#max_column).
    package static let columnCountMax = 1_999

    /// Of as many rows as each of the columns has.
    struct Rows {
        var columns: UnsafePointer<ColumnPointer>
        var columnCount: Int
        var count: Int
    }
}

extension Connection {
    /// The name of the function for rows of so many columns, `RowSource.columnCountMax` at most.
    package func rowSource(columnCount: Int) throws -> String {
        precondition(columnCount <= RowSource.columnCountMax, "SQLite has no table of \(columnCount) columns")
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

/// SQLite's cursor with our place in the rows. SQLite knows only the first member.
private struct RowCursor {
    var base = sqlite3_vtab_cursor()
    /// In the frame that runs the statement.
    var columns: UnsafePointer<ColumnPointer>?
    var columnCount = 0
    var row = 0
    var count = 0
}

@inline(__always)
private func cursor(_ pointer: UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> UnsafeMutablePointer<RowCursor>? {
    guard let pointer else { return nil }
    return UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: RowCursor.self)
}

/// SQLite keeps the address, so the table of functions lives for ever.
private nonisolated(unsafe) let module: UnsafeMutablePointer<sqlite3_module> = {
    let pointer = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
    pointer.initialize(to: makeModule())
    return pointer
}()

private func makeModule() -> sqlite3_module {
    var module = sqlite3_module()
    module.xConnect = { database, width, _, _, table, _ in
        let columns = (0..<Int(bitPattern: width)).map { "c\($0)," }.joined()
        let result = sqlite3_declare_vtab(database, "CREATE TABLE x(\(columns)list HIDDEN)")
        guard result == SQLITE_OK else { return result }
        let made = UnsafeMutablePointer<sqlite3_vtab>.allocate(capacity: 1)
        made.initialize(to: sqlite3_vtab())
        table?.pointee = made
        return SQLITE_OK
    }
    module.xDisconnect = { table in
        table?.deallocate()
        return SQLITE_OK
    }
    module.xBestIndex = { _, info in bestIndex(info) }
    module.xOpen = { _, result in
        let made = UnsafeMutablePointer<RowCursor>.allocate(capacity: 1)
        made.initialize(to: RowCursor())
        result?.pointee = UnsafeMutableRawPointer(made).assumingMemoryBound(to: sqlite3_vtab_cursor.self)
        return SQLITE_OK
    }
    module.xClose = { pointer in
        cursor(pointer)?.deallocate()
        return SQLITE_OK
    }
    module.xFilter = { pointer, _, _, count, arguments in
        guard let cursor = cursor(pointer) else { return SQLITE_MISUSE }
        (cursor.pointee.row, cursor.pointee.count) = (0, 0)
        if count == 1, let rows = sqlite3_value_pointer(arguments?[0], rowSourceTypeName) {
            let rows = rows.assumingMemoryBound(to: RowSource.Rows.self).pointee
            cursor.pointee.columns = rows.columns
            cursor.pointee.columnCount = rows.columnCount
            cursor.pointee.count = rows.count
        }
        return SQLITE_OK
    }
    module.xNext = { pointer in
        cursor(pointer)?.pointee.row += 1
        return SQLITE_OK
    }
    module.xEof = { pointer in
        guard let cursor = cursor(pointer) else { return 1 }
        return cursor.pointee.row >= cursor.pointee.count ? 1 : 0
    }
    module.xColumn = { pointer, context, column in
        guard let cursor = cursor(pointer), column < cursor.pointee.columnCount else { return SQLITE_OK }
        cursor.pointee.columns?[Int(column)].setResult(context, cursor.pointee.row)
        return SQLITE_OK
    }
    module.xRowid = { pointer, result in
        result?.pointee = Int64(cursor(pointer)?.pointee.row ?? 0)
        return SQLITE_OK
    }
    return module
}

/// The rows must be given: a plan in which they are not yet known is refused.
private func bestIndex(_ info: UnsafeMutablePointer<sqlite3_index_info>?) -> Int32 {
    guard let info else { return SQLITE_MISUSE }
    for index in 0..<Int(info.pointee.nConstraint) {
        // Nobody compares another column.
        guard let constraint = info.pointee.aConstraint?[index], constraint.op == UInt8(SQLITE_INDEX_CONSTRAINT_EQ)
        else { continue }
        guard constraint.usable != 0 else { return SQLITE_CONSTRAINT }
        info.pointee.aConstraintUsage[index].argvIndex = 1
        info.pointee.aConstraintUsage[index].omit = 1
        info.pointee.estimatedCost = 1
        return SQLITE_OK
    }
    return SQLITE_CONSTRAINT
}

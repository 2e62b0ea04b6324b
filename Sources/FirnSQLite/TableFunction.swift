internal import CSQLite

/// The common parts of table-valued functions over values in memory. They return the rows of the value in a hidden
/// column, which is the function's parameter (https://www.sqlite.org/vtab.html#tabfunc2).
enum TableFunction {
    /// SQLite's cursor with our row index. SQLite uses only the first member.
    struct Cursor {
        var base = sqlite3_vtab_cursor()
        /// The target of the parameter. It lives at least as long as the run that uses the cursor.
        var source: UnsafeMutableRawPointer?
        var row = 0
        var count = 0
    }

    typealias CursorPointer = UnsafeMutablePointer<sqlite3_vtab_cursor>

    @inline(__always)
    static func cursor(_ pointer: CursorPointer?) -> UnsafeMutablePointer<Cursor>? {
        guard let pointer else { return nil }
        return UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: Cursor.self)
    }

    /// SQLite keeps the address, so the table of functions lives for ever. `connect` declares the columns, `filter`
    /// sets the cursor's source and count, `column` gives a value.
    static func module(
        connect: @escaping @convention(c) (
            OpaquePointer?, UnsafeMutableRawPointer?, Int32, UnsafePointer<UnsafePointer<CChar>?>?,
            UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab>?>?,
            UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        ) -> Int32,
        bestIndex: @escaping @convention(c) (
            UnsafeMutablePointer<sqlite3_vtab>?, UnsafeMutablePointer<sqlite3_index_info>?
        ) -> Int32,
        filter: @escaping @convention(c) (
            CursorPointer?, Int32, UnsafePointer<CChar>?, Int32, UnsafeMutablePointer<OpaquePointer?>?
        ) -> Int32,
        column: @escaping @convention(c) (CursorPointer?, OpaquePointer?, Int32) -> Int32
    ) -> UnsafeMutablePointer<sqlite3_module> {
        var module = sqlite3_module()
        module.xConnect = connect
        module.xBestIndex = bestIndex
        module.xFilter = filter
        module.xColumn = column
        module.xDisconnect = { table in
            table?.deallocate()
            return SQLITE_OK
        }
        module.xOpen = { _, result in
            let made = UnsafeMutablePointer<Cursor>.allocate(capacity: 1)
            made.initialize(to: Cursor())
            result?.pointee = UnsafeMutableRawPointer(made).assumingMemoryBound(to: sqlite3_vtab_cursor.self)
            return SQLITE_OK
        }
        module.xClose = { pointer in
            TableFunction.cursor(pointer)?.deallocate()
            return SQLITE_OK
        }
        module.xNext = { pointer in
            TableFunction.cursor(pointer)?.pointee.row += 1
            return SQLITE_OK
        }
        module.xEof = { pointer in
            guard let cursor = TableFunction.cursor(pointer) else { return 1 }
            return cursor.pointee.row >= cursor.pointee.count ? 1 : 0
        }
        module.xRowid = { pointer, result in
            result?.pointee = Int64(TableFunction.cursor(pointer)?.pointee.row ?? 0)
            return SQLITE_OK
        }
        let pointer = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
        pointer.initialize(to: module)
        return pointer
    }

    /// Declares the columns of a virtual table, in `xConnect`.
    static func declare(
        _ columns: String, _ database: OpaquePointer?,
        _ table: UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab>?>?
    ) -> Int32 {
        let result = sqlite3_declare_vtab(database, "CREATE TABLE x(\(columns))")
        guard result == SQLITE_OK else { return result }
        let made = UnsafeMutablePointer<sqlite3_vtab>.allocate(capacity: 1)
        made.initialize(to: sqlite3_vtab())
        table?.pointee = made
        return SQLITE_OK
    }

    /// Requires the parameter, which is the hidden column `hidden`, or else the only column that is compared. A plan
    /// that does not know its value yet is refused.
    static func requireParameter(_ info: UnsafeMutablePointer<sqlite3_index_info>?, hidden: Int32?) -> Int32 {
        guard let info else { return SQLITE_MISUSE }
        for index in 0..<Int(info.pointee.nConstraint) {
            guard let constraint = info.pointee.aConstraint?[index], hidden == nil || constraint.iColumn == hidden,
                constraint.op == UInt8(SQLITE_INDEX_CONSTRAINT_EQ)
            else { continue }
            guard constraint.usable != 0 else { return SQLITE_CONSTRAINT }
            info.pointee.aConstraintUsage[index].argvIndex = 1
            info.pointee.aConstraintUsage[index].omit = 1
            info.pointee.idxNum = 1
            info.pointee.estimatedCost = 1
            info.pointee.estimatedRows = 25
            // The rows are in the order of their row IDs and need no sorting.
            if info.pointee.nOrderBy == 1, let order = info.pointee.aOrderBy?[0], order.iColumn == -1, order.desc == 0 {
                info.pointee.orderByConsumed = 1
            }
            return SQLITE_OK
        }
        return SQLITE_CONSTRAINT
    }
}

internal import CSQLite

/// A list of values of any length that one parameter of a statement stands for:
///
///     SELECT … WHERE "name" IN (SELECT value FROM firn_values(?1))
///     SELECT … FROM firn_values(?1) AS v JOIN "Item" AS t ON t.Z_PK = v.value ORDER BY v.rowid
///
/// Nothing is copied into SQL and no temporary table is filled: `firn_values` is a table-valued function over
/// the Swift array (https://www.sqlite.org/vtab.html#tabfunc2), and `rowid` is the index in it.
package final class ValueList: Sendable {
    enum Storage: Sendable {
        case integers([Int64])
        case values([SQLiteValue])
    }

    let storage: Storage

    package init(_ integers: [Int64]) { storage = .integers(integers) }
    package init(_ values: [SQLiteValue]) { storage = .values(values) }

    package var count: Int {
        switch storage {
        case .integers(let values): values.count
        case .values(let values): values.count
        }
    }

    func setResult(_ context: OpaquePointer?, at index: Int) {
        switch storage {
        case .integers(let values): sqlite3_result_int64(context, values[index])
        case .values(let values): values[index].setResult(context)
        }
    }

    static func register(on connection: Connection) throws {
        try connection.check(
            sqlite3_create_module_v2(connection.handle, "firn_values", module, nil, nil))
    }
}

/// The type name that guards a bound pointer. SQLite keeps its address, so it must live for ever.
nonisolated(unsafe) let valueListTypeName: UnsafePointer<CChar> = {
    let name: StaticString = "firn_values"
    return UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
}()

/// SQLite's cursor with our place in the list. SQLite knows only the first member.
private struct ListCursor {
    var base = sqlite3_vtab_cursor()
    /// Owned by the statement's binding, which lives at least as long as the run that uses the cursor.
    var list: Unmanaged<ValueList>?
    var index = 0
    var count = 0
}

private func cursor(_ pointer: UnsafeMutablePointer<sqlite3_vtab_cursor>?)
    -> UnsafeMutablePointer<ListCursor>?
{
    guard let pointer else { return nil }
    return UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: ListCursor.self)
}

/// SQLite keeps the address, so the table of functions lives for ever.
private nonisolated(unsafe) let module: UnsafeMutablePointer<sqlite3_module> = {
    let pointer = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
    pointer.initialize(to: makeModule())
    return pointer
}()

private func makeModule() -> sqlite3_module {
    var module = sqlite3_module()
    module.xConnect = { database, _, _, _, table, _ in
        let result = sqlite3_declare_vtab(database, "CREATE TABLE x(value, list HIDDEN)")
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
        let made = UnsafeMutablePointer<ListCursor>.allocate(capacity: 1)
        made.initialize(to: ListCursor())
        result?.pointee = UnsafeMutableRawPointer(made).assumingMemoryBound(
            to: sqlite3_vtab_cursor.self)
        return SQLITE_OK
    }
    module.xClose = { pointer in
        cursor(pointer)?.deallocate()
        return SQLITE_OK
    }
    module.xFilter = { pointer, _, _, count, arguments in
        guard let cursor = cursor(pointer) else { return SQLITE_MISUSE }
        cursor.pointee.list = nil
        cursor.pointee.index = 0
        cursor.pointee.count = 0
        if count == 1, let list = sqlite3_value_pointer(arguments?[0], valueListTypeName) {
            let list = Unmanaged<ValueList>.fromOpaque(list)
            cursor.pointee.list = list
            cursor.pointee.count = list._withUnsafeGuaranteedRef { $0.count }
        }
        return SQLITE_OK
    }
    module.xNext = { pointer in
        cursor(pointer)?.pointee.index += 1
        return SQLITE_OK
    }
    module.xEof = { pointer in
        guard let cursor = cursor(pointer)?.pointee else { return 1 }
        return cursor.index >= cursor.count ? 1 : 0
    }
    module.xColumn = { pointer, context, column in
        guard let cursor = cursor(pointer)?.pointee, column == 0, let list = cursor.list else {
            return SQLITE_OK
        }
        list._withUnsafeGuaranteedRef { $0.setResult(context, at: cursor.index) }
        return SQLITE_OK
    }
    module.xRowid = { pointer, result in
        result?.pointee = Int64(cursor(pointer)?.pointee.index ?? 0)
        return SQLITE_OK
    }
    return module
}

/// The list must be given: a plan in which it is not yet known is refused.
private func bestIndex(_ info: UnsafeMutablePointer<sqlite3_index_info>?) -> Int32 {
    guard let info else { return SQLITE_MISUSE }
    for index in 0..<Int(info.pointee.nConstraint) {
        guard let constraint = info.pointee.aConstraint?[index], constraint.iColumn == 1,
            constraint.op == UInt8(SQLITE_INDEX_CONSTRAINT_EQ)
        else { continue }
        guard constraint.usable != 0 else { return SQLITE_CONSTRAINT }
        info.pointee.aConstraintUsage[index].argvIndex = 1
        info.pointee.aConstraintUsage[index].omit = 1
        info.pointee.idxNum = 1
        info.pointee.estimatedCost = 1
        info.pointee.estimatedRows = 25
        // The values come in the order of their row IDs: that needs no sorting.
        if info.pointee.nOrderBy == 1, let order = info.pointee.aOrderBy?[0], order.iColumn == -1, order.desc == 0 {
            info.pointee.orderByConsumed = 1
        }
        return SQLITE_OK
    }
    return SQLITE_CONSTRAINT
}

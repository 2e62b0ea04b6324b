internal import CSQLite

/// A list of values of any length that one parameter of a statement stands for:
///
///     SELECT … WHERE "name" IN (SELECT value FROM firn_values(?1))
///     SELECT … FROM firn_values(?1) AS v JOIN "Item" AS t ON t.Z_PK = v.value ORDER BY v.rowid
///
/// `firn_values` is a table-valued function over the Swift array (https://www.sqlite.org/vtab.html#tabfunc2). It copies
/// nothing into SQL and fills no temporary table. `rowid` is the index in the array.
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

/// SQLite keeps the address, so the table of functions lives for ever.
private nonisolated(unsafe) let module = TableFunction.module(
    connect: { database, _, _, _, table, _ in TableFunction.declare("value, list HIDDEN", database, table) },
    bestIndex: { _, info in TableFunction.requireParameter(info, hidden: 1) },
    filter: { pointer, _, _, count, arguments in
        guard let cursor = TableFunction.cursor(pointer) else { return SQLITE_MISUSE }
        (cursor.pointee.source, cursor.pointee.row, cursor.pointee.count) = (nil, 0, 0)
        // Owned by the statement's binding.
        if count == 1, let list = sqlite3_value_pointer(arguments?[0], valueListTypeName) {
            cursor.pointee.source = list
            cursor.pointee.count = Unmanaged<ValueList>.fromOpaque(list)._withUnsafeGuaranteedRef { $0.count }
        }
        return SQLITE_OK
    },
    column: { pointer, context, column in
        guard let cursor = TableFunction.cursor(pointer)?.pointee, column == 0, let list = cursor.source else {
            return SQLITE_OK
        }
        Unmanaged<ValueList>.fromOpaque(list)._withUnsafeGuaranteedRef { $0.setResult(context, at: cursor.row) }
        return SQLITE_OK
    })

/// One value of SQLite. For single values and tests: loops over many rows bind and read without it.
package enum SQLiteValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])
}

internal import CSQLite

/// How long bytes that are bound stay valid (https://www.sqlite.org/c3ref/c_static.html).
package enum BindingLifetime: Sendable {
    /// SQLite makes its own copy.
    case copied
    /// The caller keeps the bytes alive until the parameter is bound again or cleared.
    case heldByCaller
}

/// SQLite's sign for "make a copy": the C macro is a cast that Swift does not import.
let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

/// The address of empty data, because SQLite binds null for a null pointer. Never written, so any thread may use it.
nonisolated(unsafe) let emptyDataAddress = UnsafeRawPointer(
    UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1))

extension Statement {
    package var parameterCount: Int { Int(sqlite3_bind_parameter_count(handle)) }

    package func bindNull(at parameter: Int32) throws {
        try check(sqlite3_bind_null(handle, parameter))
    }

    package func bind(_ value: Int64, at parameter: Int32) throws {
        let result = sqlite3_bind_int64(handle, parameter, value)
        if result != SQLITE_OK { try check(result) }
    }

    /// Binds values to the parameters from the first on.
    package func bind(_ values: [Int64]) throws {
        for (index, value) in values.enumerated() { try bind(value, at: Int32(index + 1)) }
    }

    /// SQLite stores no NaN: it becomes null. To store one, the caller binds something else.
    package func bind(_ value: Double, at parameter: Int32) throws {
        let result = sqlite3_bind_double(handle, parameter, value)
        if result != SQLITE_OK { try check(result) }
    }

    package func bind(_ text: String, at parameter: Int32) throws {
        var text = text
        try text.withUTF8 {
            try bind(text: UnsafeRawBufferPointer($0), at: parameter, lifetime: .copied)
        }
    }

    /// Binds UTF-8, which may hold NUL.
    package func bind(
        text: UnsafeRawBufferPointer, at parameter: Int32, lifetime: BindingLifetime
    ) throws {
        let start = (text.baseAddress ?? emptyDataAddress).assumingMemoryBound(to: CChar.self)
        let result = sqlite3_bind_text64(
            handle, parameter, start, UInt64(text.count), lifetime == .copied ? transient : nil,
            UInt8(SQLITE_UTF8))
        if result != SQLITE_OK { try check(result) }
    }

    package func bind(
        blob: UnsafeRawBufferPointer, at parameter: Int32, lifetime: BindingLifetime
    ) throws {
        let result = sqlite3_bind_blob64(
            handle, parameter, blob.baseAddress ?? emptyDataAddress, UInt64(blob.count),
            lifetime == .copied ? transient : nil)
        if result != SQLITE_OK { try check(result) }
    }

    package func bind(_ blob: [UInt8], at parameter: Int32) throws {
        try blob.withUnsafeBytes { try bind(blob: $0, at: parameter, lifetime: .copied) }
    }

    package func bind(_ value: SQLiteValue, at parameter: Int32) throws {
        switch value {
        case .null: try bindNull(at: parameter)
        case .integer(let value): try bind(value, at: parameter)
        case .real(let value): try bind(value, at: parameter)
        case .text(let value): try bind(value, at: parameter)
        case .blob(let value): try bind(value, at: parameter)
        }
    }

    /// Binds a list for `firn_values(?)`. The statement retains the list until the parameter is bound again or cleared.
    package func bind(_ list: ValueList, at parameter: Int32) throws {
        let pointer = Unmanaged.passRetained(list).toOpaque()
        let result = sqlite3_bind_pointer(handle, parameter, pointer, valueListTypeName) {
            guard let pointer = $0 else { return }
            Unmanaged<ValueList>.fromOpaque(pointer).release()
        }
        // SQLite calls the destructor also when the call fails.
        try check(result)
    }
}

internal import CSQLite

/// The arguments of one call of a registered function. Valid during the call.
package struct FunctionArguments {
    package let count: Int
    private let values: UnsafeMutablePointer<OpaquePointer?>?

    init(count: Int32, values: UnsafeMutablePointer<OpaquePointer?>?) {
        self.count = Int(count)
        self.values = values
    }

    package func storageClass(_ index: Int) -> StorageClass {
        StorageClass(rawValue: sqlite3_value_type(values?[index])) ?? .null
    }

    package func isNull(_ index: Int) -> Bool { storageClass(index) == .null }
    package func integer(_ index: Int) -> Int64 { sqlite3_value_int64(values?[index]) }
    package func real(_ index: Int) -> Double { sqlite3_value_double(values?[index]) }

    package func textBytes(_ index: Int) -> UnsafeRawBufferPointer {
        let start = sqlite3_value_text(values?[index])
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(values?[index])))
    }

    package func blobBytes(_ index: Int) -> UnsafeRawBufferPointer {
        let start = sqlite3_value_blob(values?[index])
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(values?[index])))
    }

    package func text(_ index: Int) -> String {
        String(decoding: textBytes(index), as: UTF8.self)
    }

    package func value(_ index: Int) -> SQLiteValue {
        switch storageClass(index) {
        case .null: .null
        case .integer: .integer(integer(index))
        case .real: .real(real(index))
        case .text: .text(text(index))
        case .blob: .blob(Array(blobBytes(index)))
        }
    }
}

extension SQLiteValue {
    func setResult(_ context: OpaquePointer?) {
        switch self {
        case .null: sqlite3_result_null(context)
        case .integer(let value): sqlite3_result_int64(context, value)
        case .real(let value): sqlite3_result_double(context, value)
        case .text(var value):
            value.withUTF8 { utf8 in
                let start = UnsafeRawPointer(utf8.baseAddress.map { UnsafeRawPointer($0) } ?? emptyDataAddress)
                sqlite3_result_text64(
                    context, start.assumingMemoryBound(to: CChar.self), UInt64(utf8.count),
                    transient, UInt8(SQLITE_UTF8))
            }
        case .blob(let value):
            value.withUnsafeBytes {
                sqlite3_result_blob64(
                    context, $0.baseAddress ?? emptyDataAddress, UInt64($0.count), transient)
            }
        }
    }
}

/// A value that SQL computes from the arguments of one call.
package typealias ScalarFunction = (FunctionArguments) throws -> SQLiteValue

/// The state of an aggregate function over the rows of a group.
package protocol AggregateState: AnyObject {
    func step(_ arguments: FunctionArguments) throws
    func result() throws -> SQLiteValue
}

/// A value that SQLite keeps by its address.
private final class Box<Value> {
    let value: Value

    init(_ value: Value) { self.value = value }

    static func value(_ pointer: UnsafeMutableRawPointer) -> Value {
        Unmanaged<Box>.fromOpaque(pointer).takeUnretainedValue().value
    }

    static func release(_ pointer: UnsafeMutableRawPointer?) {
        if let pointer { Unmanaged<Box>.fromOpaque(pointer).release() }
    }
}

// Within a structure, a function is stored as it is called. Alone in a box, each call would allocate.
private struct Scalar { let call: ScalarFunction }
private struct Aggregate { let make: () -> any AggregateState }
private struct Collation { let order: CollationOrder }

extension Connection {
    /// Registers a function that gives the same answer for the same arguments
    /// (https://www.sqlite.org/c3ref/create_function.html). `argumentCount` -1 takes any number.
    /// An error that it throws ends the statement with its description.
    package func addFunction(
        _ name: String, argumentCount: Int32, _ function: @escaping ScalarFunction
    ) throws {
        let result = sqlite3_create_function_v2(
            handle, name, argumentCount, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
            Unmanaged.passRetained(Box(Scalar(call: function))).toOpaque(),
            { context, count, values in
                guard let data = sqlite3_user_data(context) else { return }
                report(context) {
                    try Box<Scalar>.value(data).call(FunctionArguments(count: count, values: values))
                }
            }, nil, nil, { Box<Scalar>.release($0) })
        try check(result)
    }

    /// Registers an aggregate function; `make` gives the empty state of a group.
    package func addAggregate(
        _ name: String, argumentCount: Int32, _ make: @escaping () -> any AggregateState
    ) throws {
        let result = sqlite3_create_function_v2(
            handle, name, argumentCount, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
            Unmanaged.passRetained(Box(Aggregate(make: make))).toOpaque(), nil,
            { context, count, values in
                guard let slot = stateSlot(context, create: true),
                    let data = sqlite3_user_data(context)
                else { return sqlite3_result_error_nomem(context) }
                let state = slot.pointee ?? Unmanaged.passRetained(Box(Box<Aggregate>.value(data).make())).toOpaque()
                slot.pointee = state
                do {
                    try Box<any AggregateState>.value(state).step(FunctionArguments(count: count, values: values))
                } catch {
                    sqlite3_result_error(context, "\(error)", -1)
                }
            },
            { context in
                if let slot = stateSlot(context, create: false), let state = slot.pointee {
                    defer { Box<any AggregateState>.release(state) }
                    slot.pointee = nil
                    report(context) { try Box<any AggregateState>.value(state).result() }
                } else if let data = sqlite3_user_data(context) {
                    report(context) { try Box<Aggregate>.value(data).make().result() }
                }
            }, { Box<Aggregate>.release($0) })
        try check(result)
    }
}

private func report(_ context: OpaquePointer?, _ body: () throws -> SQLiteValue) {
    do {
        try body().setResult(context)
    } catch {
        sqlite3_result_error(context, "\(error)", -1)
    }
}

/// Where SQLite stores the state of one group: one pointer, initially null.
private func stateSlot(_ context: OpaquePointer?, create: Bool)
    -> UnsafeMutablePointer<UnsafeMutableRawPointer?>?
{
    let size = create ? Int32(MemoryLayout<UnsafeMutableRawPointer?>.size) : 0
    return sqlite3_aggregate_context(context, size)?
        .assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
}

/// Negative, zero or positive if the first text is before, equal to or after the second.
package typealias CollationOrder = (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Int32

extension Connection {
    /// Registers an order of texts (https://www.sqlite.org/c3ref/create_collation.html). It must be a total order and
    /// must never change, because indexes are built with it.
    package func addCollation(_ name: String, _ order: @escaping CollationOrder) throws {
        let box = Unmanaged.passRetained(Box(Collation(order: order)))
        let result = sqlite3_create_collation_v2(
            handle, name, SQLITE_UTF8, box.toOpaque(),
            { data, leftCount, left, rightCount, right in
                guard let data else { return 0 }
                return Box<Collation>.value(data).order(
                    UnsafeRawBufferPointer(start: left, count: Int(leftCount)),
                    UnsafeRawBufferPointer(start: right, count: Int(rightCount)))
            }, { Box<Collation>.release($0) })
        // Unlike for functions, SQLite does not call the destructor when this call fails.
        if result != SQLITE_OK { box.release() }
        try check(result)
    }
}

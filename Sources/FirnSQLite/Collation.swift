internal import CSQLite

/// Negative, zero or positive if the first text is before, equal to or after the second.
package typealias CollationOrder = (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Int32

private final class CollationBox {
    let order: CollationOrder
    init(_ order: @escaping CollationOrder) { self.order = order }
}

extension Connection {
    /// Registers an order of texts (https://www.sqlite.org/c3ref/create_collation.html). It must be a total order and
    /// must never change, because indexes are built with it.
    package func addCollation(_ name: String, _ order: @escaping CollationOrder) throws {
        let box = Unmanaged.passRetained(CollationBox(order))
        let result = sqlite3_create_collation_v2(
            handle, name, SQLITE_UTF8, box.toOpaque(),
            { data, leftCount, left, rightCount, right in
                guard let data else { return 0 }
                return Unmanaged<CollationBox>.fromOpaque(data).takeUnretainedValue().order(
                    UnsafeRawBufferPointer(start: left, count: Int(leftCount)),
                    UnsafeRawBufferPointer(start: right, count: Int(rightCount)))
            },
            { if let data = $0 { Unmanaged<CollationBox>.fromOpaque(data).release() } })
        // Unlike for functions, SQLite does not call the destructor when this call fails.
        if result != SQLITE_OK { box.release() }
        try check(result)
    }
}

import CPostgres

/// The rows that a statement gave, in binary form.
final class PostgresRows {
    private let functions: libpq
    private let result: OpaquePointer
    let count: Int

    /// Takes the result over.
    init(_ functions: libpq, _ result: OpaquePointer) {
        self.functions = functions
        self.result = result
        count = Int(functions.PQntuples(result))
    }

    var isEmpty: Bool { count == 0 }

    deinit { functions.PQclear(result) }

    func isNull(_ row: Int, _ column: Int) -> Bool {
        functions.PQgetisnull(result, Int32(row), Int32(column)) != 0
    }

    /// The bytes of a value; they are valid for as long as the rows are.
    func bytes(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer {
        let size = functions.PQgetlength(result, Int32(row), Int32(column))
        return UnsafeRawBufferPointer(
            start: functions.PQgetvalue(result, Int32(row), Int32(column)), count: Int(size))
    }

    /// An integer of two, four or eight bytes, high byte first; a Boolean is 0 or 1; a null is 0.
    func integer(_ row: Int, _ column: Int) -> Int64 {
        let bytes = bytes(row, column)
        guard let first = bytes.first else { return 0 }
        // A Boolean's byte has no sign to spread.
        return bytes.dropFirst().reduce(Int64(Int8(bitPattern: first))) { $0 << 8 | Int64($1) }
    }

    func text(_ row: Int, _ column: Int) -> String { String(decoding: bytes(row, column), as: UTF8.self) }
}

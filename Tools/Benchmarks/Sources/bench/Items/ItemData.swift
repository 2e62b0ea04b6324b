/// The values of `item`, an entity of ten integers: the same for every side, made without a generator's state.
enum ItemData {
    static let columns = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"]

    /// The value of a column of row `row`, counted from 0. Small and large numbers, some negative.
    @inline(__always) static func value(_ row: Int, _ column: Int) -> Int64 {
        let mixed = UInt64(row &* 10 &+ column &+ 1) &* 0x9E37_79B9_7F4A_7C15
        return Int64(bitPattern: mixed) >> Int64(20 + column * 4)
    }

    static let createTable = "CREATE TABLE item (id INTEGER PRIMARY KEY, \(columnList))"
    static let columnList = columns.joined(separator: ", ")
    static let insert =
        "INSERT INTO item (\(columnList)) VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))"
    static let select = "SELECT \(columnList) FROM item"
}

/// The values of `product`, a simple model: a name, two numbers and a flag. The same for every side.
enum ProductData {
    /// How many there are in the full workload.
    static let count = 100_000

    static func name(_ row: Int) -> String { "product \(ItemData.value(row, 0) & 0xFFFF)" }
    static func number(_ row: Int) -> Int { row }
    static func price(_ row: Int) -> Double { Double(ItemData.value(row, 4) & 0xFFFFF) / 100 }
    static func isActive(_ row: Int) -> Bool { ItemData.value(row, 5) & 1 == 0 }

    /// The products of a price of more than this are about half of them.
    static let middlePrice = 5_242.88

    static let createTable = """
        CREATE TABLE product (
            id INTEGER PRIMARY KEY, name TEXT NOT NULL, number INTEGER NOT NULL, price REAL NOT NULL,
            isActive INTEGER NOT NULL)
        """

    /// One number of a product's values.
    static func digest(_ name: String, _ number: Int, _ price: Double, _ isActive: Bool) -> Int64 {
        Int64(name.utf8.count) &+ Int64(number) &* 31 &+ Int64(price * 100) &* 17 &+ (isActive ? 1 : 0)
    }
}

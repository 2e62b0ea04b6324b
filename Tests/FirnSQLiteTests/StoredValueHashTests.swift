import FirnSQLite
import Testing

@Suite("Hashes of stored values")
struct StoredValueHashTests {
    /// One integer has the bytes of the class of texts and of "abcd", in the order of this machine.
    @Test("differ for values of other classes, also where their bytes are the same")
    func classes() throws {
        let values = [
            "3", "0x6463626100000003", "4", "0", "0.0", "-0.0", "'abcd'", "x'61626364'", "''", "x''", "'3'",
            "'abcdefgh'",
        ]
        let connection = try Connection(.memory, mode: .create)
        let hashes = try values.map { value in
            // -0.0 is 0.0 where SQL says it: the bits come from a product.
            let sql = "SELECT \(value == "-0.0" ? "-1.0 * 0.0" : value)"
            return try connection.withStatement(sql) { statement in
                var hasher = StoredValueHasher()
                let isThere = try statement.step() && statement.hash(0, into: &hasher)
                #expect(isThere)
                return hasher.value
            }
        }
        #expect(Set(hashes).count == values.count)
    }
}

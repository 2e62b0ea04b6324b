import FirnLog
import Testing

@Suite("A column")
struct ColumnTests {
    @Test("of one number, or of two, is the same however it was made", arguments: [1, 2])
    func columns(_ count: Int) {
        var integers = Column(.integer)
        var reals = Column(.real)
        for _ in 0..<count {
            integers.append(7 as Int64)
            reals.append(0.5 as Double)
        }
        #expect(integers == Column(values: .integers(Array(repeating: 7, count: count))))
        #expect(reals == Column(values: .reals(Array(repeating: 0.5, count: count))))
        #expect(integers.values == .integers(Array(repeating: 7, count: count)))
        #expect(reals.values == .reals(Array(repeating: 0.5, count: count)))
        integers.appendNull()
        #expect(integers[count] == .null && integers[count - 1] == .integer(7) && integers.count == count + 1)
    }
}

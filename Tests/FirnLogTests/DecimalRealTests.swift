import FirnLog
import TestSupport
import Testing

@Suite("Reals that are decimals")
struct DecimalRealTests {
    /// The bytes of the frame of an update of one column.
    private func size(new: [Double], old: [Double]) throws -> Int64 {
        let log = try SegmentLog.create(
            directory: "/log", storeID: Samples.storeID, fileSystem: MemoryFileSystem(), date: Samples.date)
        let group = ChangeGroup(
            entity: EntityNumber(1), operation: .update, primaryKeys: Array(1...Int64(new.count)), slots: [0],
            new: [column(new)], old: [column(old)])
        let body = LogRecord.Body.changes(ChangeSet(model: 1, groups: [group]))
        try log.save(body)
        #expect(try log.all().map(\.body) == [body])
        return try log.statistics().frameSize
    }

    private func column(_ values: [Double]) -> Column {
        var column = Column(.real)
        for value in values { column.append(.real(value)) }
        return column
    }

    /// Nothing that zstd finds in them repeats.
    private let prices: [Double] = {
        var random = SeededGenerator(seed: 4)
        return (0..<64).map { _ in Double(random.next() % 1_000_000) / 100 }
    }()

    @Test("take three bytes rather than eight")
    func alone() throws {
        let scattered = prices.map { $0 * .pi }
        let plain = try size(new: scattered, old: scattered.map { $0 * 1.1 })
        let decimal = try size(new: prices, old: prices.reversed())
        #expect(decimal + 64 * 8 < plain, "\(decimal) and \(plain) bytes")
    }

    @Test("are told against the new values, of another exponent too")
    func differences() throws {
        let apart = try size(new: prices, old: prices.reversed())
        #expect(try size(new: prices, old: prices.map { (($0 * 100).rounded() + 1) / 100 }) + 64 < apart)
        #expect(try size(new: prices.map { $0.rounded() }, old: prices.map { $0.rounded() + 0.125 }) + 64 < apart)
    }

    @Test(
        "come back bit for bit where a decimal is not quite one",
        arguments: [
            [0.1 + 0.2, 0.3], [-0.0, 0.5], [.infinity, 0.5], [0x1p53, 0x1p53 + 2], [0x1p53 - 1, 0.25], [0x1p-1074, 0.1],
            [9_007_199_254_740.993, 0.001], [-1.1, 1e22], [1e-9, 123_456_789.987_654_321], [4.35, 4.349999999999999],
        ])
    func edges(values: [Double]) throws {
        _ = try size(new: values, old: values.reversed())
        _ = try size(new: values.map { -$0 }, old: values)
    }
}

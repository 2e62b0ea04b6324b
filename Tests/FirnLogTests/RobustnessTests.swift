import FirnLog
import TestSupport
import Testing

/// Bytes that no writer wrote.
@Suite("A payload of any bytes")
struct RobustnessTests {
    private func read(_ payload: [UInt8], kind: FrameKind) -> LogRecord? {
        try? LogRecord(decoding: payload, kind: kind, sequence: 1, date: 0)
    }

    @Test("is a record or an error, never a trap", arguments: 1...6 as ClosedRange<UInt64>)
    func changedBytes(seed: UInt64) throws {
        var maker = ChangeSetMaker(seed: seed)
        for round in 0..<40 {
            let record = LogRecord(
                sequence: 1, header: Samples.header(), body: .changes(maker.changeSet()))
            let payload = record.payload()
            let whole = try #require(read(payload, kind: .changes), "seed \(seed), round \(round)")
            #expect(whole.body == record.body, "seed \(seed), round \(round)")
            for _ in 0..<60 {
                var changed = payload
                for _ in 0...maker.upTo(3) {
                    changed[maker.upTo(changed.count - 1)] = UInt8(truncatingIfNeeded: maker.random.next())
                }
                _ = read(changed, kind: [.model, .changes, .reservation][maker.upTo(2)])
            }
        }
    }

    @Test("that ends early is an error", arguments: [1, 2] as [UInt64])
    func everyTruncation(seed: UInt64) {
        var maker = ChangeSetMaker(seed: seed)
        let bodies: [LogRecord.Body] = [.changes(maker.changeSet()), .model(Samples.model)]
        for body in bodies {
            let payload = LogRecord(sequence: 1, header: Samples.header(), body: body).payload()
            let kind: FrameKind = if case .model = body { .model } else { .changes }
            for count in 0..<min(payload.count, 3000) {
                #expect(read(Array(payload[..<count]), kind: kind) == nil, "\(count) bytes of \(kind)")
            }
        }
    }

    @Test("may not ask for much more memory than it has bytes")
    func hugeCounts() {
        var payload = LogRecord(
            sequence: 1, header: TransactionHeader(date: 0, id: TransactionID(high: 0, low: 0)),
            body: .changes(ChangeSet(model: 1))
        ).payload()
        payload.removeLast(2)
        // One group of 2^40 rows with constant keys.
        payload += [1, 1, 1, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20, 1, 0, 0, 0]
        #expect(read(payload, kind: .changes) == nil)
    }

    @Test("holds a million equal rows all the same")
    func manyEqualRows() throws {
        var column = Column(.integer)
        for _ in 0..<2_000_000 { column.append(0 as Int64) }
        let keys = Array(1...Int64(column.count))
        let slots = Array(UInt16(0)..<4)
        let group = ChangeGroup(
            entity: EntityNumber(1), operation: .insert, primaryKeys: keys, slots: slots,
            new: slots.map { _ in column })
        let record = LogRecord(
            sequence: 1, header: Samples.header(), body: .changes(ChangeSet(model: 1, groups: [group])))
        #expect(read(record.payload(), kind: .changes)?.body == record.body)
    }
}

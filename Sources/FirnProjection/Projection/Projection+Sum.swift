internal import Dispatch
package import FirnLog
internal import FirnSQLite
internal import Synchronization

extension Projection {
    /// Whether the tables are those that the records of a log make up to one of them, which they have. `expected` gets
    /// what of them is not the model's. Nil where sums cannot say, or if the tables have other records by then:
    /// `firstDifference(from:)` can say more.
    ///
    /// The tables are read while the log is, by two threads. Complexity: O(rows + records), with one of each in memory,
    /// and four bytes for each key.
    package func hasSum(
        of log: SegmentLog, through last: SequenceNumber, in expected: Projection, each: (LogRecord) throws -> Void
    ) throws -> Bool? {
        let writer = SumWriter(expected.layout)
        let isUseless = Atomic(false)
        let isRead = DispatchSemaphore(value: 0)
        let found = Mutex((own: "", sum: TableSum?.none))
        DispatchQueue.global().async { [self] in
            // Tables that cannot be read are for the comparison of rows to report.
            let (own, sum) = (try? read { reader in
                let isAtLast = try reader.checkpoint == last
                let sum = isAtLast ? try reader.sum { isUseless.load(ordering: .relaxed) } : nil
                return (try reader.dumpOwn(), sum)
            }) ?? ("", nil)
            found.withLock { $0 = (own, sum) }
            isRead.signal()
        }
        let made = Result { try expected.add(log, through: last, to: writer, each: each) }
        if case .failure = made { isUseless.store(true, ordering: .relaxed) }
        isRead.wait()
        do { try made.get() } catch is SumWriter.Unknown { return nil }
        let (own, sum) = found.withLock { $0 }
        guard let sum else { return nil }
        return try sum == writer.total && own == expected.read { try $0.dumpOwn() }
    }
}

extension ProjectionReader {
    /// The sum of the model's tables; nil once it is useless.
    fileprivate func sum(_ isUseless: () -> Bool) throws -> TableSum? {
        var sum = TableSum()
        for (number, table) in layout.dumpedModelTables.enumerated() {
            let isLink = number >= layout.tables.count
            let statement = try connection.prepare(table.sql)
            let columns = (0..<Int32(statement.columnCount)).map { TableSum.hasher(number, Int($0)) }
            var untilLook = 0
            while try statement.step() {
                untilLook = (untilLook + 1) % 4_096
                if untilLook == 0, isUseless() { return nil }
                if isLink {
                    var hasher = columns[0]
                    for column in 0..<Int32(columns.count) { _ = statement.hash(column, into: &hasher) }
                    sum.add(hasher)
                    continue
                }
                let key = statement.integer(0)
                for column in 1..<columns.count {
                    var hasher = columns[column]
                    hasher.combine(key)
                    if statement.hash(Int32(column), into: &hasher) { sum.add(hasher) }
                }
            }
        }
        return sum
    }
}

internal import Dispatch
package import FirnLog
internal import FirnSQLite
internal import Synchronization

extension Projection {
    /// Whether the tables are those that the records of a log make up to `last`, which they have. `feed` calls its
    /// argument with every record of the log, from the first on. `expected` gets what of the tables is not the model's.
    /// Nil where sums cannot say, or if the tables have other records by then: `firstDifference(from:)` can say more.
    ///
    /// The tables are read while `feed` runs, by another thread. Complexity: O(rows + records), with one of each in
    /// memory, and four bytes for each key. Throws what `feed` throws.
    package func hasSum(
        through last: SequenceNumber, in expected: Projection,
        feed: (_ apply: @escaping (LogRecord) -> Void) throws -> Void
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
        var failure: (any Error)?
        do {
            try expected.add(to: writer) { apply in
                do {
                    try withoutActuallyEscaping(apply) { apply in
                        try feed { record in
                            guard record.sequence <= last, !isUseless.load(ordering: .relaxed) else { return }
                            do { try apply(record) } catch { isUseless.store(true, ordering: .relaxed) }
                        }
                    }
                } catch {
                    failure = error
                }
                if failure != nil || isUseless.load(ordering: .relaxed) { throw SumWriter.Unknown() }
            }
        } catch {
            isUseless.store(true, ordering: .relaxed)
        }
        isRead.wait()
        if let failure { throw failure }
        let (own, sum) = found.withLock { $0 }
        guard let sum, !isUseless.load(ordering: .relaxed) else { return nil }
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
                    sum.add(hasher.value)
                    continue
                }
                let key = statement.integer(0)
                for column in 1..<columns.count {
                    var hasher = columns[column]
                    hasher.combine(stored: key)
                    if statement.hash(Int32(column), into: &hasher) { sum.add(hasher.value) }
                }
            }
        }
        return sum
    }
}

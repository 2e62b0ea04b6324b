import FirnLog
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("Threads that share the syncs of a log")
struct SharedSyncTests {
    private let files = GatedFileSystem()
    private let log: SegmentLog

    init() throws {
        log = try SegmentLog.create(
            directory: "/log", storeID: Samples.storeID, fileSystem: files, date: Samples.date)
        try log.save(Samples.oneNote(1))
    }

    /// What became of threads that each wait for a record.
    private final class Waiting: Sendable {
        private let group = DispatchGroup()
        private let errors = Mutex<[SequenceNumber: LogError?]>([:])

        func start(_ log: SegmentLog, _ sequence: SequenceNumber) {
            group.enter()
            Thread.detachNewThread { [self] in
                var failure: LogError?
                do { try log.sync(through: sequence) } catch { failure = error as? LogError }
                errors.withLock { $0[sequence] = .some(failure) }
                group.leave()
            }
        }

        /// Of each record, the error that its thread got.
        func outcomes() throws -> [SequenceNumber: LogError.Code?] {
            try group.waitForAll()
            return errors.withLock { $0.mapValues { $0?.code } }
        }
    }

    private func append(_ keys: ClosedRange<Int64>) throws {
        try log.exclusively {
            for key in keys { try log.append(Samples.oneNote(key), header: Samples.header(UInt64(key))) }
        }
    }

    /// One thread syncs record 2, and is stopped there; four others wait for what was appended since.
    private func begin() throws -> Waiting {
        let waiting = Waiting()
        try append(2...2)
        files.syncs.close()
        waiting.start(log, 2)
        try files.syncs.waitForArrival()
        try append(3...6)
        for sequence in 3...6 as ClosedRange<UInt64> { waiting.start(log, SequenceNumber(sequence)) }
        return waiting
    }

    @Test("are all served by the sync after the one that runs")
    func oneSync() throws {
        let waiting = try begin()
        let before = files.syncs.count
        #expect(log.durableThrough == 1)
        files.syncs.open()
        #expect(try waiting.outcomes() == [2: nil, 3: nil, 4: nil, 5: nil, 6: nil])
        #expect(files.syncs.count == before + 1 && log.durableThrough == 6)
    }

    @Test("go on sharing them when they come back", arguments: [2, 8])
    func again(threads: Int) throws {
        let group = DispatchGroup()
        let failures = Mutex<[any Error]>([])
        for thread in 0..<threads {
            group.enter()
            Thread.detachNewThread { [log] in
                for count in 0..<200 {
                    do {
                        let sequence = try log.save(Samples.oneNote(Int64(thread * 1000 + count)))
                        if log.durableThrough < sequence { throw LogError(.ioFailed, "\(sequence) is not durable") }
                    } catch {
                        failures.withLock { $0.append(error) }
                    }
                }
                group.leave()
            }
        }
        try group.waitForAll()
        failures.withLock { #expect($0.isEmpty) }
        #expect(try log.all().count == 1 + 200 * threads)
    }

    @Test("all hear of a sync that fails, and of none that would have followed")
    func failure() throws {
        let waiting = try begin()
        files.isBroken.store(true, ordering: .releasing)
        files.syncs.open()
        let outcomes = try waiting.outcomes()
        #expect(outcomes[2] == .ioFailed)
        #expect((3...6).allSatisfy { outcomes[SequenceNumber($0)] == .poisoned })
        #expect(log.durableThrough == 1)
    }

    @Test("end when the log is closed")
    func closing() throws {
        let waiting = try begin()
        log.close()
        files.syncs.open()
        let outcomes = try waiting.outcomes()
        #expect(outcomes.count == 5 && outcomes.values.allSatisfy { $0 == nil || $0 == .closed })
    }

    @Test("do not keep those waiting who look for records while one is being written")
    func reading() throws {
        let written = DispatchGroup()
        written.enter()
        files.writes.close()
        Thread.detachNewThread { [log] in
            _ = try? log.save(Samples.oneNote(2))
            written.leave()
        }
        try files.writes.waitForArrival()
        #expect(try log.refresh() == 1)
        files.writes.open()
        try written.waitForAll()
        try log.save(Samples.oneNote(3))
        #expect(try log.all().map(\.sequence) == [1, 2, 3])
    }
}

import FirnLog
import Foundation
import Synchronization
import TestSupport
import Testing

/// Threads that each commit a note to a log. Note 2 is written, and its sync stopped; notes 3 to 6 wait for that, of
/// which note 4 is not to be written any more.
final class Committing: Sendable {
    enum Outcome: Equatable {
        case committed(Bool)
        case failed(LogError.Code?)
    }

    private let group = DispatchGroup()
    private let found = Mutex<[Int64: Outcome]>([:])

    init(_ log: SegmentLog, _ files: GatedFileSystem) throws {
        let records = try (2...6 as ClosedRange<Int64>).map { key in
            try #require(
                log.prepare(
                    Samples.oneNote(key, title: Self.title(key)), header: Samples.header(UInt64(key))))
        }
        files.syncs.close()
        start(log, records[0], 2)
        try files.syncs.waitForArrival()
        for key in 3...6 as ClosedRange<Int64> { start(log, records[Int(key) - 2], key) }
        try waitUntil { log.waitingCommits >= 4 }
    }

    /// Text that does not get smaller.
    private static func title(_ key: Int64) -> String {
        var random = SeededGenerator(seed: UInt64(key))
        return String((0..<Int(key) * 40).map { _ in Character(UnicodeScalar(UInt8(random.next() % 94 + 33))) })
    }

    private func start(_ log: SegmentLog, _ record: PreparedRecord, _ key: Int64) {
        group.enter()
        Thread.detachNewThread { [self] in
            let outcome: Outcome
            do {
                outcome = .committed(try log.commit(record) { _ in key != 4 } completion: { _ in })
            } catch {
                outcome = .failed((error as? LogError)?.code)
            }
            found.withLock { $0[key] = outcome }
            group.leave()
        }
    }

    func outcomes() throws -> [Int64: Outcome] {
        try group.waitForAll()
        return found.withLock { $0 }
    }
}

extension SegmentLog {
    /// The notes that are there.
    func notes() throws -> Set<Int64> {
        Set(
            try all().flatMap { record -> [Int64] in
                guard case .changes(let changes) = record.body else { return [] }
                return changes.groups.flatMap(\.primaryKeys)
            })
    }
}

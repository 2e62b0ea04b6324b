import FirnLog
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("Threads that save while their log is closed")
struct ClosingTests {
    private static let threads = 4
    /// At each of them, threads wait at another place.
    private static let rounds = 300

    /// What the threads hear that run `save` again and again, when the log is closed after so many records.
    private func outcomes(
        _ round: Int, _ save: @escaping @Sendable (SegmentLog, Int64) throws -> Void
    ) throws -> [LogError.Code?] {
        let log = try SegmentLog.create(
            directory: "/log", storeID: Samples.storeID, options: LogOptions(segmentSize: 1 << 20),
            fileSystem: GatedFileSystem(yields: 10), date: Samples.date)
        let group = DispatchGroup()
        let codes = Mutex<[LogError.Code?]>([])
        for thread in 1...Int64(Self.threads) {
            group.enter()
            Thread.detachNewThread {
                do {
                    while true { try save(log, thread) }
                } catch {
                    codes.withLock { $0.append((error as? LogError)?.code) }
                    group.leave()
                }
            }
        }
        try waitUntil { log.head.rawValue >= UInt64(round % 50) }
        log.close()
        try group.waitForAll()
        return codes.withLock { $0 }
    }

    @Test("all hear of it, wherever they wait for a sync")
    func syncing() throws {
        for round in 0..<Self.rounds {
            let outcomes = try outcomes(round) { log, key in try log.save(Samples.oneNote(key)) }
            #expect(outcomes == Array(repeating: .closed, count: Self.threads), "round \(round)")
        }
    }
}

import FirnLog
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("Threads that commit prepared records to a log")
struct CommitTests {
    private let files = GatedFileSystem()
    private let log: SegmentLog

    init() throws {
        log = try SegmentLog.create(
            directory: "/log", storeID: Samples.storeID, fileSystem: files, date: Samples.date)
        try log.save(.model(Samples.model))
    }

    private func begin() throws -> Committing { try Committing(log, files) }

    @Test("each get their own outcome, and what is to be written is durable then, by one write and one sync")
    func outcomes() throws {
        let committing = try begin()
        let (writes, syncs) = (files.writes.count, files.syncs.count)
        files.syncs.open()
        #expect(
            try committing.outcomes() == [
                2: .committed(true), 3: .committed(true), 4: .committed(false), 5: .committed(true),
                6: .committed(true),
            ])
        #expect(files.writes.count == writes + 1 && files.syncs.count == syncs + 1)
        #expect(log.durableThrough == 5)
        #expect(try log.notes() == [2, 3, 5, 6])
        #expect(try log.verify().isSound)
    }

    @Test("all hear of a sync that fails")
    func failure() throws {
        let committing = try begin()
        files.isBroken.store(true, ordering: .releasing)
        files.syncs.open()
        let outcomes = try committing.outcomes()
        #expect(outcomes[2] == .failed(.ioFailed))
        #expect([3, 4, 5, 6].allSatisfy { outcomes[$0] == .failed(.poisoned) })
        #expect(log.durableThrough == 1)
    }

    @Test("end when the log is closed")
    func closing() throws {
        let committing = try begin()
        log.close()
        files.syncs.open()
        let outcomes = try committing.outcomes()
        #expect(
            outcomes.count == 5
                && outcomes.values.allSatisfy {
                    [.committed(true), .committed(false), .failed(.closed)].contains($0)
                })
    }

    @Test("write each record once, and all of them, when they come back again and again", arguments: [1, 2, 8])
    func again(threads: Int) throws {
        let group = DispatchGroup()
        let failures = Mutex<[any Error]>([])
        let places = Mutex<[SequenceNumber]>([])
        for thread in 0..<threads {
            group.enter()
            Thread.detachNewThread { [log] in
                for count in 0..<200 {
                    let key = Int64(2 + thread * 1000 + count)
                    do {
                        guard let record = log.prepare(Samples.oneNote(key), header: Samples.header(UInt64(key))) else {
                            throw LogError(.refused, "\(key) was not prepared")
                        }
                        let place = Mutex<SequenceNumber>(.zero)
                        let isWritten = try log.commit(record) { _ in true } completion: { mark in
                            place.withLock { $0 = mark.head }
                        }
                        let sequence = place.withLock { $0 }
                        if !isWritten || log.durableThrough < sequence {
                            throw LogError(.ioFailed, "\(key) is not durable")
                        }
                        places.withLock { $0.append(sequence) }
                    } catch {
                        failures.withLock { $0.append(error) }
                    }
                }
                group.leave()
            }
        }
        try group.waitForAll()
        failures.withLock { #expect($0.isEmpty) }
        #expect(Set(places.withLock { $0 }).count == 200 * threads)
        #expect(try log.notes().count == 200 * threads)
        #expect(try log.verify().isSound)
    }

    @Test("read the same when the segment got another dictionary since they were prepared")
    func otherDictionary() throws {
        let title = "the title of a note number "
        #expect(try log.adopt(dictionary: Array(title.utf8)))
        let body = Samples.oneNote(2, title: title + "2")
        let record = try #require(log.prepare(body, header: Samples.header(2)))
        #expect(try log.adopt(dictionary: Array("another one altogether, and longer".utf8)))
        #expect(try log.commit(record) { $0 == 1 } completion: { _ in })
        #expect(try log.record(at: 2).body == body)
        #expect(try log.verify().isSound)
    }

    @Test("are told to append large records with the lock held")
    func large() throws {
        let text = String(repeating: "x", count: 70_000)
        #expect(log.prepare(Samples.oneNote(2, title: text), header: Samples.header(2)) == nil)
    }
}

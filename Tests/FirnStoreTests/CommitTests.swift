import FirnLog
import FirnStore
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("Transactions that are committed at the same time")
struct CommitTests {
    private let directory: TemporaryDirectory
    private let files = GatedFileSystem()
    private let store: PlainStore

    init() throws {
        directory = try TemporaryDirectory()
        store = try PlainStore(directory.path + "/Notes.sqlite", on: files)
        #expect(store.commit(try store.insertion("one")) == .committed)
        #expect(store.commit(try store.insertion("two")) == .committed)
    }

    private func begin(_ transactions: [PreparedTransaction]) throws -> Savers {
        try Savers(store, files, transactions)
    }

    private func outcomes(_ transactions: PreparedTransaction...) throws -> [PlainStore.Outcome] {
        let savers = try begin(transactions)
        files.syncs.open()
        return try savers.outcomes()
    }

    @Test("those that wait share one write and one sync, and are durable then")
    func together() throws {
        let savers = try begin(["three", "four", "five", "six"].map { try store.insertion($0) })
        let (writes, syncs) = (files.writes.count, files.syncs.count)
        files.syncs.open()
        #expect(try savers.outcomes() == [.committed, .committed, .committed, .committed])
        #expect(files.writes.count == writes + 1 && files.syncs.count == syncs + 1)
        #expect(store.engine.log.durableThrough == store.engine.log.head)
        #expect(try store.titles() == [1: "one", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six"])
        #expect(try LogMaintenance(store.engine.log).verify().isSound)
    }

    @Test("one that waits alone is written too")
    func alone() throws {
        #expect(try outcomes(store.insertion("three"), store.insertion("four")) == [.committed, .committed])
    }

    @Test("two that change other rows both stand")
    func otherRows() throws {
        #expect(
            try outcomes(store.insertion("three"), store.update(1, "ONE"), store.update(2, "TWO"))
                == [.committed, .committed, .committed])
        #expect(try store.titles() == [1: "ONE", 2: "TWO", 3: "three"])
    }

    @Test("of two that change the same row the later one is a conflict, also when both wait")
    func sameRow() throws {
        #expect(
            try outcomes(
                store.update(1, "first"), store.update(1, "second"), store.update(2, "a"), store.update(2, "b"))
                == [.committed, .conflict, .committed, .conflict])
        #expect(try store.titles() == [1: "first", 2: "a"])
        #expect(try store.cachedTitles() == [1: "first", 2: "a"])
    }

    @Test("one that waits is compared with each before it, and not with the last alone")
    func rowBefore() throws {
        #expect(
            try outcomes(
                store.insertion("three"), store.update(1, "first"), store.update(2, "TWO"), store.update(1, "second"))
                == [.committed, .committed, .committed, .conflict])
        #expect(try store.titles() == [1: "first", 2: "TWO", 3: "three"])
    }

    @Test("a change of a row that another one deletes is a conflict")
    func deleted() throws {
        #expect(
            try outcomes(store.insertion("three"), store.deletion(1), store.update(1, "late"), store.deletion(1))
                == [.committed, .committed, .conflict, .conflict])
        #expect(try store.titles() == [2: "two", 3: "three"])
    }

    @Test("one that needs a row which another one deletes is a conflict, also when both wait")
    func needed() throws {
        #expect(
            try outcomes(store.insertion("three"), store.deletion(1), store.insertion(["next to it"], requiring: 1))
                == [.committed, .committed, .conflict])
    }

    @Test("of two that looked for the same value the later one is a conflict")
    func sameValue() throws {
        #expect(
            try outcomes(
                store.insertion("three"), store.insertion("new", isUnique: true),
                store.insertion("new", isUnique: true), store.insertion("newer", isUnique: true))
                == [.committed, .committed, .conflict, .committed])
        #expect(Set(try store.titles().values) == ["one", "two", "three", "new", "newer"])
    }

    @Test("each value that one looked for is looked up again, and not the first alone")
    func severalValues() throws {
        let both = try store.insertion(["new", "newer"], isUnique: true)
        #expect(store.commit(try store.insertion("newer")) == .committed)
        #expect(store.commit(both) == .conflict)
    }

    @Test("a reservation of keys is durable, and the rows of those before and behind it are in the tables at once")
    func reservation() throws {
        for round in 0..<20 {
            #expect(store.commit(try store.insertion("before \(round)")) == .committed)
            try store.reserveKey()
            #expect(store.engine.log.durableThrough == store.engine.log.head)
            #expect(store.commit(try store.insertion("behind \(round)")) == .committed)
            #expect(try store.titles().count == 2 * round + 4)
        }
    }

    @Test("a large one among small ones is committed, and so are they")
    func large() throws {
        let text = String(repeating: "much ", count: 100_000)
        #expect(
            try outcomes(
                store.insertion("three"), store.insertion("four"), store.insertion(text), store.insertion("five"))
                == [.committed, .committed, .committed, .committed])
        #expect(Set(try store.titles().values) == ["one", "two", "three", "four", "five", text])
    }

    @Test("all of them are told of a sync that fails")
    func failure() throws {
        let savers = try begin(["three", "four", "five"].map { try store.insertion($0) })
        files.isBroken.store(true, ordering: .releasing)
        files.syncs.open()
        #expect(try savers.outcomes() == [.failed(.ioFailed), .failed(.poisoned), .failed(.poisoned)])
    }

    @Test("each of them ends when the store is closed")
    func closing() throws {
        let savers = try begin(["three", "four", "five"].map { try store.insertion($0) })
        store.engine.close()
        files.syncs.open()
        let outcomes = try savers.outcomes()
        #expect(outcomes.count == 3 && outcomes.allSatisfy { $0 == .committed || $0 == .failed(.closed) })
    }

    @Test("each of them ends when the store is closed before the thread that was to write them has begun")
    func closingAtOnce() throws {
        for round in 1...20 {
            let files = GatedFileSystem()
            let store = try PlainStore("\(directory.path)/\(round).sqlite", on: files)
            let transactions = try ["one", "two", "three"].map { try store.insertion($0) }
            let savers = try Savers(store, files, transactions) { store.engine.close() }
            files.syncs.open()
            let outcomes = try savers.outcomes()
            #expect(outcomes.count == 3 && outcomes.allSatisfy { $0 == .committed || $0 == .failed(.closed) })
        }
    }

    @Test("each is written once when threads come back again and again", arguments: [1, 2, 8])
    func again(threads: Int) throws {
        let failures = Mutex<[String]>([])
        runThreads(threads) { [store] thread in
            for count in 0..<100 {
                do {
                    let outcome = store.commit(try store.insertion("\(thread) \(count)"))
                    if outcome != .committed { failures.withLock { $0.append("\(thread) \(count): \(outcome)") } }
                } catch {
                    failures.withLock { $0.append("\(thread) \(count): \(error)") }
                }
            }
        }
        #expect(failures.withLock { $0 } == [])
        let expected = (0..<threads).flatMap { thread in (0..<100).map { "\(thread) \($0)" } } + ["one", "two"]
        #expect(try store.engine.log.titles() == Set(expected))
        #expect(store.engine.log.head.rawValue == UInt64(expected.count + 1), "no record is there twice")
    }

    @Test("a store in memory has the rows of each in its tables")
    func memory() throws {
        let store = try PlainStore(nil)
        #expect(store.commit(try store.insertion("one")) == .committed)
        #expect(store.commit(try store.update(1, "ONE")) == .committed)
        #expect(try store.titles() == [1: "ONE"])
    }
}

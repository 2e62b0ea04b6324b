import FirnLog
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("Records that go to a shared log together")
struct GroupAppendTests {
    private let server: FolderServer
    private let machine: SharingMachine

    init() throws {
        server = try FolderServer(isFollowed: false)
        machine = try SharingMachine(server.address)
    }

    private var runs: [Int] { server.runs.withLock { $0 } }

    /// Queues records while the first run is on its way to the server; gives them once they are.
    private func queueOnTheWay(_ texts: String...) -> () -> [QueuedAppend] {
        let later = Later()
        server.onAppend.withLock { handler in
            handler = { [machine] isMade in
                guard !isMade, later.queued.withLock({ $0.isEmpty }) else { return }
                let queued = try? machine.queue(texts)
                later.queued.withLock { $0 = queued ?? [] }
            }
        }
        return { later.queued.withLock { $0 } }
    }

    private final class Later: Sendable {
        let queued = Mutex<[QueuedAppend]>([])
    }

    @Test("those that wait at the same time go in one run, in their order")
    func together() throws {
        let queued = try machine.queue("a", "b", "c")
        #expect(queued.map { machine.outcome($0) } == [nil, nil, nil])
        #expect(runs == [3])
        #expect(try server.log().texts() == ["a", "b", "c"])
        #expect(try machine.log.texts() == ["a", "b", "c"])
    }

    @Test("those that come while others are under way go together behind them")
    func behind() throws {
        let later = queueOnTheWay("b", "c")
        let first = try machine.queue("a")
        #expect(machine.outcome(first[0]) == nil)
        #expect(later().map { machine.outcome($0) } == [nil, nil])
        #expect(runs == [1, 2])
        #expect(try machine.log.texts() == ["a", "b", "c"])
    }

    @Test("none is there when another machine was faster, and all may be made behind its record")
    func overtaken() throws {
        let queued = try machine.queue("a", "b", "c")
        try SharingMachine(server.address).save("faster")
        #expect(queued.map { machine.outcome($0) } == [.overtaken, .overtaken, .overtaken])
        #expect(try server.log().texts() == ["faster"])
        #expect(try machine.queue("a", "b", "c").map { machine.outcome($0) } == [nil, nil, nil])
        #expect(try machine.log.texts() == ["faster", "a", "b", "c"])
    }

    @Test("each says whether it is there, once, while the writer's lock is held")
    func landing() throws {
        _ = try machine.queue("a", "b").map { machine.outcome($0) }
        #expect(machine.landed.withLock { $0 } == ["a at 1", "b at 2"])
        let queued = try machine.queue("c", "d")
        try SharingMachine(server.address).save("faster")
        _ = queued.map { machine.outcome($0) }
        #expect(machine.landed.withLock { $0 } == ["a at 1", "b at 2", "c nowhere", "d nowhere"])
    }

    @Test("each knows its own record when the answer is lost")
    func lostAnswer() throws {
        server.set(.losesAnswer)
        let queued = try machine.queue("a", "b", "c")
        let errors = queued.map { machine.error($0) }
        #expect(errors.map { $0?.code } == [.outcomeUnknown, .outcomeUnknown, .outcomeUnknown])
        #expect(errors.map { $0?.sequence } == [1, 2, 3])
        #expect(try machine.log.texts() == [])
        let found = try machine.log.withWriterLock { _ in
            try errors.map { try machine.log.holds($0?.link ?? .zero, at: $0?.sequence ?? .zero) }
        }
        #expect(found == [true, true, true])
    }

    @Test("those behind one that was lost on its way begin again, and nothing is made twice")
    func lostRequest() throws {
        let later = queueOnTheWay("b", "c")
        server.set(.losesRequest)
        #expect(try machine.queue("a").map { machine.outcome($0) } == [.outcomeUnknown])
        #expect(later().map { machine.outcome($0) } == [.overtaken, .overtaken])
        #expect(try machine.queue("b", "c").map { machine.outcome($0) } == [nil, nil])
        #expect(try server.log().texts() == ["b", "c"])
    }

    @Test("a record that goes alone waits for those that are queued")
    func alone() throws {
        let queued = try machine.queue("a", "b")
        try machine.save("c")
        #expect(runs == [2, 1])
        #expect(queued.map { machine.outcome($0) } == [nil, nil])
        #expect(try machine.log.texts() == ["a", "b", "c"])
    }

    @Test("whoever has to read what is queued waits for it, and is told if it was not appended")
    func settling() throws {
        _ = try machine.queue("a")
        try machine.log.withWriterLock(isQueueing: true) { writer in
            #expect(writer.head == 1)
            #expect(machine.log.head == .zero)
            try writer.flush()
            #expect(machine.log.head == 1)
        }
        _ = try machine.queue("b")
        try SharingMachine(server.address).save("faster")
        var heads: [SequenceNumber] = []
        try machine.log.withWriterLock(isQueueing: true) { writer in
            heads.append(writer.head)
            try writer.flush()
        }
        #expect(heads == [2, 2], "once behind the record that is not there, and once behind the other one")
        #expect(try machine.log.texts() == ["a", "faster"])
    }

    @Test("another process on the copy may be faster")
    func otherProcess() throws {
        let other = try SharingMachine(server.address, files: machine.files)
        let queued = try machine.queue("a", "b")
        try other.save("faster")
        #expect(queued.map { machine.outcome($0) } == [.overtaken, .overtaken])
        #expect(try machine.log.texts() == ["faster"])
    }

    @Test("another process on the copy may bring what was appended before its answer is here")
    func broughtByOther() throws {
        let other = try SharingMachine(server.address, files: machine.files)
        server.onAppend.withLock { handler in
            handler = { isMade in if isMade { _ = try? other.log.pullUpstream() } }
        }
        #expect(try machine.queue("a", "b").map { machine.outcome($0) } == [nil, nil])
        #expect(try machine.log.texts() == ["a", "b"])
        #expect(machine.landed.withLock { $0 } == ["a at 1", "b at 2"])
        #expect(try machine.queue("c").map { machine.outcome($0) } == [nil])
        #expect(try server.log().texts() == ["a", "b", "c"])
    }

    @Test("what is queued when the log is closed is told so")
    func closed() throws {
        let queued = try machine.queue("a", "b")
        machine.log.close()
        #expect(machine.outcome(queued[0]) == .closed)
        #expect(machine.outcome(queued[1]) == .closed)
        #expect(try server.log().texts() == [])
    }

    @Test("a run takes so much and no more, and the rest goes with the next one")
    func large() throws {
        let large = LogSamples.noise(3 << 20)
        let queued = try machine.queue("a", large, large, "b")
        #expect(queued.map { machine.outcome($0) } == [nil, nil, nil, nil])
        #expect(runs == [2, 2])
        #expect(try machine.log.texts() == ["a", large, large, "b"])
    }
}

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

    private func found(_ errors: [LogError?]) throws -> [Bool?] {
        try machine.log.exclusively {
            try errors.map { try machine.log.holds($0?.link ?? .zero, at: $0?.sequence ?? .zero) }
        }
    }

    @Test("they go in one run, in their order")
    func together() throws {
        #expect(try machine.append("a", "b", "c") == [nil, nil, nil])
        #expect(server.runs.withLock { $0 } == [3])
        #expect(try server.log().texts() == ["a", "b", "c"])
        #expect(try machine.log.texts() == ["a", "b", "c"])
    }

    @Test("they are made behind the record of a machine that was faster")
    func overtaken() throws {
        try SharingMachine(server.address).save("faster")
        #expect(try machine.append("a", "b", "c") == [nil, nil, nil])
        #expect(try machine.log.texts() == ["faster", "a", "b", "c"])
        #expect(try server.log().texts() == ["faster", "a", "b", "c"])
    }

    @Test("what has appended is not run again when another machine is faster than its next append")
    func overtakenLater() throws {
        let other = try SharingMachine(server.address)
        let (first, second) = (LogSamples.record("first"), LogSamples.record("second"))
        var runs = 0
        let error = #expect(throws: LogError.self) {
            try machine.log.exclusively {
                runs += 1
                try machine.log.append(first.body, header: first.header)
                try other.save("faster")
                try machine.log.append(second.body, header: second.header)
            }
        }
        #expect(error?.code == .overtaken && runs == 1)
        #expect(try server.log().texts() == ["first", "faster"])
    }

    @Test("each knows its own record when the answer is lost")
    func lostAnswer() throws {
        server.set(.losesAnswer)
        let errors = try machine.append("a", "b", "c")
        #expect(errors.map { $0?.code } == [.outcomeUnknown, .outcomeUnknown, .outcomeUnknown])
        #expect(errors.map { $0?.sequence } == [1, 2, 3])
        #expect(try machine.log.texts() == [])
        #expect(try found(errors) == [true, true, true])
    }

    @Test("those that were lost on their way may be made again, and nothing is made twice")
    func lostRequest() throws {
        server.set(.losesRequest)
        let errors = try machine.append("a", "b")
        #expect(errors.map { $0?.code } == [.outcomeUnknown, .outcomeUnknown])
        #expect(try found(errors) == [nil, nil])
        #expect(try machine.append("a", "b") == [nil, nil])
        #expect(try server.log().texts() == ["a", "b"])
    }

    @Test("a server that says again and again that another was faster is refused")
    func stalled() throws {
        server.set(.refuses)
        #expect { try machine.append("a", "b") } throws: { ($0 as? LogError)?.code == .refused }
        #expect(try machine.log.texts() == [])
    }

    @Test("none is appended once the log is closed")
    func closed() throws {
        machine.log.close()
        #expect { try machine.append("a", "b") } throws: { ($0 as? LogError)?.code == .closed }
        #expect(try server.log().texts() == [])
    }

    @Test("large ones go with the others")
    func large() throws {
        let large = LogSamples.noise(3 << 20)
        #expect(try machine.append("a", large, large, "b") == [nil, nil, nil, nil])
        #expect(try machine.log.texts() == ["a", large, large, "b"])
    }
}

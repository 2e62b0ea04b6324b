import Firn
import FirnLog
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("Servers that were set back")
struct SetBackTests {
    private let server: FolderServer
    private let machine: Machine

    /// The machine saves three notes: records 2 to 4, after the model.
    init() throws {
        server = try FolderServer(isFollowed: false)
        machine = try Machine(server.address)
        for text in ["one", "two", "three"] { try machine.note(text) }
    }

    /// The server has the first records only, and these instead of the others.
    private func setBack(to count: Int, and texts: [String] = []) throws {
        let log = try server.log()
        let earlier = try SegmentLog.create(
            directory: "/earlier", storeID: log.storeID, fileSystem: MemoryFileSystem(), date: LogSamples.date)
        for _ in 0..<count { _ = try earlier.append(log.frames(after: earlier.end(), sizeMax: 1)) }
        for text in texts { try earlier.save(text) }
        server.replacement.withLock { $0 = earlier }
    }

    private func failure(_ body: () throws -> Void) -> LogError? {
        do {
            try body()
            return nil
        } catch {
            return (error as NSError).logError ?? error as? LogError
        }
    }

    @Test("a save fails at once and says the last record that both have, what the server lacks and what to do")
    func fewer() throws {
        try setBack(to: 3)
        let error = try #require(failure { try machine.note("four") })
        #expect(error.code == .diverged)
        #expect(error.sequence == 3)
        #expect(error.message.contains("The last record that both have is 3."), "\(error.message)")
        #expect(error.message.contains("The log lacks record 4 of the copy"), "\(error.message)")
        #expect(error.message.contains("remove the copy"), "\(error.message)")
    }

    @Test(
        "a save says which records each side lacks if the server went on",
        arguments: [(["x"], "record 3"), (["x", "y"], "records 3 to 4"), (["x", "y", "z"], "records 3 to 5")])
    func others(_ texts: [String], _ lacking: String) throws {
        try setBack(to: 2, and: texts)
        let error = try #require(failure { try machine.note("four") })
        #expect(error.code == .diverged)
        #expect(error.sequence == 2)
        #expect(error.message.contains("The log lacks records 3 to 4 of the copy"), "\(error.message)")
        #expect(error.message.contains("The copy lacks \(lacking) of the log."), "\(error.message)")
    }

    @Test("a batch request, which goes alone, fails too")
    func batch() throws {
        try setBack(to: 2)
        let error = failure {
            try machine.context.performAndWait {
                let request = NSBatchInsertRequest(entityName: "Note", objects: [["text": "four"]])
                _ = try machine.context.execute(request)
            }
        }
        #expect(error?.code == .diverged)
        #expect(error?.sequence == 2)
    }

    @Test("opening the store says the same")
    func opening() throws {
        try setBack(to: 2)
        let directory = try machine.leave()
        let error = failure { _ = try Machine(server.address, directory: directory) }
        #expect(error?.code == .diverged)
        #expect(error?.message.contains("The last record that both have is 2.") == true, "\(error?.message ?? "")")
    }

    @Test("saving works again when the server has its records again, and nothing was lost")
    func restored() throws {
        try setBack(to: 2)
        #expect(failure { try machine.note("four") }?.code == .diverged)
        server.replacement.withLock { $0 = nil }
        try machine.save { _ in }
        #expect(try Machine(server.address).texts() == ["four", "one", "three", "two"])
    }

    @Test("a save ends if the server says again and again that others were faster, and has nothing of theirs")
    func stalled() throws {
        server.set(.refuses)
        #expect(failure { try machine.note("four") }?.code == .refused)
    }

    @Test("a record that goes alone is not tried for ever either")
    func stalledAlone() throws {
        let machine = try SharingMachine(server.address)
        server.set(.refuses)
        #expect(failure { try machine.save("four") }?.code == .refused)
    }

    @Test("copying a log ends if the target refuses what follows its last record")
    func stalledCopy() throws {
        let target = try FolderServer(isFollowed: false)
        let source = try server.log()
        let log = try target.create(target.address, storeID: source.storeID)
        target.set(.refuses)
        #expect(failure { try log.pull(from: source) }?.code == .refused)
        #expect(target.runs.withLock { $0.count } < 1000)
    }
}

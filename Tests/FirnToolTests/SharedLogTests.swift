import FirnLog
import FirnPostgres
import Foundation
import TestSupport
import Testing

@Suite("The tool copies logs to a server and back", .needsPostgres)
struct SharedLogTests {
    let firn = BuiltProgram("firn")
    let store: SampleStore
    let address: String

    init() throws {
        store = try SampleStore()
        address = try PostgresServer.newDatabase() + "#People"
    }

    private func run(_ arguments: String...) throws -> BuiltProgram.Result {
        let result = try firn.run(arguments)
        #expect(result.status == 0, "\(arguments): \(result.complaints)")
        return result
    }

    private var copy: String { store.folder.file("Copy.sqlite").path }

    @Test("a store that was pushed and pulled has the same frames")
    func roundTrip() throws {
        let pushed = try run("push", store.path, address)
        #expect(pushed.output.contains("4 records copied, up to record 4; an append there is on the disks of"))
        _ = try run("pull", address, copy)
        let log = try SegmentLog.open(directory: copy + "-log", forWriting: false)
        #expect(try log.end() == store.log.end())
        #expect(try log.records() == store.log.records())
        #expect(try firn.run("verify", copy).status == 0)
    }

    @Test("a second push copies what is new only")
    func again() throws {
        _ = try run("push", store.path, address)
        try store.append(.changes(ChangeSet(model: 1)))
        #expect(try run("push", store.path, address).output.contains("1 record copied, up to record 5"))
        #expect(try run("push", store.path, address).output.contains("0 records copied"))
    }

    @Test("a trimmed log is copied with its baseline")
    func trimmed() throws {
        try LogMaintenance(store.log).trim(through: 3) { write in try write(.keys([SampleStore.person: 2])) }
        _ = try run("push", store.path, address)
        _ = try run("pull", address, copy)
        let log = try SegmentLog.open(directory: copy + "-log", forWriting: false)
        #expect(log.baseline == 3)
        #expect(try log.end() == store.log.end())
        let (one, two) = (try log.replay(), try store.log.replay())
        while let record = try two.next() { #expect(try one.next() == record) }
        #expect(try one.next() == nil)
    }

    @Test("another store is not copied over this one")
    func otherStore() throws {
        _ = try run("push", store.path, address)
        let other = try SegmentLog.create(
            directory: store.folder.file("Other.sqlite-log").path, storeID: .random(), date: 0)
        other.close()
        let result = try firn.run("push", store.folder.file("Other.sqlite").path, address)
        #expect(result.status == 2)
        #expect(result.complaints.contains("another store"))
    }

    @Test("stores that went different ways are left as they are")
    func diverged() throws {
        _ = try run("push", store.path, address)
        _ = try run("pull", address, copy)
        try store.append(.changes(ChangeSet(model: 1)))
        _ = try run("push", store.path, address)
        let log = try SegmentLog.open(directory: copy + "-log", forWriting: true)
        try log.save("alone")
        let result = try firn.run("pull", address, copy)
        #expect(result.status == 2)
        #expect(try log.end().sequence == 5)
    }

    @Test("a replica gets what is added later")
    func replica() throws {
        _ = try run("push", store.path, address)
        let replica = firn.process(["replicate", address, copy, "--until", "5"])
        replica.standardOutput = FileHandle.nullDevice
        try replica.run()
        try store.append(.changes(ChangeSet(model: 1)))
        _ = try run("push", store.path, address)
        replica.waitUntilExit()
        #expect(replica.terminationStatus == 0)
        let log = try SegmentLog.open(directory: copy + "-log", forWriting: false)
        #expect(try log.end() == store.log.end())
    }

    @Test("a server that is not there is told in one line with status 2")
    func noServer() throws {
        let result = try firn.run("push", store.path, "postgresql://ada:secret@127.0.0.1:1/library#People")
        #expect(result.status == 2)
        let place = "postgresql://ada@127.0.0.1:1/library#People"
        #expect(result.complaints.hasPrefix("firn: \(place): Cannot connect as ada:"))
        #expect(!result.complaints.contains("secret"))
    }
}

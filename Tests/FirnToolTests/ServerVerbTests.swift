import FirnLog
import FirnPostgres
import Foundation
import TestSupport
import Testing

@Suite("The tool looks at a store by its server's address", .needsPostgres)
struct ServerVerbTests {
    let firn = BuiltProgram("firn")
    let store: SampleStore
    let address: String

    init() throws {
        store = try SampleStore()
        address = try PostgresServer.newDatabase() + "#People"
        #expect(try firn.run("push", store.path, address).status == 0)
    }

    private func run(_ arguments: String...) throws -> BuiltProgram.Result {
        let result = try firn.run(arguments)
        #expect(result.status == 0, "\(arguments): \(result.complaints)")
        return result
    }

    @Test("info says what is there and what an append means")
    func info() throws {
        let output = try run("info", address).output
        #expect(output.contains(store.log.storeID.uuidString))
        #expect(output.contains("1 to 4"))
        #expect(output.contains("on the disks of the server and of 1 of its standbys"))
    }

    @Test("info of a copy says of what it is one")
    func copy() throws {
        let copy = store.folder.file("Copy.sqlite").path
        let upstream = try Upstream(register())
        try SharedCopy.open(of: upstream, directory: copy + "-log", date: 0).close()
        #expect(try run("info", copy).output.contains(try #require(PostgresAddress(address)).description))
        #expect(try run("info", store.path).output.contains("copy of") == false)
    }

    private func register() -> String {
        PostgresLog.register()
        return address
    }

    @Test("log and tail list the records as those of the store", arguments: ["log", "tail"])
    func records(_ verb: String) throws {
        #expect(try run(verb, address).output == run(verb, store.path).output)
    }

    @Test("verify checks every record of the server's log, and says nothing of tables")
    func verify() throws {
        let output = try run("verify", address).output
        #expect(output.contains("log: 4 records"))
        #expect(!output.contains("tables"))
    }

    @Test("verify finds a record that was changed on the server, with status 1")
    func damage() throws {
        try PostgresServer.run(
            "update firn.record set frame = set_byte(frame, 40, get_byte(frame, 40) # 1) where sequence = 3",
            at: String(address.prefix { $0 != "#" }))
        let result = try firn.run("verify", address)
        #expect(result.status == 1)
        #expect(result.complaints.contains("record 3"), "\(result.complaints)")
    }

    @Test("tail waits for records that come to the server")
    func following() throws {
        let tail = firn.process(["tail", "--follow", "--json", "--after", "4", address])
        let output = Pipe()
        tail.standardOutput = output
        try tail.run()
        try store.append(.changes(ChangeSet(model: 1)))
        _ = try run("push", store.path, address)
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        #expect(line.contains("5"), "\(line)")
        tail.terminate()
        tail.waitUntilExit()
    }

    @Test("a verb that needs files says so, without the password")
    func files() throws {
        let result = try firn.run("rebuild", "postgresql://ada:secret@db/library#People")
        #expect(result.status == 2)
        #expect(result.complaints.contains("firn pull"))
        #expect(!result.complaints.contains("secret"))
    }
}

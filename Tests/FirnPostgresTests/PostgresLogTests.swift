import FirnLog
import FirnPostgres
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("A log on PostgreSQL, as any log", .needsPostgres)
struct PostgresLogTests {
    @Test("keeps the contract", arguments: LogCheck.all)
    func contract(_ check: LogCheck) throws {
        try check.run(PostgresHost())
    }

    @Test("a record has the bytes that it has in a segment")
    func bytes() throws {
        let log = try PostgresHost().create(.random())
        let run = try log.save("one", "two")
        #expect(try log.frames(after: run.start, sizeMax: 1 << 20).bytes == run.bytes)
    }

    @Test("many stores in one database do not see each other")
    func stores() throws {
        let (first, second) = (PostgresHost(), PostgresHost())
        let (one, two) = (try first.create(.random()), try second.create(.random()))
        try one.save("one")
        try two.save("two")
        #expect(try one.texts() == ["one"])
        #expect(try two.texts() == ["two"])
    }

    @Test("a follower is told at once, without looking by itself")
    func notification() throws {
        let host = PostgresHost(options: PostgresOptions(pollInterval: 3_600_000_000))
        let log = try host.create(.random())
        let watch = try log.watch()
        let other = try host.open()
        for number in 1...20 {
            runThreads(2) { thread in
                if thread == 0 {
                    _ = try? watch.wait(after: SequenceNumber(UInt64(number - 1)))
                } else {
                    _ = try? other.save("\(number)")
                }
            }
        }
        #expect(try log.end().sequence == 20)
    }

    @Test("a notification that comes in together with another answer wakes, too")
    func joined() throws {
        let proxy = try CuttingProxy(serverPort: PostgresServer.port)
        defer { proxy.stop() }
        let direct = PostgresHost()
        let log = try direct.create(.random())
        let name = direct.address.storeName
        let address = try #require(PostgresAddress("postgresql://postgres@127.0.0.1:\(proxy.port)/postgres#\(name)"))
        let watch = try PostgresLog.open(at: address, options: PostgresOptions(pollInterval: 3_600_000_000)).watch()
        try log.save("one")
        #expect(try watch.wait(after: .zero), "it listens now")
        proxy.hold()
        let isFound = Mutex(false)
        runThreads(2) { thread in
            if thread == 0 {
                let found = try? watch.wait(after: 1)
                isFound.withLock { $0 = found == true }
            } else {
                // The look's answer, which knows of one record, and then the notification of the second.
                proxy.waitUntilHeld()
                _ = try? log.save("two")
                proxy.waitUntilHeld()
                proxy.release()
            }
        }
        #expect(isFound.withLock { $0 })
    }

    @Test("a follower that is not told finds out by itself")
    func polling() throws {
        let host = PostgresHost(options: PostgresOptions(pollInterval: 10_000))
        let log = try host.create(.random())
        let watch = try log.watch()
        // The other program appends, and ends before it can tell anybody.
        let run = try FrameEncoder().run([LogSamples.record("one")], after: log.end())
        runThreads(2) { thread in
            if thread == 0 {
                _ = try? watch.wait(after: .zero)
            } else {
                _ = try? insertSilently(run, host)
            }
        }
        #expect(try log.texts() == ["one"])
    }

    private func insertSilently(_ run: FrameRun, _ host: PostgresHost) throws {
        func hex(_ bytes: some Sequence<UInt8>) -> String {
            bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
        try PostgresServer.run(
            """
            insert into firn.record values
                ('\(run.start.storeID)', 1, 2, 0, '\\x\(run.end.link)', '\\x\(hex(run.bytes))')
            """, at: PostgresServer.address(database: "postgres"))
    }

    @Test("an acknowledgement means two disks where a standby is synchronous")
    func acknowledgement() throws {
        #expect(try PostgresHost().create(.random()).acknowledgement().diskCount == 2)
    }

    @Test("a log is refused where too few disks would have what was acknowledged")
    func weakServer() throws {
        let host = PostgresHost()
        _ = try host.create(.random())
        let options = PostgresOptions(diskCountMin: 3)
        #expect(throws: LogError.self) { try PostgresLog.open(at: host.address, options: options) }
        #expect(throws: Never.self) {
            try PostgresLog.open(at: host.address, options: PostgresOptions(diskCountMin: 2))
        }
    }
}

/// Keeps a log in the server that the tests share, under a name of its own.
struct PostgresHost: LogHost {
    let address: PostgresAddress
    var options = PostgresOptions()

    init(_ server: String? = PostgresServer.address, options: PostgresOptions = PostgresOptions()) {
        guard let server, let address = PostgresAddress(server + "#" + UUID().uuidString) else {
            preconditionFailure("there is no server here; the test needs the trait .needsPostgres")
        }
        self.address = address
        self.options = options
    }

    var description: String { "\(address)" }

    func create(_ storeID: StoreID) throws -> any ChangeLog {
        try PostgresLog.create(at: address, storeID: storeID, options: options)
    }

    func open() throws -> any ChangeLog { try PostgresLog.open(at: address, options: options) }
}

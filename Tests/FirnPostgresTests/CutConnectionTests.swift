import FirnLog
import FirnPostgres
import TestSupport
import Testing

@Suite("Cut connections", .needsPostgres)
struct CutConnectionTests {
    @Test(
        "an append is there once, whichever byte its connection is cut after",
        arguments: CuttingProxy.Direction.allCases)
    func everyByte(_ direction: CuttingProxy.Direction) throws {
        let host = PostgresHost()
        let direct = try host.create(.random())
        let proxy = try CuttingProxy(serverPort: PostgresServer.port)
        defer { proxy.stop() }
        let address = try #require(
            PostgresAddress("postgresql://postgres@127.0.0.1:\(proxy.port)/postgres#\(host.address.storeName)"))
        let log = try PostgresLog.open(at: address)
        var place = try log.save("0").end
        var texts = ["0"]
        let before = proxy.passed(direction)
        place = try append("1", to: log, after: place, &texts)
        // What comes after the append, a notification, is cut too.
        let count = proxy.passed(direction) - before + 40
        for byte in 0...count {
            proxy.cut(direction, after: byte)
            place = try append("cut after \(byte)", to: log, after: place, &texts)
        }
        #expect(proxy.cutCount > 80)
        #expect(try direct.texts() == texts)
    }

    private func append(
        _ text: String, to log: PostgresLog, after place: LogCheckpoint, _ texts: inout [String]
    ) throws -> LogCheckpoint {
        let run = try FrameEncoder().run([LogSamples.record(text)], after: place)
        let outcome = try log.append(run)
        #expect(outcome == .appended || outcome == .duplicate, "\(text): \(outcome)")
        texts.append(text)
        return run.end
    }

    @Test("an append that the server never answers is told as unknown, and the same again finds it")
    func unknown() throws {
        let host = PostgresHost()
        let direct = try host.create(.random())
        let proxy = try CuttingProxy(serverPort: PostgresServer.port)
        defer { proxy.stop() }
        let address = try #require(
            PostgresAddress("postgresql://postgres@127.0.0.1:\(proxy.port)/postgres#\(host.address.storeName)"))
        let log = try PostgresLog.open(at: address, options: PostgresOptions(patience: 0))
        // From here on the server has planned what is sent.
        try log.save("zero")
        let run = try FrameEncoder().run([LogSamples.record("one")], after: log.end())
        proxy.cut(.toClient, after: 0)
        #expect(throws: LogError.self) { try log.append(run) }
        #expect(try log.append(run) == .duplicate)
        #expect(try direct.texts() == ["zero", "one"])
    }

    @Test("a follower whose connection is cut goes on")
    func follower() throws {
        let host = PostgresHost()
        let direct = try host.create(.random())
        let proxy = try CuttingProxy(serverPort: PostgresServer.port)
        defer { proxy.stop() }
        let address = try #require(
            PostgresAddress("postgresql://postgres@127.0.0.1:\(proxy.port)/postgres#\(host.address.storeName)"))
        let log = try PostgresLog.open(at: address)
        let watch = try log.watch()
        for number in 0..<20 {
            proxy.cut(number.isMultiple(of: 2) ? .toClient : .toServer, after: number * 7)
            runThreads(2) { thread in
                if thread == 0 {
                    _ = try? watch.wait(after: SequenceNumber(UInt64(number)))
                } else {
                    _ = try? direct.save("\(number)")
                }
            }
        }
        #expect(try log.texts() == (0..<20).map { "\($0)" })
    }
}

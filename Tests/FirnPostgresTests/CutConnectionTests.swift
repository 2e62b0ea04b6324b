import FirnLog
import FirnPostgres
import Synchronization
import TestSupport
import Testing

@Suite("Cut connections", .needsPostgres)
final class CutConnectionTests {
    /// The log without the proxy.
    private let direct: any ChangeLog
    private let proxy: CuttingProxy
    /// Of the log behind the proxy.
    private let address: PostgresAddress

    init() throws {
        let host = PostgresHost()
        direct = try host.create(.random())
        proxy = try CuttingProxy(serverPort: PostgresServer.port)
        address = try #require(
            PostgresAddress("postgresql://postgres@127.0.0.1:\(proxy.port)/postgres#\(host.address.storeName)"))
    }

    deinit { proxy.stop() }

    @Test(
        "an append is there once, whichever byte its connection is cut after",
        arguments: CuttingProxy.Direction.allCases)
    func everyByte(_ direction: CuttingProxy.Direction) throws {
        // Each append is followed by its notification, which is cut too.
        let log = try PostgresLog.open(at: address, options: PostgresOptions(notifyInterval: 0))
        var place = try log.save("0").end
        var texts = ["0"]
        var (count, last) = (0, 0)
        for byte in 0... {
            if byte > last + 40 { break }
            // What the notification before was answered is not what is cut.
            _ = try log.end()
            proxy.cut(direction, after: byte)
            place = try append("cut after \(byte)", to: log, after: place, &texts)
            if proxy.cutCount > count { (count, last) = (proxy.cutCount, byte) }
        }
        // Of what is sent, a frame is the largest part; of what is answered, what there is to say of one row.
        #expect(texts.count > (direction == .toServer ? 400 : 70), "\(texts.count)")
        #expect(try direct.texts() == texts)
    }

    @Test(
        "an append is there once, whichever byte is cut after while the server is told what to plan",
        arguments: CuttingProxy.Direction.allCases)
    func everyByteOfPlanning(_ direction: CuttingProxy.Direction) throws {
        var place = try direct.save("0").end
        var texts = ["0"]
        // The statement's text is long, and every byte of it alike.
        let step = direction == .toServer ? 7 : 1
        for byte in stride(from: 0, to: .max, by: step) {
            let log = try PostgresLog.open(at: address, options: PostgresOptions(notifyInterval: 0))
            let count = proxy.cutCount
            proxy.cut(direction, after: byte)
            place = try append("cut after \(byte)", to: log, after: place, &texts)
            log.close()
            if proxy.cutCount == count { break }
        }
        #expect(texts.count > (direction == .toServer ? 100 : 70), "\(texts.count)")
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
        let log = try PostgresLog.open(at: address, options: PostgresOptions(timeout: 0))
        // From here on the server has planned what is sent.
        try log.save("zero")
        let run = try FrameEncoder().run([LogSamples.record("one")], after: log.end())
        proxy.cut(.toClient, after: 0)
        let unanswered = logError { try log.append(run) }
        #expect(unanswered?.code == .outcomeUnknown)
        #expect(unanswered?.message.contains("append the same") == false, "callers of save() append nothing")
        #expect(try log.append(run) == .duplicate)
        #expect(try direct.texts() == ["zero", "one"])
    }

    @Test("a thread that waited while another one found the server away does not try for itself")
    func waited() throws {
        let log = try PostgresLog.open(at: address, options: PostgresOptions(timeout: 2_000_000))
        proxy.setAway(true)
        let before = proxy.connectionCount
        let first = Mutex(0)
        runThreads(2) { [proxy] thread in
            if thread == 1 { while proxy.connectionCount == before {} }
            _ = try? log.end()
            let count = proxy.connectionCount
            if thread == 0 { first.withLock { $0 = count } }
        }
        #expect(proxy.connectionCount == first.withLock { $0 })
    }

    @Test("a follower whose connection is cut goes on")
    func follower() throws {
        let log = try PostgresLog.open(at: address)
        let watch = try log.watch()
        let direct = direct
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

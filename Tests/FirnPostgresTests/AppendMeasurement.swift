import FirnLog
import FirnPostgres
import Foundation
import Synchronization
import TestSupport
import Testing

/// Appends a second, in turn with the segment log's on the same disk. Prints figures and holds nothing: they are the
/// machine's. `FIRN_MEASURE=1 Tools/with-postgres swift test --skip-build --filter AppendMeasurement`.
@Suite(
    "Measured: appends to a log on PostgreSQL", .needsPostgres, .serialized,
    .enabled(if: ProcessInfo.processInfo.environment["FIRN_MEASURE"] != nil))
struct AppendMeasurement {
    @Test("by one writer and by eight", arguments: [300, 65536])
    func rates(_ size: Int) throws {
        let server = try PostgresServer.newDatabase()
        let plain = try Plain(server, size: size)
        let text = LogSamples.noise(size)
        for round in 1...3 {
            for writers in [1, 8] {
                let host = PostgresHost(server)
                let log = try host.create(.random())
                let shared = try self.rate(writers, count: 800, text) { try host.open() }
                #expect(try log.end().sequence == 800)
                let apart = try self.rate(writers, count: 800, text) { try PostgresHost(server).create(.random()) }
                let directory = try TemporaryDirectory()
                let segments = try SegmentLog.create(
                    directory: directory.path + "log", storeID: .random(), date: 0)
                let local = try self.rate(writers, count: 800, text) { segments }
                let inserted = try plain.rate(writers)
                print(
                    "round \(round): \(size) B, \(writers) writers: PostgreSQL \(Int(shared)) a second, with a store "
                        + "each \(Int(apart)), plain INSERT \(Int(inserted)), segment log \(Int(local))")
            }
        }
    }

    @Test("what a follower waits for", arguments: [300])
    func latency(_ size: Int) throws {
        let host = PostgresHost()
        let log = try host.create(.random())
        let follower = try host.open()
        let watch = try follower.watch()
        let times = Mutex<[Duration]>([])
        let text = LogSamples.noise(size)
        for number in 0..<200 {
            let sent = Mutex(ContinuousClock.now)
            runThreads(2) { thread in
                if thread == 0 {
                    _ = try? watch.wait(after: SequenceNumber(UInt64(number)))
                    let now = ContinuousClock.now
                    times.withLock { $0.append(now - sent.withLock { $0 }) }
                } else {
                    guard let end = try? log.end(),
                        let run = try? FrameEncoder().run([LogSamples.record(text)], after: end)
                    else { return }
                    _ = try? log.append(run)
                    sent.withLock { $0 = .now }
                }
            }
        }
        let sorted = times.withLock { $0.sorted() }
        print("a follower wakes after the acknowledgement: p50 \(sorted[100]), p99 \(sorted[198])")
    }

    private func rate(
        _ writers: Int, count: Int, _ text: String, _ open: @escaping @Sendable () throws -> any ChangeLog
    ) throws -> Double {
        let start = ContinuousClock.now
        runThreads(writers) { _ in
            guard let log = try? open(), var end = try? log.end() else { return }
            let encoder = FrameEncoder()
            for _ in 0..<count / writers {
                while true {
                    guard let run = try? encoder.run([LogSamples.record(text)], after: end),
                        let outcome = try? log.append(run)
                    else { return }
                    if case .conflict = outcome {
                        guard let newer = try? log.end() else { return }
                        end = newer
                        continue
                    }
                    end = run.end
                    break
                }
            }
        }
        let time = ContinuousClock.now - start
        return Double(count) / (Double(time.components.seconds) + Double(time.components.attoseconds) * 1e-18)
    }
}

/// A table without any of what a log needs, written with pgbench.
private struct Plain {
    private let server: String
    private let folder: TemporaryDirectory

    init(_ server: String, size: Int) throws {
        self.server = server
        folder = try TemporaryDirectory()
        try PostgresServer.run(
            "create table plain (id bigserial primary key, bytes bytea not null)",
            "alter table plain alter bytes set storage external", at: server)
        try "insert into plain (bytes) values (decode(repeat('ab', \(size)), 'hex'));\n"
            .write(to: folder.file("insert.sql"), atomically: true, encoding: .utf8)
    }

    func rate(_ writers: Int) throws -> Double {
        let programs = try PostgresServer.execute(
            PackageFolder.url.appending(path: "Tools/postgres-pair").path, ["find"])
        let lines = try PostgresServer.execute(
            programs[0] + "/pgbench",
            [
                "-n", "-M", "extended", "-f", folder.file("insert.sql").path, "-c", "\(writers)", "-j", "1",
                "-t", "\(800 / writers)", server,
            ])
        let line = lines.first { $0.hasPrefix("tps") } ?? ""
        return Double(line.split(separator: " ").dropFirst(2).first ?? "") ?? 0
    }
}

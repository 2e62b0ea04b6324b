import FirnLog
import FirnPostgres
import Foundation
import Synchronization

/// How long many followers take to hear of a record. Each has two connections, to PgBouncer, and looks now and then.
struct Followers {
    let server: String

    /// Seconds that they get to connect, and then to hear of the record.
    private static let timeout = 60.0

    func print() throws {
        let environment = ProcessInfo.processInfo.environment
        let count = environment["FIRN_FOLLOWER_COUNT"].flatMap { Int($0) } ?? 1000
        guard let base = environment["FIRN_FOLLOWERS"] else {
            return Figures.say("Followers: left out, since FIRN_FOLLOWERS names no PgBouncer")
        }
        let name = UUID().uuidString
        guard let direct = PostgresAddress(server + "#" + name), let address = PostgresAddress(base + "#" + name) else {
            throw Failure(description: "no address")
        }
        let log = try PostgresLog.create(at: direct, storeID: .random())
        let (ready, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let times = Mutex<[Double]>([])
        let problems = Mutex<[String: Int]>([:])
        let sent = Mutex(0.0)
        let (start, begin) = (DispatchTime.now(), Timing.now())
        for _ in 0..<count {
            let thread = Thread {
                defer { done.signal() }
                do {
                    try follow(address, ready) { times.withLock { $0.append(Timing.now() - sent.withLock { $0 }) } }
                } catch {
                    ready.signal()
                    // Without the times and ports in it.
                    let reason = "\(error)".filter { !$0.isNumber }
                    problems.withLock { $0[reason, default: 0] += 1 }
                }
            }
            thread.stackSize = 512 << 10
            thread.start()
        }
        for _ in 0..<count { _ = ready.wait(timeout: start + Self.timeout) }
        let connected = Timing.now() - begin
        _ = try log.append(FrameEncoder().run([Samples.record("one")], after: log.end()))
        sent.withLock { $0 = Timing.now() }
        let end = DispatchTime.now() + Self.timeout
        for _ in 0..<count { _ = done.wait(timeout: end) }
        let all = times.withLock { $0 }
        Figures.say(
            String(format: "%d of %d followers, connected in %.1f s, have the record: ", all.count, count, connected)
                + Timing.percentiles(all) + "; failed: \(problems.withLock { $0 })\n")
    }

    private func follow(_ address: PostgresAddress, _ ready: DispatchSemaphore, _ heard: () -> Void) throws {
        let copy = try PostgresLog.open(at: address, forWriting: false)
        let (watch, start) = (try copy.watch(), try copy.beginning())
        var isReady = false
        let isWoken = try watch.wait { sequence in
            // It is connected, and has looked.
            if !isReady { ready.signal() }
            isReady = true
            return sequence > .zero
        }
        guard isWoken else { throw Failure(description: "it was not woken") }
        guard try copy.frames(after: start, sizeMax: 1 << 20).frames.count == 1 else {
            throw Failure(description: "the record is not there")
        }
        heard()
    }
}

import Dispatch
import FirnLog
import FirnPostgres
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("When followers are woken")
struct WakePaceTests {
    @Test("at once after a pause, and of all that came meanwhile when the interval is over")
    func appending() {
        var throttle = NotifyThrottle(interval: 100)
        #expect(throttle.appended(1, now: 0) == .notify(1))
        #expect(throttle.appended(2, now: 30) == .wait(70))
        #expect(throttle.appended(3, now: 60) == .nothing)
        #expect(throttle.appended(4, now: 100) == .notify(4))
        #expect(throttle.timerFired(isFree: true, now: 101) == .nothing)
        #expect(throttle.appended(5, now: 150) == .wait(50))
        #expect(throttle.timerFired(isFree: true, now: 200) == .notify(5))
        #expect(throttle.appended(6, now: 300) == .notify(6))
    }

    @Test("later, if the connection is in use when the time is up")
    func inUse() {
        var throttle = NotifyThrottle(interval: 100)
        #expect(throttle.appended(1, now: 0) == .notify(1))
        #expect(throttle.appended(2, now: 1) == .wait(99))
        #expect(throttle.timerFired(isFree: false, now: 100) == .wait(100))
        #expect(throttle.timerFired(isFree: true, now: 200) == .notify(2))
        #expect(throttle.timerFired(isFree: true, now: 300) == .nothing)
    }

    @Test("of what is left when the log is closed")
    func ending() {
        var throttle = NotifyThrottle(interval: 100)
        #expect(throttle.appended(1, now: 0) == .notify(1))
        #expect(throttle.end() == nil)
        #expect(throttle.appended(2, now: 1) == .wait(99))
        #expect(throttle.end() == 2)
        #expect(throttle.timerFired(isFree: true, now: 100) == .nothing)
    }
}

@Suite("Followers of a log on a server", .needsPostgres)
struct NotifyThrottleTests {
    @Test("hear of the last record without looking by themselves", arguments: [false, true])
    func last(isClosed: Bool) throws {
        let hour: Int64 = 3_600_000_000
        let host = PostgresHost(options: PostgresOptions(notifyInterval: isClosed ? hour : 300_000))
        let log = try host.create(.random())
        let follower = try PostgresLog.open(at: host.address, options: PostgresOptions(pollInterval: hour))
        let watch = try follower.watch()
        let isListening = DispatchSemaphore(value: 0)
        let heard = Mutex(SequenceNumber.zero)
        runThreads(2) { thread in
            if thread == 0 {
                _ = try? watch.wait { last in
                    heard.withLock { $0 = last }
                    isListening.signal()
                    return last == 20
                }
            } else {
                isListening.wait()
                for number in 1...20 { _ = try? log.save("\(number)") }
                if isClosed { log.close() }
            }
        }
        #expect(heard.withLock { $0 } == 20)
    }

    @Test("are woken at once after their connection was lost and made again")
    func reconnected() throws {
        let hour: Int64 = 3_600_000_000
        let host = PostgresHost()
        let log = try host.create(.random())
        let name = "watch" + UUID().uuidString.filter { $0 != "-" }
        let address = try #require(
            PostgresAddress(
                PostgresServer.address(database: "postgres") + "?application_name=\(name)#\(host.address.storeName)"))
        let follower = try PostgresLog.open(
            at: host.address, options: PostgresOptions(pollInterval: hour, followerAddress: address))
        let watch = try follower.watch()
        let looks = DispatchSemaphore(value: 0)
        let hasEnded = DispatchSemaphore(value: 0)
        let isFound = Mutex(false)
        runThreads(2) { thread in
            if thread == 0 {
                let found = try? watch.wait { last in
                    if last == 0 { looks.signal() }
                    return last == 1
                }
                isFound.withLock { $0 = found == true }
                hasEnded.signal()
                return
            }
            looks.wait()
            _ = try? PostgresServer.run(
                "select pg_terminate_backend(pid) from pg_stat_activity where application_name = '\(name)'",
                at: PostgresServer.address(database: "postgres"))
            // It looks over the new connection; from then on it has nothing but notifications.
            looks.wait()
            _ = try? log.save("one")
            if hasEnded.wait(timeout: .now() + 30) == .timedOut { watch.cancel() }
        }
        #expect(isFound.withLock { $0 })
    }
}

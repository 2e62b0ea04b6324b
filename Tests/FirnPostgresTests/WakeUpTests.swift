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
        var pace = WakeUpPace(interval: 100)
        #expect(pace.appended(1, now: 0) == .wake(1))
        #expect(pace.appended(2, now: 30) == .wait(70))
        #expect(pace.appended(3, now: 60) == .nothing)
        #expect(pace.appended(4, now: 100) == .wake(4))
        #expect(pace.timeIsUp(isFree: true, now: 101) == .nothing)
        #expect(pace.appended(5, now: 150) == .wait(50))
        #expect(pace.timeIsUp(isFree: true, now: 200) == .wake(5))
        #expect(pace.appended(6, now: 300) == .wake(6))
    }

    @Test("later, if the connection is in use when the time is up")
    func inUse() {
        var pace = WakeUpPace(interval: 100)
        #expect(pace.appended(1, now: 0) == .wake(1))
        #expect(pace.appended(2, now: 1) == .wait(99))
        #expect(pace.timeIsUp(isFree: false, now: 100) == .wait(100))
        #expect(pace.timeIsUp(isFree: true, now: 200) == .wake(2))
        #expect(pace.timeIsUp(isFree: true, now: 300) == .nothing)
    }

    @Test("of what is left when the log is closed")
    func ending() {
        var pace = WakeUpPace(interval: 100)
        #expect(pace.appended(1, now: 0) == .wake(1))
        #expect(pace.end() == nil)
        #expect(pace.appended(2, now: 1) == .wait(99))
        #expect(pace.end() == 2)
        #expect(pace.timeIsUp(isFree: true, now: 100) == .nothing)
    }
}

@Suite("Followers of a log on a server", .needsPostgres)
struct WakeUpTests {
    @Test("hear of the last record without looking by themselves", arguments: [false, true])
    func last(isClosed: Bool) throws {
        let hour: Int64 = 3_600_000_000
        let host = PostgresHost(options: PostgresOptions(wakeUpInterval: isClosed ? hour : 300_000))
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

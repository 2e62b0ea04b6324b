import FirnLog
import Synchronization
import TestSupport
import Testing

@Suite("A thread that works when it is asked to")
struct LogThreadTests {
    @Test("works when the first asked, though others ask for later meanwhile")
    func earliest() throws {
        let count = Count()
        let thread = LogThread { count.value.add(1, ordering: .releasing) }
        defer { thread.stop() }
        let now = SystemClock.uptime()
        #expect(thread.request(by: now + 300_000) && thread.request(by: now + 3_600_000_000))
        try waitUntil { count.value.load(ordering: .acquiring) > 0 }
        #expect(SystemClock.uptime() >= now + 300_000)
    }

    private final class Count: Sendable {
        let value = Atomic(0)
    }
}

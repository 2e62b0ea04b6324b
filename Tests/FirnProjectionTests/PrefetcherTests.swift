import Dispatch
import FirnProjection
import Synchronization
import TestSupport
import Testing

@Suite("Reading ahead")
struct PrefetcherTests {
    private struct Failure: Error, Equatable {}

    /// Gives 1, 2, 3 … up to `last`; a call after the last one, or beside another one, is an issue.
    private final class Source: Sendable {
        private struct State {
            var given = 0
            var isBusy = false
        }

        private let state = Mutex(State())
        let last: Int
        /// The part that cannot be read.
        let failing: Int?
        /// Lets go on whoever waits in `read` of a part.
        private let gates: [Int: Gate]

        init(last: Int, failing: Int? = nil, gates: [Int: Gate] = [:]) {
            self.last = last
            self.failing = failing
            self.gates = gates
        }

        var given: Int { state.withLock { $0.given } }
        var isBusy: Bool { state.withLock { $0.isBusy } }

        func read() throws -> (part: Int, isLast: Bool) {
            let part = state.withLock { state in
                #expect(!state.isBusy, "two threads read at once")
                #expect(state.given < last, "read after the last part")
                state.isBusy = true
                state.given += 1
                return state.given
            }
            gates[part]?.pass()
            state.withLock { $0.isBusy = false }
            if part == failing { throw Failure() }
            return (part, part == last)
        }
    }

    @Test("parts come in order, each once", arguments: [1, 2, 3, 100])
    func order(last: Int) throws {
        let source = Source(last: last)
        var parts: [Int] = []
        try Prefetcher.forEach(source.read) { parts.append($0) }
        #expect(parts == Array(1...last))
    }

    @Test("a part is read while the one before is used")
    func ahead() throws {
        let second = Gate(isClosed: true)
        let source = Source(last: 2, gates: [2: second])
        var parts: [Int] = []
        try Prefetcher.forEach(source.read) { part in
            // Another thread is in the reading of the second part before this one is done with the first.
            if part == 1 { try second.waitForArrival() }
            second.open()
            parts.append(part)
        }
        #expect(parts == [1, 2])
    }

    @Test("what was read before a failure is used before it is told", arguments: [2, 3, 7])
    func failure(failing: Int) {
        let source = Source(last: 9, failing: failing)
        var parts: [Int] = []
        #expect(throws: Failure()) { try Prefetcher.forEach(source.read) { parts.append($0) } }
        #expect(parts == Array(1..<failing))
        #expect(source.given == failing)
    }

    @Test("nothing is being read any more when it has returned because the use of a part failed")
    func abandoned() {
        let third = Gate(isClosed: true)
        let source = Source(last: 9, gates: [3: third])
        #expect(throws: Failure()) {
            try Prefetcher.forEach(source.read) { part in
                guard part == 2 else { return }
                try third.waitForArrival()
                DispatchQueue.global().async { third.open() }
                throw Failure()
            }
        }
        #expect(!source.isBusy, "part \(source.given) is still being read")
    }
}

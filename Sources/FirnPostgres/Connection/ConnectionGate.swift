import Dispatch
import Synchronization

/// Lets so many threads of this program at a time make a connection to one server, and the others wait: a thousand that
/// connect at once keep the server, or what stands before it, busy for longer than any of them is willing to wait.
enum ConnectionGate {
    private static let countMax = 16
    private static let gates = Mutex<[String: DispatchSemaphore]>([:])

    /// Runs `body`, which connects.
    static func pass<R>(_ address: PostgresAddress, _ body: () throws -> R) rethrows -> R {
        let gate = gates.withLock { gates in
            if let gate = gates[address.server] { return gate }
            let made = DispatchSemaphore(value: countMax)
            gates[address.server] = made
            return made
        }
        gate.wait()
        defer { gate.signal() }
        return try body()
    }
}

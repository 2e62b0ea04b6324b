import Dispatch
import Synchronization

/// Limits how many threads of this process connect to one server at a time; the others wait. A thousand that connect at
/// once would keep the server, or a pooler before it, busy for longer than their timeouts.
enum ConnectionLimiter {
    private static let countMax = 16
    private static let semaphores = Mutex<[String: DispatchSemaphore]>([:])

    /// Runs `body`, which connects.
    static func connect<R>(_ address: PostgresAddress, _ body: () throws -> R) rethrows -> R {
        let semaphore = semaphores.withLock { semaphores in
            if let semaphore = semaphores[address.server] { return semaphore }
            let made = DispatchSemaphore(value: countMax)
            semaphores[address.server] = made
            return made
        }
        semaphore.wait()
        defer { semaphore.signal() }
        return try body()
    }
}

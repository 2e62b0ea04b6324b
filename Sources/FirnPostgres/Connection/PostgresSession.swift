import Dispatch
import FirnLog
import Foundation
import Synchronization

/// Connects when a connection is needed, and again after it was lost. It serves one thread at a time; others wait.
final class PostgresSession: @unchecked Sendable {
    let address: PostgresAddress
    private let options: PostgresOptions
    private let forWriting: Bool

    /// Guards what follows, and is held while a statement runs.
    private let lock = NSLock()
    private var connection: PostgresConnection?
    private var isClosed = false
    /// When an operation last failed, in microseconds, and why: threads that waited for it fail with it at once.
    private var lastFailure: (date: Int64, error: any Error)?

    init(_ address: PostgresAddress, options: PostgresOptions, forWriting: Bool) {
        self.address = address
        self.options = options
        self.forWriting = forWriting
    }

    var place: String { address.description }

    func close() {
        lock.withLock {
            isClosed = true
            connection = nil
        }
    }

    /// Calls `body` with the connection; retries, with a new connection if necessary, until the timeout, if the failure
    /// may be temporary. So `body` must be harmless when it runs twice.
    func run<R>(_ body: (PostgresConnection) throws -> R) throws -> R {
        let start = Self.now()
        return try lock.withLock {
            if let lastFailure, lastFailure.date >= start, connection == nil { throw lastFailure.error }
            let deadline = connectDeadline
            var backOff = BackOff(now: Self.now(), timeout: options.timeout)
            var generator = SystemRandomNumberGenerator()
            while true {
                do {
                    return try body(try connected(before: deadline))
                } catch {
                    let problem = try passing(error)
                    guard let delay = backOff.delay(now: Self.now(), using: &generator) else {
                        lastFailure = (Self.now(), unreachable(problem))
                        throw problem
                    }
                    Thread.sleep(forTimeInterval: Double(delay) / 1_000_000)
                }
            }
        }
    }

    /// The error for those that waited, whose statements were not sent.
    private func unreachable(_ error: any Error) -> LogError {
        LogError(.unreachable, (error as? LogError)?.message ?? "The server cannot be reached.", path: place)
    }

    /// As `run`, but the first failure is the last: for opening, where a wrong address should not be tried for long.
    func runOnce<R>(_ body: (PostgresConnection) throws -> R) throws -> R {
        try lock.withLock {
            do { return try body(try connected(before: connectDeadline)) } catch { throw final(error) }
        }
    }

    /// Calls `body` with the connection, if there is one; false if another thread is using it.
    @discardableResult
    func useNow(_ body: (PostgresConnection?) -> Void) -> Bool {
        guard lock.try() else { return false }
        defer { lock.unlock() }
        body(connection)
        return true
    }

    /// When connecting has to be done. With a timeout of zero it is tried once, which takes a while too.
    private var connectDeadline: Int64 { Self.now() + max(options.timeout, Self.connectTimeMin) }

    private static let connectTimeMin: Int64 = 5_000_000

    private func connected(before deadline: Int64) throws -> PostgresConnection {
        if isClosed { throw LogError(.closed, "The log was closed; open it again.", path: place) }
        if let connection { return connection }
        let made = try PostgresConnection(
            address, forWriting: forWriting, answerTimeout: options.answerTimeout, within: deadline - Self.now())
        connection = made
        return made
    }

    /// The error to end with if there is no time for another try; throws it at once if another try is of no use.
    private func passing(_ error: any Error) throws -> any Error {
        let problem = final(error)
        if let failure = error as? PostgresFailure, failure.isPassing { return problem }
        // A server that is starting, or is not found among several hosts, may be reachable at the next try.
        if let error = problem as? LogError, error.code == .unreachable { return problem }
        throw problem
    }

    private func final(_ error: any Error) -> any Error {
        guard let failure = error as? PostgresFailure else { return error }
        if failure.endsConnection { connection = nil }
        return failure.error(place)
    }

    /// Microseconds of a clock that nobody sets.
    static func now() -> Int64 { Int64(ProcessInfo.processInfo.systemUptime * 1_000_000) }
}

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

/// How long to wait before each further try: twice as long each time, from next to nothing (an idle connection that
/// somebody on the way has cut) up to two seconds, and a random part of that, so that a thousand clients do not come
/// back at once.
struct BackOff {
    private static let first: Int64 = 2000
    private static let longest: Int64 = 2_000_000

    /// When to give up, in microseconds.
    private let deadline: Int64
    private var next = first

    /// - Parameter now: in microseconds of any clock, here and below.
    init(now: Int64, timeout: Int64) { deadline = now + timeout }

    /// The time to wait before the next try, in microseconds; nil if it is time to give up.
    mutating func delay(now: Int64, using generator: inout some RandomNumberGenerator) -> Int64? {
        guard now < deadline else { return nil }
        let delay = Int64.random(in: next / 2...next, using: &generator)
        next = min(2 * next, Self.longest)
        return min(delay, deadline - now)
    }
}

public import FirnLog

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Waits for records on a connection of its own, which listens. A notification is a hint: the table decides, and is
/// looked at now and then in any case, and whenever the connection was made anew.
///
/// While the server is away it tries again and again, until it is cancelled.
final class PostgresWatch: LogWatch, @unchecked Sendable {
    private let log: PostgresLog
    private let cancelReader: Int32
    private let cancelWriter: Int32
    /// Used by the thread that waits; there is one at a time.
    private var connection: PostgresConnection?

    init(_ log: PostgresLog) throws {
        self.log = log
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else {
            throw LogError(.ioFailed, "Could not make a pipe to wait with.", path: log.place, underlyingErrno: errno)
        }
        (cancelReader, cancelWriter) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }

    deinit {
        close(cancelReader)
        close(cancelWriter)
    }

    func wait(until isNews: (SequenceNumber) -> Bool) throws -> Bool {
        var backOff = Self.patient()
        var generator = SystemRandomNumberGenerator()
        while true {
            do {
                if try look(for: isNews) || isNotified(of: isNews) { return true }
                while true {
                    guard try pause(pollPause(&generator)) else { return false }
                    // What came in with the answer of the look itself wakes nobody: it is asked for at once.
                    if try isNotified(of: isNews) || look(for: isNews) || isNotified(of: isNews) { return true }
                    backOff = Self.patient()
                }
            } catch {
                guard isPassing(error) else { throw error }
                connection = nil
                let delay = backOff.delay(now: PostgresSession.now(), using: &generator) ?? pollPause(&generator)
                guard try pause(delay) else { return false }
            }
        }
    }

    func cancel() {
        // Never read: the pipe stays readable, so that every later wait returns too.
        var byte: UInt8 = 1
        _ = write(cancelWriter, &byte, 1)
    }

    /// Up to a quarter shorter than asked for, so that a thousand followers do not look at once.
    private func pollPause(_ generator: inout some RandomNumberGenerator) -> Int64 {
        let longest = log.options.pollInterval
        return Int64.random(in: longest - longest / 4...longest, using: &generator)
    }

    private static func patient() -> BackOff { BackOff(now: PostgresSession.now(), patience: .max / 2) }

    private func isPassing(_ error: any Error) -> Bool {
        if let failure = error as? PostgresFailure { return failure.isPassing }
        return (error as? LogError)?.code == .unreachable
    }

    private func isNotified(of isNews: (SequenceNumber) -> Bool) throws -> Bool {
        try connection?.notifications().contains { number in
            UInt64(number).map { isNews(SequenceNumber($0)) } ?? true
        } ?? false
    }

    /// Whether the table's last record is news.
    private func look(for isNews: (SequenceNumber) -> Bool) throws -> Bool {
        let rows = try listening().query(
            """
            select coalesce(max(sequence), (select floor from firn.store where id = $1::uuid))
            from firn.record where store = $1::uuid
            """, [log.id])
        return isNews(SequenceNumber(UInt64(rows.integer(0, 0))))
    }

    private func listening() throws -> PostgresConnection {
        if let connection { return connection }
        let made = try PostgresConnection(
            log.options.followerAddress ?? log.address, forWriting: true,
            answerTimeout: log.options.answerTimeout)
        do {
            _ = try made.query("listen \"\(log.channel)\"")
        } catch {
            // A server that only speaks PostgreSQL's protocol, or a standby: looking now and then has to do.
            if case .lost = error { throw error }
        }
        connection = made
        return made
    }

    /// Waits for a word from the server, at most so many microseconds; false if it was cancelled.
    private func pause(_ time: Int64) throws -> Bool {
        var polled = [pollfd(fd: cancelReader, events: Int16(POLLIN), revents: 0)]
        if let connection { polled.append(pollfd(fd: connection.socket, events: Int16(POLLIN), revents: 0)) }
        let count = poll(&polled, nfds_t(polled.count), Int32(clamping: max(1, time / 1000)))
        if count < 0, errno != EINTR {
            throw LogError(.ioFailed, "Waiting for the server failed.", path: log.place, underlyingErrno: errno)
        }
        return polled[0].revents == 0
    }
}

extension PostgresLog {
    public func watch() throws -> any LogWatch { try PostgresWatch(self) }
}

public import FirnLog

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Waits for records on a connection of its own, which listens. A notification is a hint; the table decides. The watch
/// reads the table at intervals in any case, and after each reconnect.
///
/// While the server is unreachable it retries until it is cancelled. Others than the thread that waits write to pipes.
final class PostgresWatch: ServerWatch, @unchecked Sendable {
    private let log: PostgresLog
    private let cancelReader: Int32
    private let cancelWriter: Int32
    /// Readable while somebody wants the server to be asked at once.
    private let askReader: Int32
    private let askWriter: Int32
    /// Used by the thread that waits; there is one at a time.
    private var connection: PostgresConnection?

    init(_ log: PostgresLog) throws {
        self.log = log
        let cancel = try Self.makePipe(log)
        do {
            let ask = try Self.makePipe(log)
            (cancelReader, cancelWriter, askReader, askWriter) = (cancel.reader, cancel.writer, ask.reader, ask.writer)
        } catch {
            close(cancel.reader)
            close(cancel.writer)
            throw error
        }
    }

    private static func makePipe(_ log: PostgresLog) throws -> (reader: Int32, writer: Int32) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else {
            throw LogError(.ioFailed, "Could not make a pipe to wait with.", path: log.place, underlyingErrno: errno)
        }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        return (ends[0], ends[1])
    }

    deinit {
        for end in [cancelReader, cancelWriter, askReader, askWriter] { close(end) }
    }

    func wait(seeing isEnough: (ServerObservation) -> Bool) throws -> Bool {
        var backOff = Self.unlimited()
        var generator = SystemRandomNumberGenerator()
        while true {
            do {
                if try look(isEnough) || isNotified(isEnough) { return true }
                while true {
                    guard try pause(pollPause(&generator)) else { return false }
                    // What came in with the answer of the look itself wakes nobody: it is asked for at once.
                    if try isNotified(isEnough) || look(isEnough) || isNotified(isEnough) { return true }
                    backOff = Self.unlimited()
                }
            } catch {
                guard isPassing(error) else { throw (error as? PostgresFailure)?.error(log.place) ?? error }
                connection = nil
                // A connection that was lost is no news: the next one may be made at once.
                if let error = error as? LogError, isEnough(.failure(error)) { return true }
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

    func askNow() {
        var byte: UInt8 = 1
        _ = write(askWriter, &byte, 1)
    }

    /// The poll interval, up to a quarter shorter, so that a thousand followers do not poll at once. In microseconds.
    private func pollPause(_ generator: inout some RandomNumberGenerator) -> Int64 {
        let longest = log.options.pollInterval
        return Int64.random(in: longest - longest / 4...longest, using: &generator)
    }

    /// For how long the watch waits for a connection before it reports that there is none, in microseconds.
    private static let connectTime: Int64 = 10_000_000

    private static func unlimited() -> BackOff { BackOff(now: PostgresSession.now(), timeout: .max / 2) }

    private func isPassing(_ error: any Error) -> Bool {
        if let failure = error as? PostgresFailure { return failure.isPassing }
        return (error as? LogError)?.code == .unreachable
    }

    private func isNotified(_ isEnough: (ServerObservation) -> Bool) throws -> Bool {
        try connection?.notifications().contains { number in
            UInt64(number).map { isEnough(.notified(SequenceNumber($0))) } ?? true
        } ?? false
    }

    /// Whether the table's last record is enough.
    private func look(_ isEnough: (ServerObservation) -> Bool) throws -> Bool {
        isEnough(.end(try log.end(listening())))
    }

    private func listening() throws -> PostgresConnection {
        if let connection { return connection }
        let made = try PostgresConnection(
            log.options.followerAddress ?? log.address, forWriting: true,
            answerTimeout: log.options.answerTimeout, within: Self.connectTime)
        do {
            _ = try made.query("listen \"\(log.channel)\"")
        } catch {
            // A server that only speaks PostgreSQL's protocol, or a standby: looking now and then has to do.
            if case .lost = error { throw error }
        }
        connection = made
        return made
    }

    /// Waits until the server sends something, for at most `time` microseconds; false if it was cancelled.
    private func pause(_ time: Int64) throws -> Bool {
        var polled = [cancelReader, askReader].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        if let connection { polled.append(pollfd(fd: connection.socket, events: Int16(POLLIN), revents: 0)) }
        let count = poll(&polled, nfds_t(polled.count), Int32(clamping: max(1, time / 1000)))
        if count < 0, errno != EINTR {
            throw LogError(.ioFailed, "Waiting for the server failed.", path: log.place, underlyingErrno: errno)
        }
        if polled[1].revents != 0 {
            var bytes = [UInt8](repeating: 0, count: 64)
            while read(askReader, &bytes, bytes.count) > 0 {}
        }
        return polled[0].revents == 0
    }
}

extension PostgresLog {
    public func watch() throws -> any LogWatch { try PostgresWatch(self) }
}

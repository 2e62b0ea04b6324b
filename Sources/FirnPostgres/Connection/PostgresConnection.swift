import CPostgres
import FirnLog

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// One connection to a server. It blocks its thread, and waits in `poll`, so that a silent server is noticed. Not for
/// two threads at once.
///
/// Nothing of a session is relied on but `LISTEN`, so it may be PgBouncer that answers, in any of its modes: statements
/// are sent each with its parameters, and unprepared where the server turns out to be another one than a moment ago.
final class PostgresConnection {
    private let functions: libpq
    private let handle: OpaquePointer
    private let notices = Notices()
    private let answerTimeout: Int64
    /// Whether the answer to a posted statement is still to be read.
    private var isAnswerPending = false
    /// How often each statement was sent that the server has planned, by its name.
    private var planned: [String: Int] = [:]
    /// False once the server did not know what it had planned before, or knew what it had not.
    private var isPlanning = true

    /// Numbers of libpq's enumerations (https://www.postgresql.org/docs/15/libpq-exec.html).
    private enum Status {
        static let connected: Int32 = 0
        static let command: Int32 = 1
        static let rows: Int32 = 2
    }

    private enum Field {
        static let state = Int32(UInt8(ascii: "C"))
        static let message = Int32(UInt8(ascii: "M"))
        static let detail = Int32(UInt8(ascii: "D"))
    }

    /// In the form of `PQserverVersion`: the first that takes what the schema is made of.
    private static let serverVersionMin: Int32 = 120_000

    /// Connects. `forWriting` asks for a primary among several hosts, unless the address says something else.
    ///
    /// - Parameter time: how long it may take, in microseconds; libpq counts seconds, and two of them at least.
    init(_ address: PostgresAddress, forWriting: Bool, answerTimeout: Int64, within time: Int64) throws {
        functions = try Libpq.functions
        self.answerTimeout = answerTimeout
        let limits = ConnectLimits(time: time, hostCount: address.parts.hosts.count)
        // What stands before `dbname` are defaults, which the address may overrule; what stands after overrules it.
        let parameters = [
            ("connect_timeout", "\(limits.secondsPerHost)"), ("tcp_user_timeout", "\(limits.silence)"),
            ("target_session_attrs", forWriting ? "read-write" : "any"),
            ("fallback_application_name", "firn"), ("dbname", address.server), ("client_encoding", "UTF8"),
        ]
        let connect = functions.PQconnectdbParams
        let made = ConnectionLimiter.connect(address) {
            Self.withCStrings(parameters.map(\.0)) { keys in
                Self.withCStrings(parameters.map(\.1)) { values in connect?(keys, values, 1) ?? nil }
            }
        }
        guard let made else { fatalError("no memory for a connection") }
        handle = made
        guard functions.PQstatus(handle) == Status.connected else {
            let message = Self.text(functions.PQerrorMessage(handle)).asSentence
            let user = Self.text(functions.PQuser(handle)).printable
            let isPassword =
                functions.PQconnectionNeedsPassword(handle) != 0 || functions.PQconnectionUsedPassword(handle) != 0
            // `deinit` gives the handle back.
            throw LogError(
                isPassword ? .notPermitted : .unreachable,
                "Cannot connect\(user.isEmpty ? "" : " as \(user)"): \(message) \(ConnectAdvice.sentence(message))",
                path: address.description)
        }
        let version = functions.PQserverVersion(handle)
        guard version >= Self.serverVersionMin else {
            throw LogError(
                .unsupportedVersion, "This server is too old for a log; use PostgreSQL 12 or later.",
                path: address.description, expected: "version 12 or later", found: "\(version / 10000)")
        }
        _ = functions.PQsetnonblocking(handle, 1)
        _ = functions.PQsetNoticeReceiver(
            handle, { Notices.receive($0, $1) }, Unmanaged.passUnretained(notices).toOpaque())
        notices.field = functions.PQresultErrorField
    }

    deinit { functions.PQfinish(handle) }

    /// Sends one statement and waits for its rows.
    func query(_ statement: String, _ parameters: [PostgresParameter] = []) throws(PostgresFailure) -> PostgresRows {
        try readPendingAnswer()
        notices.warnings = []
        try send(statement, parameters)
        return try answer()
    }

    /// As `query`, and the server plans the statement only once. Not in a transaction.
    func query(
        _ statement: PlannedStatement, _ parameters: [PostgresParameter]
    ) throws(PostgresFailure) -> PostgresRows {
        do {
            return try isPlanning ? queryPlanned(statement, parameters) : query(statement.text, parameters)
        } catch PostgresFailure.refused(let state, _) where isPlanning && PlannedStatement.isStale(state) {
            // Nothing was done.
            isPlanning = false
            return try query(statement.text, parameters)
        }
    }

    private func queryPlanned(
        _ statement: PlannedStatement, _ parameters: [PostgresParameter]
    ) throws(PostgresFailure) -> PostgresRows {
        try readPendingAnswer()
        notices.warnings = []
        let count = planned[statement.name] ?? 0
        let name = statement.name(afterSending: count)
        if count == 0 || name != statement.name(afterSending: count - 1) {
            guard functions.PQsendPrepare(handle, name, statement.text, 0, nil) == 1 else { throw lost() }
            try flush()
            _ = try answer()
        }
        planned[statement.name] = count + 1
        try send(parameters) { [functions, handle] in
            functions.PQsendQueryPrepared(handle, name, $0, $1, $2, $3, 1)
        }
        return try answer()
    }

    /// Sends several statements without parameters, which the server performs in one transaction.
    func perform(_ statements: String) throws(PostgresFailure) {
        try readPendingAnswer()
        guard functions.PQsendQuery(handle, statements) == 1 else { throw lost() }
        try flush()
        _ = try answer()
    }

    /// Sends a statement whose answer nobody needs: the next statement reads it first.
    func post(_ statement: String, _ parameters: [PostgresParameter]) throws(PostgresFailure) {
        try readPendingAnswer()
        try send(statement, parameters)
        isAnswerPending = true
    }

    /// The server's warnings during the last query.
    var warnings: [String] { notices.warnings }

    /// The texts of the notifications that have come in; nothing is waited for.
    func notifications() throws(PostgresFailure) -> [String] {
        guard functions.PQconsumeInput(handle) == 1 else { throw lost() }
        var texts: [String] = []
        while let notification = functions.PQnotifies(handle) {
            texts.append(String(cString: notification.pointee.extra))
            functions.PQfreemem(notification)
        }
        return texts
    }

    /// The connection's socket, to be waited for together with others.
    var socket: Int32 { functions.PQsocket(handle) }

    /// Reads the answer to a posted statement. A refusal of that one is no failure of the statement that comes next.
    private func readPendingAnswer() throws(PostgresFailure) {
        guard isAnswerPending else { return }
        isAnswerPending = false
        do throws(PostgresFailure) { _ = try answer() } catch {
            if error.endsConnection { throw error }
        }
    }

    private func send(_ statement: String, _ parameters: [PostgresParameter]) throws(PostgresFailure) {
        try send(parameters) { [functions, handle] in
            functions.PQsendQueryParams(handle, statement, $0, nil, $1, $2, $3, 1)
        }
    }

    /// - Parameter call: a function of libpq's, which takes the count, the values, their lengths and formats.
    private func send(
        _ parameters: [PostgresParameter],
        _ call: (Int32, [UnsafePointer<CChar>?], [Int32], [Int32]) -> Int32
    ) throws(PostgresFailure) {
        var buffer: [UInt8] = []
        var ends: [Int] = []
        for parameter in parameters {
            parameter.write(to: &buffer)
            ends.append(buffer.count)
        }
        let starts = ([0] + ends).prefix(ends.count)
        let lengths = zip(starts, ends).map { Int32($1 - $0) }
        // An empty value must not be a null pointer, which stands for a null.
        buffer.append(0)
        let isSent = buffer.withUnsafeBufferPointer { buffer in
            buffer.withMemoryRebound(to: CChar.self) { buffer in
                let values = starts.map { start in buffer.baseAddress.map { $0 + start } }
                return call(Int32(ends.count), values, lengths, parameters.map(\.format))
            }
        }
        guard isSent == 1 else { throw lost() }
        try flush()
    }

    private func flush() throws(PostgresFailure) {
        while true {
            let state = functions.PQflush(handle)
            if state == 0 { return }
            if state < 0 { throw lost() }
            // The server may have to be read from before it takes more.
            try wait(forWriting: true)
            guard functions.PQconsumeInput(handle) == 1 else { throw lost() }
        }
    }

    /// The last result of what was sent.
    private func answer() throws(PostgresFailure) -> PostgresRows {
        var rows: PostgresRows?
        var failure: PostgresFailure?
        while true {
            while functions.PQisBusy(handle) != 0 {
                try wait(forWriting: false)
                guard functions.PQconsumeInput(handle) == 1 else { throw lost() }
            }
            guard let result = functions.PQgetResult(handle) else { break }
            let status = functions.PQresultStatus(result)
            if status == Status.command || status == Status.rows {
                rows = PostgresRows(functions, result)
            } else {
                failure = self.failure(result)
                functions.PQclear(result)
            }
        }
        if let failure { throw failure }
        guard let rows else { throw lost() }
        return rows
    }

    private func failure(_ result: OpaquePointer) -> PostgresFailure {
        let message = Self.text(functions.PQresultErrorMessage(result)).asSentence
        guard let state = functions.PQresultErrorField(result, Field.state) else { return .lost(message) }
        let text = [Field.message, Field.detail]
            .compactMap { functions.PQresultErrorField(result, $0).map { String(cString: $0).asSentence } }
            .joined(separator: " ")
        return .refused(state: String(cString: state), message: text)
    }

    private func lost() -> PostgresFailure {
        .lost(Self.text(functions.PQerrorMessage(handle)).asSentence)
    }

    private static func text(_ characters: UnsafeMutablePointer<CChar>?) -> String {
        characters.map { String(cString: $0) } ?? ""
    }

    private func wait(forWriting: Bool) throws(PostgresFailure) {
        let events = Int16(forWriting ? POLLIN | POLLOUT : POLLIN)
        var polled = pollfd(fd: socket, events: events, revents: 0)
        let timeout = Int32(clamping: answerTimeout / 1000)
        while true {
            let count = poll(&polled, 1, timeout)
            if count > 0 { return }
            if count == 0 { throw .lost("It has been silent for \(answerTimeout / 1_000_000) seconds.") }
            if errno != EINTR { throw .lost("Waiting for it failed with error \(errno).") }
        }
    }

    private static func withCStrings<R>(
        _ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> R
    ) -> R {
        let copies = strings.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        let pointers = copies.map { UnsafePointer($0) } + [nil]
        return pointers.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else {
                fatalError("an array with a nil at its end is not empty")
            }
            return body(base)
        }
    }
}

/// The notices that a server sends in addition to its answers.
private final class Notices {
    var warnings: [String] = []
    var field: (@convention(c) (OpaquePointer?, Int32) -> UnsafeMutablePointer<CChar>?)?

    /// Called by libpq, on the thread that reads from the connection.
    static func receive(_ context: UnsafeMutableRawPointer?, _ result: OpaquePointer?) {
        guard let context else { return }
        let notices = Unmanaged<Notices>.fromOpaque(context).takeUnretainedValue()
        guard let field = notices.field,
            let severity = field(result, Int32(UInt8(ascii: "V"))), String(cString: severity) == "WARNING"
        else { return }
        notices.warnings.append(field(result, Int32(UInt8(ascii: "M"))).map { String(cString: $0) } ?? "")
    }
}

/// A statement that the server of a connection plans once, and again each time the count of its executions has doubled:
/// the best plan for a table of a few rows, which reads all of them, is a bad one for a million.
struct PlannedStatement {
    let text: String
    /// Unique for each text: behind PgBouncer, sessions of several programs share prepared statements.
    let name: String

    init(_ text: String) {
        self.text = text
        var digest = RunningDigest()
        Array(text.utf8).withUnsafeBytes { digest.update($0) }
        // Names end after 63 bytes, of which `name(afterSending:)` needs some.
        name = "firn_\("\(digest.value)".prefix(32))"
    }

    /// The name of the prepared statement after `count` executions.
    func name(afterSending count: Int) -> String {
        let generation = max(0, Int.bitWidth - count.leadingZeroBitCount - Self.firstBits)
        return "\(name)_\(generation)"
    }

    /// The first plan serves as many executions as a number of this many bits can count.
    private static let firstBits = 6

    /// Whether this SQLSTATE says that a prepared statement is missing, or exists already: the session is another one
    /// than before, as behind PgBouncer in transaction mode.
    static func isStale(_ state: String) -> Bool { state == "26000" || state == "42P05" }
}

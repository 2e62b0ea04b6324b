import FirnLog

/// Why a statement gave no answer, or not the one that was asked for.
enum PostgresFailure: Error {
    /// The connection is gone, or of no use any more. What was sent may have been done, or may be done yet.
    case lost(String)
    /// The server refused the statement and did nothing.
    case refused(state: String, message: String)

    /// Whether the same statement may succeed when it is sent again, perhaps over another connection.
    var isPassing: Bool {
        switch self {
        case .lost: true
        // Classes of https://www.postgresql.org/docs/15/errcodes-appendix.html: connection exceptions, serialization
        // and deadlocks, too many connections, shutdowns and sessions that idled, and a primary that has become a
        // standby.
        case .refused(let state, _):
            state.hasPrefix("08") || state == "40001" || state == "40P01" || state == "53300"
                || (state.hasPrefix("57P") && state != "57P04") || state == "25006"
        }
    }

    /// Whether the connection had better be thrown away.
    var endsConnection: Bool {
        switch self {
        case .lost: true
        case .refused(let state, _):
            state.hasPrefix("08") || state.hasPrefix("57P") || state == "25006" || state == "25P03"
        }
    }

    func error(_ place: String) -> LogError {
        switch self {
        case .lost(let message):
            LogError(.unreachable, "The server cannot be reached: \(message) Try again later.", path: place)
        case .refused(let state, let message): Self.refusal(state, message, place)
        }
    }

    private static func refusal(_ state: String, _ message: String, _ place: String) -> LogError {
        let (code, advice): (LogError.Code, String) =
            switch state {
            case "42501":
                (
                    .notPermitted,
                    "Grant this user what the log needs: to create a schema for the first log of a database; for the "
                        + "others usage of the schema firn, and select, insert, update and delete on its tables."
                )
            case "57014", "55P03":
                (
                    .refused,
                    "Nothing was written. If it was statement_timeout or lock_timeout, give this user a longer one."
                )
            case "25P03":
                (.refused, "Nothing was written. Give this user a longer idle_in_transaction_session_timeout.")
            case "25006": (.readOnly, "This server only reads; name the primary.")
            case "53100": (.noSpace, "Nothing was appended; free some space on the server and try again.")
            case "42P01", "42703", "42883", "3F000":
                (.notALog, "The schema firn of this database is not the one that this program makes.")
            default: (.refused, "Nothing was written.")
            }
        return LogError(code, "The server refused: \(message) (\(state)). \(advice)", path: place)
    }
}

extension String {
    /// A server's message as one line that ends like a sentence.
    var asSentence: String {
        let line = split(whereSeparator: \.isWhitespace).joined(separator: " ").printable
        return line.hasSuffix(".") || line.hasSuffix("?") ? line : line + "."
    }

    /// The text without what could move a terminal's cursor, change its colours or the order of its characters.
    var printable: String {
        func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
            let category = scalar.properties.generalCategory
            return category == .control || category == .format || category == .lineSeparator
                || category == .paragraphSeparator
        }
        guard unicodeScalars.contains(where: isUnsafe) else { return self }
        return String(String.UnicodeScalarView(unicodeScalars.map { isUnsafe($0) ? "\u{FFFD}" : $0 }))
    }
}

/// The advice for a connection that could not be made, by libpq's or the server's message.
enum ConnectAdvice {
    /// The first of these texts that the message has decides.
    private static let sentences: [(text: String, advice: String)] = [
        ("read-only", "This server only reads: name the primary."),
        ("pg_hba.conf", "Let this user connect from this host: the server's pg_hba.conf decides."),
        ("SSL", certificate), ("certificate", certificate),
        ("too many", "Raise max_connections or this user's limit, or put PgBouncer in between."),
        ("remaining connection slots", "Raise max_connections, or put PgBouncer in between."),
        ("password", "Check user and password of the address."),
        ("role \"", "Check the user of the address."),
        ("database \"", "Check the database of the address."),
        ("translate host name", "Check the host of the address, and this machine's name service."),
        ("Connection refused", "Check that the server runs, and host and port of the address."),
        ("No such file", "Check that the server runs on this machine, or name its host."),
        ("timeout expired", silent), ("timed out", silent), ("No route", silent), ("unreachable", silent),
        ("starting up", later), ("shutting down", later), ("in recovery", later), ("closed the connection", later),
        ("Connection reset", later),
    ]

    private static let certificate =
        "Check that the server's certificate has not expired, that it is for this host, and that its authority is in "
        + "sslrootcert."
    private static let silent = "Check that the host is up, and that no firewall is in between."
    private static let later = "Try again later."

    static func sentence(_ message: String) -> String {
        sentences.first { message.contains($0.text) }?.advice ?? "Check the address."
    }
}

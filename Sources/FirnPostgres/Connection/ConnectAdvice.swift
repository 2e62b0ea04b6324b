/// What to do about a connection that could not be made, by libpq's or the server's message.
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

#if Server
import HTTPTypes

/// Names of fields that the library of HTTP types lacks.
extension HTTPField.Name {
    static let host = unchecked("Host")
    static let lastEventID = unchecked("Last-Event-ID")
    static let link = unchecked("Link")
    static let referrerPolicy = unchecked("Referrer-Policy")
    static let secFetchMode = unchecked("Sec-Fetch-Mode")
    static let secFetchSite = unchecked("Sec-Fetch-Site")
    /// Asks nginx to pass a stream on as it comes.
    static let xAccelBuffering = unchecked("X-Accel-Buffering")
    /// The last record that a response covers.
    static let firnPosition = unchecked("Firn-Position")
    /// The understood times of a request.
    static let firnTimes = unchecked("Firn-Times")
    /// The last record of the log when the response was made.
    static let firnHead = unchecked("Firn-Head")

    private static func unchecked(_ text: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(text) else { fatalError("\(text) is no name of a field; spell it otherwise") }
        return name
    }
}
#endif

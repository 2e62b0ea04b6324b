#if Server
import FirnInspection
import HTTPTypes
import Hummingbird

/// Why a request is refused: a status, a reason, and what the client can do about it.
struct RequestFailure: HTTPResponseError {
    let status: HTTPResponse.Status
    let reason: String
    let remedy: String
    var headers = HTTPFields()

    init(_ status: HTTPResponse.Status, _ reason: String, remedy: String, headers: HTTPFields = [:]) {
        self.status = status
        self.reason = reason
        self.remedy = remedy
        self.headers = headers
    }

    static func badRequest(_ reason: String, remedy: String) -> RequestFailure {
        RequestFailure(.badRequest, reason, remedy: remedy)
    }

    static func notFound(_ reason: String, remedy: String) -> RequestFailure {
        RequestFailure(.notFound, reason, remedy: remedy)
    }

    var json: JSONObject {
        ["error": .object(["status": .number(status.code), "reason": .text(reason), "remedy": .text(remedy)])]
    }

    func response(from request: Request, context: some RequestContext) -> Response {
        var response = Response.json(json, status: status)
        response.headers.append(contentsOf: headers)
        response.headers[.cacheControl] = "no-store"
        return response
    }
}

extension Response {
    static func json(_ object: JSONObject, status: HTTPResponse.Status = .ok) -> Response {
        text(object.line + "\n", type: "application/json", status: status)
    }

    /// - Parameter type: the media type; the text is UTF-8.
    static func text(_ text: String, type: String, status: HTTPResponse.Status = .ok) -> Response {
        var headers = HTTPFields()
        headers[.contentType] = type
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}

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

#if Server
import FirnLog
import Foundation
import HTTPTypes
import Hummingbird

/// The checks that every request passes: methods, host and origin, token. It turns every error into JSON with a reason,
/// and adds the headers that keep a browser from running or loading anything foreign.
struct AccessGuard<Context: RequestContext>: RouterMiddleware {
    let options: ChangeFeedOptions
    let metrics: ServerMetrics

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var response: Response
        do {
            try check(request)
            response = try await next(request, context)
        } catch {
            response = failure(error, request).response(from: request, context: context)
        }
        response = ResponseCompression.applied(to: response, for: request)
        if let channel = (context as? any ChannelRequestContext)?.channel {
            response = StalledClient.closed(for: response, over: channel)
        }
        metrics.count(response.status)
        for (name, value) in Self.headers where response.headers[name] == nil { response.headers[name] = value }
        return response
    }

    private func check(_ request: Request) throws {
        let isRevert = isRevert(request)
        guard request.method == .get || request.method == .head || isRevert && request.method == .post else {
            throw RequestFailure(
                .methodNotAllowed, "\(request.method) is not answered: the service only reads",
                remedy: "use GET", headers: [.allow: isRevert ? "GET, HEAD, POST" : "GET, HEAD"])
        }
        guard request.head.path?.hasPrefix("/") == true else {
            throw RequestFailure.badRequest(
                "the target of the request is no path", remedy: "send the path alone; the host is in the Host header")
        }
        if request.uri.path == options.prefix + "/healthz" { return }
        let host = try checkHost(request)
        try checkOrigin(request, host)
        try checkToken(request)
        if request.method == .post { try checkSameOrigin(request) }
    }

    /// Whether the request is for one of the two routes that write.
    private func isRevert(_ request: Request) -> Bool {
        let path = request.uri.path.dropFirst(options.prefix.count)
        return options.allowsRevert
            && (path.hasPrefix("/records/") && path.hasSuffix("/revert")
                || path.hasPrefix("/objects/") && path.hasSuffix("/restore"))
    }

    /// A browser adds the token to requests that other pages make it send, so what writes must say that it comes from
    /// a page of this service. A bearer token no browser adds by itself.
    private func checkSameOrigin(_ request: Request) throws {
        let isBearer = request.headers[.authorization]?.lowercased().hasPrefix("bearer ") == true
        let site = request.headers[.secFetchSite]
        guard request.headers[.origin] != nil || isBearer, site == nil || site == "same-origin" else {
            throw RequestFailure(
                .forbidden, "the request does not come from a page of this service",
                remedy: "use the button of the record's page, or send the token as Authorization: Bearer")
        }
    }

    /// Returns the host, with its port.
    private func checkHost(_ request: Request) throws -> String {
        guard let host = request.head.authority, !host.isEmpty else {
            throw RequestFailure.badRequest("the request names no host", remedy: "send a Host header")
        }
        guard request.headers[.host] == nil else {
            throw RequestFailure.badRequest("the request names two hosts", remedy: "send one Host header")
        }
        guard HostName(host)?.isAllowed(options.allowedHosts) == true else {
            throw RequestFailure(
                .misdirectedRequest, "this service is not known as “\(host.prefix(100))”",
                remedy: "use an address or localhost, or start firn serve with --allow-host")
        }
        return host
    }

    private func checkOrigin(_ request: Request, _ host: String) throws {
        if let origin = request.headers[.origin], origin != "http://" + host, origin != "https://" + host {
            throw RequestFailure(
                .forbidden, "a page of \(origin.prefix(100)) may not read this",
                remedy: "read it from the service's own page, or from a program")
        }
        let site = request.headers[.secFetchSite]
        if site == "cross-site" || site == "same-site", request.headers[.secFetchMode] != "navigate" {
            throw RequestFailure(
                .forbidden, "a page of another site may not read this",
                remedy: "read it from the service's own page, or from a program")
        }
    }

    private func checkToken(_ request: Request) throws {
        guard let token = options.token else { return }
        guard let given = request.headers[.authorization].flatMap(Self.token), Self.isEqual(given, token) else {
            throw RequestFailure(
                .unauthorized, "the request carries no valid token",
                remedy: "send Authorization: Bearer TOKEN, or enter the token as the password",
                headers: [.wwwAuthenticate: #"Basic realm="firn", charset="UTF-8""#])
        }
    }

    /// A bearer token, or the password of a browser's dialog, which has no other way to send one.
    private static func token(_ field: String) -> String? {
        let parts = field.split(separator: " ", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        switch parts[0].lowercased() {
        case "bearer": return String(parts[1])
        case "basic":
            guard let data = Data(base64Encoded: String(parts[1])) else { return nil }
            let text = String(decoding: data, as: UTF8.self)
            return text.firstIndex(of: ":").map { String(text[text.index(after: $0)...]) }
        default: return nil
        }
    }

    /// In a time that depends on the given text alone, so that the time says nothing of the token.
    static func isEqual(_ given: String, _ token: String) -> Bool {
        let (given, token) = (Array(given.utf8), Array(token.utf8))
        guard !token.isEmpty else { return false }
        var difference = given.count ^ token.count
        for index in given.indices { difference |= Int(given[index] ^ token[index % token.count]) }
        return difference == 0
    }

    private func failure(_ error: any Error, _ request: Request) -> RequestFailure {
        if let failure = error as? RequestFailure { return failure }
        if let error = error as? LogError, error.code == .missing {
            return RequestFailure(
                .gone, "\(error.message)", remedy: "ask /v1/store for the first and the last record")
        }
        if let error = error as? HTTPError {
            return error.status == .notFound
                ? .notFound("there is no \(request.uri.path.prefix(100))", remedy: "see /openapi.json for the routes")
                : RequestFailure(error.status, error.body ?? "the request is refused", remedy: "see /openapi.json")
        }
        metrics.report(error)
        return RequestFailure(
            .internalServerError, "the store could not be read",
            remedy: "see the service's standard error; firn verify looks for damage")
    }

    private static var headers: [(HTTPField.Name, String)] {
        [
            (
                .contentSecurityPolicy,
                "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; "
                    + "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
            ),
            (.xContentTypeOptions, "nosniff"), (.referrerPolicy, "no-referrer"),
            (.crossOriginResourcePolicy, "same-origin"), (.cacheControl, "no-store"),
        ]
    }
}

/// The limits of a change feed's routes: what they allow, and how much one request may cost.
public struct ChangeFeedOptions: Sendable {
    /// The token that every request must carry, as `Authorization: Bearer …`, or as the password of a browser's dialog;
    /// nil asks for nothing, which is for loopback only.
    public var token: String?
    /// Names under which the service may be reached, apart from `localhost` and addresses. Another name in `Host` is
    /// refused, so that a foreign page cannot reach the service under a name of its own (DNS rebinding).
    public var allowedHosts: Set<String> = []
    /// The path before every route, such as `/history`; empty at the root.
    public var prefix = ""
    /// Whether the page of a record has a button that undoes it. It needs a token. Without it the service only reads.
    public var allowsRevert = false
    /// How long a condition may search.
    public var queryTimeout = Duration.seconds(5)
    /// A follower to which nothing was sent for so long gets a comment.
    public var commentInterval = Duration.seconds(15)
    /// Followers above this number are refused.
    public var followerCountMax = 20_000

    public init() {}
}

/// The host that a request names, without its port. https://www.rfc-editor.org/rfc/rfc3986#section-3.2
struct HostName {
    let name: String
    private let isLiteral: Bool

    /// Nil unless the text is a host, perhaps with a port, and nothing else.
    init?(_ authority: String) {
        let host: Substring
        if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") {
            host = authority[...end]
            name = String(host.dropFirst().dropLast())
            isLiteral = Self.isAddress(name, AF_INET6)
        } else {
            host = authority.prefix { $0 != ":" }
            name = host.lowercased()
            isLiteral = Self.isAddress(name, AF_INET)
        }
        let port = authority[host.endIndex...]
        guard port.isEmpty || port.first == ":" && port.utf8.dropFirst().allSatisfy({ (48...57).contains($0) }) else {
            return nil
        }
    }

    /// An address is always allowed: only a name can be made to point elsewhere.
    func isAllowed(_ names: Set<String>) -> Bool {
        isLiteral || name == "localhost" || names.contains { $0.lowercased() == name }
    }

    private static func isAddress(_ text: String, _ family: Int32) -> Bool {
        var address = in6_addr()
        return !text.contains("\0") && inet_pton(family, text, &address) == 1
    }
}
#endif

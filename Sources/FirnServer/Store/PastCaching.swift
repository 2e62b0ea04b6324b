#if Server
import FirnLog
import HTTPTypes
import Hummingbird

/// Entity tags of responses about the past. What was written never changes, unless values were erased: so the tag names
/// the last erasure, too, and a cache has to ask before it gives a response again.
final class PastCaching: Sendable {
    private let store: ServedStore
    private let field: String

    /// - Parameter isPublic: whether a shared cache may keep responses: nobody needs a token.
    init(_ store: ServedStore, isPublic: Bool) {
        self.store = store
        field = isPublic ? "no-cache" : "private, no-cache"
    }

    /// The tag of a response that depends on the records up to `end` and on the request; nil for an empty log.
    func tag(through end: SequenceNumber, _ request: Request) throws -> String? {
        guard end >= store.log.first, end <= store.log.head else { return nil }
        let erasure = try store.frames.lastErasure()
        // Weak: a compressed response has the same one.
        return #"W/"\#(store.log.position(of: end))-\#(erasure)-\#(Self.digest(request.uri.string))""#
    }

    /// Adds the tag. Returns 304 instead if the client has the response.
    func applied(
        to response: Response, _ request: Request, _ parameters: QueryParameters, through end: SequenceNumber
    ) throws -> Response {
        guard let tag = try tag(through: end, request) else { return response }
        var response = response
        if Self.names(request.headers[.ifNoneMatch], tag) {
            response = Response(status: .notModified)
        }
        response.headers[.eTag] = tag
        response.headers[.firnTimes] = try parameters.timesField(in: store.log)
        response.headers[.cacheControl] = field
        return response
    }

    /// By the weak comparison: https://www.rfc-editor.org/rfc/rfc9110#section-13.1.2
    private static func names(_ field: String?, _ tag: String) -> Bool {
        let opaque = tag.dropFirst(2)
        return (field ?? "").split(separator: ",").map { $0.filter { $0 != " " } }
            .contains { $0 == tag || $0 == opaque }
    }

    /// FNV-1a (https://www.rfc-editor.org/rfc/rfc9923): the same in every run, unlike a hash of Swift's.
    private static func digest(_ text: String) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return String(hash, radix: 36)
    }
}
#endif

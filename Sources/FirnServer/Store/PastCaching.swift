#if Server
import FirnInspection
import FirnLog
import HTTPTypes
import Hummingbird
import Synchronization

/// When a response about the past may be cached. What was written never changes, unless values were erased: so the
/// entity tag names the last erasure, too.
final class PastCaching: Sendable {
    private struct Walk {
        var position = SequenceNumber.zero
        var lastErasure = SequenceNumber.zero
    }

    private let store: ServedStore
    private let isPublic: Bool
    private let walk = Mutex(Walk())

    /// - Parameter isPublic: whether a shared cache may keep responses: nobody needs a token.
    init(_ store: ServedStore, isPublic: Bool) {
        self.store = store
        self.isPublic = isPublic
    }

    /// Looks for erasures in the records since the last call. The first call walks over the headers of all records.
    func advance() throws {
        try walk.withLock { walk in
            let reader = try store.log.records(after: max(walk.position, store.log.beforeFirst))
            while let frame = try reader.nextFrameInfo() {
                if frame.kind == .erasure { walk.lastErasure = frame.sequence }
            }
            walk.position = reader.position
        }
    }

    /// The tag of a response that depends on the records up to `end` and on the request; nil for an empty log.
    func tag(through end: SequenceNumber, _ request: Request) throws -> String? {
        guard end >= store.log.first, end <= store.log.head else { return nil }
        try advance()
        let erasure = walk.withLock { $0.lastErasure }
        let link = "\(try store.log.frame(at: end).link)".prefix(16)
        return #""\#(end)-\#(link)-\#(erasure)-\#(Self.digest(request.uri.string))""#
    }

    /// Adds the tag, and lets caches keep a response that no later record changes. Returns 304 instead if the client
    /// has it.
    func applied(
        to response: Response, _ request: Request, through end: SequenceNumber, isImmutable: Bool
    ) throws -> Response {
        guard let tag = try tag(through: end, request) else { return response }
        var response = response
        if request.headers[.ifNoneMatch]?.split(separator: ",").contains(where: { $0.drop { $0 == " " } == tag })
            == true
        {
            response = Response(status: .notModified)
        }
        response.headers[.eTag] = tag
        response.headers[.cacheControl] =
            isImmutable ? (isPublic ? "public" : "private") + ", max-age=31536000, immutable" : "no-cache"
        return response
    }

    /// FNV-1a (https://www.rfc-editor.org/rfc/rfc9923): the same in every run, unlike a hash of Swift's.
    private static func digest(_ text: String) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return String(hash, radix: 36)
    }
}
#endif

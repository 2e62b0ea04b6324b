#if Server
import HTTPTypes
public import Hummingbird
public import NIOCore

/// Closes the connection of a client that does not read its response: it would hold the connection and the bytes
/// without end. Followers may be slow, as they cost one part each.
enum StalledClient {
    static func closed(for response: Response, over channel: any Channel) -> Response {
        guard response.headers[.contentType]?.hasPrefix("text/event-stream") != true else { return response }
        var response = response
        let body = response.body
        response.body = ResponseBody(contentLength: body.contentLength) { writer in
            try await body.write(TimedWriter(writer, channel))
        }
        return response
    }
}

/// Writes small parts to another writer, each within a time.
private struct TimedWriter: ResponseBodyWriter {
    private static let partSize = 64 << 10
    private static let timeout = TimeAmount.seconds(30)

    private var next: any ResponseBodyWriter
    private let channel: any Channel

    init(_ next: any ResponseBodyWriter, _ channel: any Channel) {
        self.next = next
        self.channel = channel
    }

    mutating func write(_ buffer: ByteBuffer) async throws {
        var rest = buffer
        while let part = rest.readSlice(length: min(rest.readableBytes, Self.partSize)), part.readableBytes > 0 {
            let timer = channel.eventLoop.scheduleTask(in: Self.timeout) { [channel] in channel.close(promise: nil) }
            defer { timer.cancel() }
            try await next.write(part)
        }
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {
        let next = next
        try await next.finish(trailingHeaders)
    }
}

/// A request's context that knows its connection. An application whose context is one has followers that cost least:
/// the feed writes to their connections itself.
public protocol ChannelRequestContext: RequestContext {
    /// The connection that the request came over.
    var channel: any Channel { get }
}

/// The context of `firn-serve`, which an application's router may use, too.
public struct ChangeFeedContext: ChannelRequestContext {
    public var coreContext: CoreRequestContextStorage
    public let channel: any Channel

    /// The context of a request over a connection.
    public init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }
}
#endif

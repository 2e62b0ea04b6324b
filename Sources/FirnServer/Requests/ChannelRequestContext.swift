#if Server
public import Hummingbird
public import NIOCore

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

#if Server
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import Synchronization

/// Connections of HTTP/1.1 whose tasks stay small. A task's stack on the heap never shrinks, and a request's way
/// through routes and checks makes it large. So each request has a task of its own, which ends: what waits for the next
/// one, or for the end of a stream, is the connection's task, and small.
struct ConnectionChannel: ServerChildChannel {
    typealias Value = HTTP1Channel.Value

    /// Told by a route that it has handed its connection to `LoopFollowers`, which writes the rest of the response.
    final class Handoff: Sendable {
        /// Nil where the connection is another server's.
        @TaskLocal static var current: Handoff?

        private let isDone = Atomic(false)

        func confirm() { isDone.store(true, ordering: .releasing) }
        var isConfirmed: Bool { isDone.load(ordering: .acquiring) }
    }

    /// Carries the writer into the request's task, to be taken out once.
    private final class PendingResponse: @unchecked Sendable {
        private var writer: ResponseWriter?

        init(_ writer: consuming ResponseWriter) { self.writer = consume writer }

        func removeWriter() -> ResponseWriter? { writer.take() }
    }

    private let http: HTTP1Channel

    init(configuration: HTTP1Channel.Configuration, responder: @escaping HTTPChannelHandler.Responder) {
        http = HTTP1Channel(
            responder: { request, writer, channel in
                let (response, handoff) = (PendingResponse(writer), Handoff())
                try await Self.run {
                    try await Handoff.$current.withValue(handoff) {
                        guard let writer = response.removeWriter() else { return }
                        try await responder(request, writer, channel)
                    }
                }
                if handoff.isConfirmed { try await channel.closeFuture.get() }
            }, configuration: configuration)
    }

    /// Runs a task of its own. Nothing refers to it when this returns: an ended task keeps its memory as long as
    /// anything does.
    private static func run(_ body: @escaping @Sendable () async throws -> Void) async throws {
        let task = Task(operation: body)
        try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        http.setup(channel: channel, logger: logger).flatMapThrowing { value in
            let pipeline = channel.pipeline.syncOperations
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            try pipeline.addHandler(TargetMark(), position: .after(decoder))
            return value
        }
    }

    func handle(value: Value, logger: Logger) async { await http.handle(value: value, logger: logger) }
}

/// Marks requests whose target is no path, which `AccessGuard` refuses: the handlers that follow make `/x` of
/// `http://elsewhere/x`, and nobody would ask whether the host is known.
private final class TargetMark: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data), !head.uri.hasPrefix("/") else {
            return context.fireChannelRead(data)
        }
        head.uri = "*"
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }
}
#endif

#if Server
import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOHTTP1

/// Writes the rest of a body whose head is sent already, past the encoder of HTTP: chunks that many connections share
/// are framed once. https://www.rfc-editor.org/rfc/rfc9112#section-7.1
struct ChunkWriter: ResponseBodyWriter {
    /// The chunk that ends a body.
    static let end = ByteBuffer(string: "0\r\n\r\n")

    private let channel: any Channel

    /// - Parameter channel: a connection of HTTP/1.1 with a chunked body.
    init(_ channel: any Channel) { self.channel = channel }

    /// The context that writes to the handlers before the encoder. To be called on the channel's loop.
    static func context(of channel: any Channel) throws -> ChannelHandlerContext {
        try channel.pipeline.syncOperations.context(handlerType: HTTPResponseEncoder.self)
    }

    /// Buffers as one chunk; nothing for nothing, as an empty chunk would end the body.
    static func chunk(_ buffers: some Collection<ByteBuffer>) -> ByteBuffer {
        let size = buffers.reduce(0) { $0 + $1.readableBytes }
        guard size > 0 else { return ByteBuffer() }
        var chunk = ByteBufferAllocator().buffer(capacity: size + 16)
        chunk.writeString(String(size, radix: 16) + "\r\n")
        for buffer in buffers { chunk.writeImmutableBuffer(buffer) }
        chunk.writeString("\r\n")
        return chunk
    }

    func write(_ buffer: ByteBuffer) async throws { try await send(Self.chunk([buffer])) }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws { try await send(Self.end) }

    private func send(_ bytes: ByteBuffer) async throws {
        guard bytes.readableBytes > 0 else { return }
        try await channel.eventLoop.flatSubmit { [channel] in
            do {
                return try Self.context(of: channel).writeAndFlush(NIOAny(bytes))
            } catch {
                return channel.eventLoop.makeFailedFuture(error)
            }
        }.get()
    }
}
#endif

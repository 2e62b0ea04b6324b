#if Server
import CZlib
import HTTPTypes
import Hummingbird
import NIOCore

/// Compresses responses with gzip for clients that accept it. Streams of events are left as they are: each event would
/// need the compressor's whole state, for each follower.
enum ResponseCompression {
    /// Below this length, what is saved is less than what the header costs.
    private static let sizeMin = 1024
    private static let types = [
        "application/json", "application/x-ndjson", "text/html", "text/css", "text/javascript", "image/svg+xml",
    ]

    static func applied(to response: Response, for request: Request) -> Response {
        guard let type = response.headers[.contentType], types.contains(where: type.hasPrefix) else { return response }
        var response = response
        response.headers[.vary] = "Accept-Encoding"
        guard request.method == .get, response.status == .ok, response.headers[.contentEncoding] == nil,
            response.body.contentLength ?? .max >= sizeMin, accepts(request.headers[.acceptEncoding])
        else { return response }
        let body = response.body
        response.headers[.contentEncoding] = "gzip"
        response.body = ResponseBody { writer in try await body.write(GzipWriter(writer)) }
        return response
    }

    /// https://www.rfc-editor.org/rfc/rfc9110#section-12.5.3
    static func accepts(_ field: String?) -> Bool {
        (field ?? "").lowercased().split(separator: ",").contains { coding in
            let parts = coding.split(separator: ";").map { $0.filter { !$0.isWhitespace } }
            guard let name = parts.first, name == "gzip" || name == "x-gzip" || name == "*" else { return false }
            let quality = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 }
            return quality ?? 1 > 0
        }
    }
}

/// Compresses what is written, and writes it to another writer.
private struct GzipWriter: ResponseBodyWriter {
    private var next: any ResponseBodyWriter
    private let compressor = GzipCompressor()

    init(_ next: any ResponseBodyWriter) { self.next = next }

    mutating func write(_ buffer: ByteBuffer) async throws {
        let bytes = try compressor.compress(buffer, flush: Z_NO_FLUSH)
        if bytes.readableBytes > 0 { try await next.write(bytes) }
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {
        let bytes = try compressor.compress(ByteBuffer(), flush: Z_FINISH)
        var next = next
        try await next.write(bytes)
        try await next.finish(trailingHeaders)
    }
}

/// zlib's `deflate`: https://www.zlib.net/manual.html#Advanced
private final class GzipCompressor {
    struct Failure: Error {
        let status: Int32
    }

    /// The fastest: lines of JSON become a tenth, and with more effort hardly less.
    private static let level: Int32 = 1
    /// The largest window, and gzip's header instead of zlib's.
    private static let windowBits = MAX_WBITS + 16
    private static let memoryLevel: Int32 = 8
    private static let chunkSize = 32 << 10

    /// It stays where it is, since zlib refers to it.
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private var chunk = [UInt8](repeating: 0, count: GzipCompressor.chunkSize)

    init() {
        stream.initialize(to: z_stream())
        // It fails for lack of memory alone; then every call of deflate does.
        _ = deflateInit2_(
            stream, Self.level, Z_DEFLATED, Self.windowBits, Self.memoryLevel, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
    }

    deinit {
        deflateEnd(stream)
        stream.deinitialize(count: 1)
        stream.deallocate()
    }

    /// Compresses the bytes; with `Z_FINISH` it returns the rest.
    func compress(_ buffer: ByteBuffer, flush: Int32) throws -> ByteBuffer {
        var input = Array(buffer.readableBytesView)
        var output = ByteBuffer()
        try input.withUnsafeMutableBufferPointer { input in
            stream.pointee.next_in = input.baseAddress
            stream.pointee.avail_in = UInt32(input.count)
            var status = Z_OK
            repeat {
                let count = chunk.withUnsafeMutableBufferPointer { chunk in
                    stream.pointee.next_out = chunk.baseAddress
                    stream.pointee.avail_out = UInt32(chunk.count)
                    status = deflate(stream, flush)
                    return chunk.count - Int(stream.pointee.avail_out)
                }
                // Z_BUF_ERROR says that nothing is left to be done.
                guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else {
                    throw Failure(status: status)
                }
                output.writeBytes(chunk[..<count])
            } while stream.pointee.avail_out == 0 && status != Z_STREAM_END
        }
        return output
    }
}
#endif

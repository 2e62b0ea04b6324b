internal import CZlib

/// Expands what DEFLATE compressed, without the header that zlib puts around it: https://www.rfc-editor.org/rfc/rfc1951
///
/// Core Data keeps the model of a store in the store, compressed so.
package enum Inflate {
    private static let chunkSize = 64 << 10

    /// The expanded bytes; nil if they are damaged, end early, or would be more than `sizeMax`.
    ///
    /// Uses zlib's `inflate`: https://www.zlib.net/manual.html#Basic
    package static func expand(_ bytes: [UInt8], sizeMax: Int = 256 << 20) -> [UInt8]? {
        var stream = z_stream()
        // Negative: no zlib header.
        guard
            inflateInit2_(&stream, -MAX_WBITS, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
        else { return nil }
        defer { inflateEnd(&stream) }
        var input = bytes
        var output: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: chunkSize)
        return input.withUnsafeMutableBufferPointer { input -> [UInt8]? in
            stream.next_in = input.baseAddress
            stream.avail_in = UInt32(input.count)
            while true {
                let (status, count) = chunk.withUnsafeMutableBufferPointer { chunk in
                    stream.next_out = chunk.baseAddress
                    stream.avail_out = UInt32(chunk.count)
                    let status = inflate(&stream, Z_NO_FLUSH)
                    return (status, chunk.count - Int(stream.avail_out))
                }
                guard output.count + count <= sizeMax else { return nil }
                output += chunk[..<count]
                if status == Z_STREAM_END { return output }
                // Without progress the input has ended early.
                guard status == Z_OK, count > 0 || stream.avail_in > 0 else { return nil }
            }
        }
    }
}

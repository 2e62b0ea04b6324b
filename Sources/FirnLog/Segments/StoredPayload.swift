/// A frame's payload as stored, without what stands before a redacted one.
enum StoredPayload {
    /// Valid until the cursor moves.
    case held(UnsafeRawBufferPointer)
    /// Too large to be in memory together with its decoded form.
    case inFile(FilePayload)
}

/// Bytes that stay in their file.
struct FilePayload {
    private static let pieceSize = 1 << 20

    let file: any File
    let offset: Int64
    let size: Int

    /// Calls `body` with one piece after the other; returns how many bytes there were: fewer than `size` if the file
    /// ends.
    func forEachPiece(_ body: (UnsafeRawBufferPointer) throws(FileError) -> Void) throws(FileError) -> Int {
        var buffer = [UInt8](repeating: 0, count: min(size, Self.pieceSize))
        var done = 0
        while done < size {
            let wanted = min(size - done, buffer.count)
            let count = try buffer.withMutableBytes { target throws(FileError) in
                let target = UnsafeMutableRawBufferPointer(rebasing: target[..<wanted])
                let count = try file.read(into: target, at: offset + Int64(done))
                try body(UnsafeRawBufferPointer(rebasing: target[..<count]))
                return count
            }
            done += count
            if count < wanted { break }
        }
        return done
    }

    /// Copies them to another file; returns how many there were.
    func copy(to target: any File, at place: Int64) throws(FileError) -> Int {
        var end = place
        return try forEachPiece { piece throws(FileError) in
            try target.write(piece.bytes, at: end)
            end += Int64(piece.count)
        }
    }
}

/// Calls `body` with a frame's payload as it was before compression.
///
/// - Parameter what: what the frame is, for messages.
func decompressed<R>(
    _ frame: Frame, in segment: Segment, _ decompressor: Decompressor, what: String = "A record",
    _ body: (UnsafeRawBufferPointer) throws(DecodeFailure) -> R
) throws(LogError) -> R {
    let header = frame.header
    let loading: PayloadLoading?
    if case .inFile(let payload) = frame.payload {
        let pieces = PayloadLoading(header, digest: frame.digest)
        _ = try attempt { () throws(FileError) in try payload.forEachPiece(pieces.add) }
        loading = pieces
    } else {
        loading = nil
    }
    do throws(DecodeFailure) {
        let raw: [UInt8]
        switch frame.payload {
        case .inFile: raw = try loading?.finish() ?? []
        case .held(let payload) where header.flags.contains(.compressed):
            raw = try decompressor.decompress(
                payload, rawSize: Int(header.rawSize),
                dictionary: header.flags.contains(.dictionary) ? segment.dictionary : nil)
        case .held(let payload):
            guard Int(header.rawSize) == payload.count else {
                throw DecodeFailure(what: "\(payload.count) plain bytes", offset: 0)
            }
            return try body(payload)
        }
        return try raw.withBytes { bytes throws(DecodeFailure) in try body(bytes) }
    } catch {
        throw LogError(
            .damaged, "\(what) means nothing, though its checksums hold: it was written wrong.", path: segment.path,
            offset: frame.offset, sequence: header.sequence, expected: "a payload of kind \(header.kind)",
            found: "\(error.what), at byte \(error.offset) of it")
    }
}

/// A frame's payload as it was before compression.
func plainPayload(
    _ frame: Frame, in segment: Segment, _ decompressor: Decompressor
) throws(LogError) -> [UInt8] {
    try decompressed(frame, in: segment, decompressor) { Array($0) }
}

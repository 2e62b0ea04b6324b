/// Decompresses and decodes a frame's payload. Throws `unsupportedVersion` for a kind of record, or flags, that this
/// version does not know.
func decode(
    _ frame: Frame, in segment: Segment, _ decompressor: Decompressor
) throws(LogError) -> LogRecord {
    let header = frame.header
    guard FrameFlags.known.isSuperset(of: header.flags), header.kind.isKnownRecord else {
        throw LogError(
            .unsupportedVersion, "A newer version wrote this record; update the program to read it.",
            path: segment.path, offset: frame.offset, sequence: header.sequence,
            expected: "a kind of record, and flags, of format \(Format.version)",
            found: "\(header.kind), flags \(header.flags.rawValue)")
    }
    return try decompressed(frame, in: segment, decompressor) { payload throws(DecodeFailure) in
        try PayloadReader.record(payload, kind: header.kind, sequence: header.sequence, date: header.date)
    }
}

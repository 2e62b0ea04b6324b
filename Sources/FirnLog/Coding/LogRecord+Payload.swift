extension LogRecord {
    /// The record's payload before compression, as `Documentation/Format.md` describes it: without its number, its
    /// date and its kind, which stand in the frame's header.
    package func payload() -> [UInt8] { PayloadWriter.payload(body, header) }

    /// Reads a payload. Any bytes give a record or an error.
    package init(
        decoding payload: [UInt8], kind: FrameKind, sequence: SequenceNumber, date: Int64
    ) throws {
        self = try payload.withBytes { bytes throws(DecodeFailure) in
            try PayloadReader.record(bytes, kind: kind, sequence: sequence, date: date)
        }
    }
}

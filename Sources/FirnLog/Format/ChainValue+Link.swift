extension ChainValue {
    /// The link of the frame that follows the one with this link:
    /// SHA-256(this link ‖ payload digest ‖ sequence number ‖ date ‖ kind), the numbers low byte first.
    ///
    /// The link does not depend on the frame's place or the length of its payload. So a segment can be rewritten
    /// without redacted values, and the chain still holds.
    func link(
        payloadDigest: ChainValue, sequence: SequenceNumber, date: Int64, kind: FrameKind
    ) -> ChainValue {
        withUnsafeTemporaryAllocation(byteCount: 2 * Self.size + 17, alignment: 8) { buffer in
            copy(to: buffer, at: 0)
            payloadDigest.copy(to: buffer, at: Self.size)
            buffer.storeBytes(of: sequence.rawValue.littleEndian, toByteOffset: 64, as: UInt64.self)
            buffer.storeBytes(of: date.littleEndian, toByteOffset: 72, as: Int64.self)
            buffer.storeBytes(of: kind.rawValue, toByteOffset: 80, as: UInt8.self)
            return ChainValue(digestOf: UnsafeRawBufferPointer(buffer))
        }
    }
}

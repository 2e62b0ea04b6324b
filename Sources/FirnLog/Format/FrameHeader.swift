/// The 32 bytes at the beginning of a frame.
struct FrameHeader: Hashable {
    var kind: FrameKind
    var flags: FrameFlags
    /// How many records before this one were not known to be durable when it was written; `UInt16.max` says
    /// that as many or more were.
    var unsynced: UInt16
    /// Bytes of the payload in the file, without the zeros that align it.
    var storedSize: UInt32
    /// Bytes of the payload after decompression.
    var rawSize: UInt32
    var sequence: SequenceNumber
    /// Microseconds since 1970.
    var date: Int64

    var frameSize: Int { Format.frameSize(storedSize: Int(storedSize)) }

    /// `unsynced` of a record that is appended while all records up to `durable` are known to be durable.
    static func unsynced(before sequence: SequenceNumber, durable: SequenceNumber) -> UInt16 {
        let before = sequence.rawValue - 1
        return UInt16(min(before - min(durable.rawValue, before), UInt64(UInt16.max)))
    }

    /// All records up to this one were durable when the frame was written.
    var durableThrough: SequenceNumber {
        if unsynced == .max || sequence == .zero { return .zero }
        let before = sequence.rawValue - 1
        return SequenceNumber(before - min(before, UInt64(unsynced)))
    }

    /// - Parameter seed: the checksum of the store's identity, so that a frame of another store is no frame.
    func encode(to buffer: UnsafeMutableRawBufferPointer, seed: Checksum) {
        typealias Place = Format.FrameOffset
        buffer.storeBytes(of: kind.rawValue, toByteOffset: Place.kind, as: UInt8.self)
        buffer.storeBytes(of: flags.rawValue, toByteOffset: Place.flags, as: UInt8.self)
        buffer.store(unsynced, at: Place.unsynced)
        buffer.store(storedSize, at: Place.storedSize)
        buffer.store(rawSize, at: Place.rawSize)
        buffer.store(sequence.rawValue, at: Place.sequence)
        buffer.store(date, at: Place.date)
        buffer.store(Self.checksum(UnsafeRawBufferPointer(buffer), seed), at: Place.checksum)
    }

    /// nil unless the checksum holds. Needs 32 bytes.
    init?(_ bytes: UnsafeRawBufferPointer, seed: Checksum) {
        typealias Place = Format.FrameOffset
        guard Self.checksum(bytes, seed) == bytes.load(at: Place.checksum) else { return nil }
        kind = FrameKind(rawValue: bytes[Place.kind])
        flags = FrameFlags(rawValue: bytes[Place.flags])
        unsynced = bytes.load(at: Place.unsynced)
        storedSize = bytes.load(at: Place.storedSize)
        rawSize = bytes.load(at: Place.rawSize)
        sequence = SequenceNumber(bytes.load(at: Place.sequence))
        date = bytes.load(at: Place.date)
    }

    init(
        kind: FrameKind, flags: FrameFlags, unsynced: UInt16, storedSize: Int, rawSize: Int,
        sequence: SequenceNumber, date: Int64
    ) {
        self.kind = kind
        self.flags = flags
        self.unsynced = unsynced
        self.storedSize = UInt32(storedSize)
        self.rawSize = UInt32(rawSize)
        self.sequence = sequence
        self.date = date
    }

    private static func checksum(_ bytes: UnsafeRawBufferPointer, _ seed: Checksum) -> UInt32 {
        let place = Format.FrameOffset.checksum
        return seed.updated(.init(rebasing: bytes[..<place]))
            .updated(.init(rebasing: bytes[(place + 4)..<Format.frameHeaderSize])).value
    }
}

extension UnsafeMutableRawBufferPointer {
    /// Stores a number, low byte first.
    func store<N: FixedWidthInteger & BitwiseCopyable>(_ value: N, at offset: Int) {
        storeBytes(of: value.littleEndian, toByteOffset: offset, as: N.self)
    }
}

extension UnsafeRawBufferPointer {
    /// Loads a number that stands low byte first.
    func load<N: FixedWidthInteger & BitwiseCopyable>(at offset: Int) -> N {
        N(littleEndian: loadUnaligned(fromByteOffset: offset, as: N.self))
    }

    /// Whether there are only zeros, found out at the speed of `memcmp`.
    var isZero: Bool {
        guard let first else { return true }
        return first == 0
            && compareBytes(
                UnsafeRawBufferPointer(rebasing: dropLast()), UnsafeRawBufferPointer(rebasing: dropFirst()))
    }
}

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

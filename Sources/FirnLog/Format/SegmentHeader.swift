/// The 128 bytes at the beginning of a segment.
struct SegmentHeader: Hashable {
    var storeID: StoreID
    /// The record of the first frame.
    var firstSequence: SequenceNumber
    /// The last record before this segment that carries a model; zero if there is none.
    var modelSequence: SequenceNumber
    /// When the segment was made, in microseconds since 1970.
    var creationDate: Int64
    /// The date of the last record before this segment; `Int64.min` if there is none.
    var previousDate: Int64
    /// The link of the last frame before this segment. It ends the header, so that right before every
    /// frame stand the 32 bytes to which it is chained.
    var chain: ChainValue

    /// The dictionary that payloads may be compressed with.
    var dictionary: DictionaryID?

    /// Whether the frames are stored in compressed blocks: see `PackedFile`.
    var isPacked = false

    /// The flags that say that there is a dictionary, and that the frames are packed.
    private static let dictionaryFlag: UInt32 = 1
    private static let packedFlag: UInt32 = 2

    /// The beginning of every frame's checksum.
    var seed: Checksum { Self.seed(storeID) }

    static func seed(_ storeID: StoreID) -> Checksum {
        withUnsafeTemporaryAllocation(byteCount: 16, alignment: 8) { buffer in
            buffer.store(storeID.high.byteSwapped, at: 0)
            buffer.store(storeID.low.byteSwapped, at: 8)
            return Checksum().updated(UnsafeRawBufferPointer(buffer))
        }
    }

    func encoded(magic: [UInt8] = Format.magic) -> [UInt8] {
        typealias Place = Format.SegmentOffset
        var bytes = [UInt8](repeating: 0, count: Format.segmentHeaderSize)
        bytes.withUnsafeMutableBytes { buffer in
            buffer.copyBytes(from: magic)
            buffer.store(Format.version, at: Place.version)
            buffer.store(UInt16(Format.segmentHeaderSize), at: Place.headerSize)
            buffer.store(storeID.high.byteSwapped, at: Place.storeID)
            buffer.store(storeID.low.byteSwapped, at: Place.storeID + 8)
            buffer.store(firstSequence.rawValue, at: Place.firstSequence)
            buffer.store(modelSequence.rawValue, at: Place.modelSequence)
            buffer.store(creationDate, at: Place.creationDate)
            buffer.store(previousDate, at: Place.previousDate)
            chain.copy(to: buffer, at: Place.chain)
            buffer.store(
                (dictionary == nil ? 0 : Self.dictionaryFlag) | (isPacked ? Self.packedFlag : 0), at: Place.flags)
            if let dictionary {
                UnsafeMutableRawBufferPointer(rebasing: buffer[Place.dictionary..<Place.checksum])
                    .copyBytes(from: dictionary.bytes)
            }
            buffer.store(Self.checksum(UnsafeRawBufferPointer(buffer)), at: Place.checksum)
        }
        return bytes
    }

    /// Reads and checks the header of a segment, or of a baseline.
    init(reading file: any File, path: String, magic: [UInt8] = Format.magic) throws(LogError) {
        var bytes = [UInt8](repeating: 0, count: Format.segmentHeaderSize)
        let count: Int
        do throws(FileError) {
            count = try bytes.withMutableBytes { buffer throws(FileError) in
                try file.read(into: buffer, at: 0)
            }
        } catch {
            throw LogError(error)
        }
        guard bytes.starts(with: magic) else {
            throw LogError(
                .notALog, "This is not a segment of a log: its first bytes are others.", path: path,
                offset: 0, expected: "FIRNLOG",
                found: count == 0 ? "an empty file" : Self.hexadecimal(bytes[..<8]))
        }
        guard count == bytes.count else {
            throw LogError(
                .damaged, "The segment ends inside its header.", path: path, offset: Int64(count),
                expected: "\(bytes.count) bytes", found: "\(count)")
        }
        self = try bytes.withBytes { buffer throws(LogError) in
            try SegmentHeader(buffer, path: path)
        }
    }

    private init(_ bytes: UnsafeRawBufferPointer, path: String) throws(LogError) {
        typealias Place = Format.SegmentOffset
        let version: UInt16 = bytes.load(at: Place.version)
        let stored: UInt32 = bytes.load(at: Place.checksum)
        let computed = Self.checksum(bytes)
        guard stored == computed else {
            throw LogError(
                .damaged, "The checksum of the segment's header does not hold.", path: path,
                offset: Int64(Place.checksum), expected: String(computed, radix: 16),
                found: String(stored, radix: 16))
        }
        let size: UInt16 = bytes.load(at: Place.headerSize)
        let flags: UInt32 = bytes.load(at: Place.flags)
        let known = Self.dictionaryFlag | Self.packedFlag
        guard version == Format.version, size == Format.segmentHeaderSize, flags & ~known == 0 else {
            throw LogError(
                .unsupportedVersion, "A newer version wrote this log; update the program to read it.",
                path: path, offset: Int64(Place.version), expected: "format \(Format.version)",
                found: "format \(version), flags \(flags)")
        }
        storeID = StoreID(
            high: (bytes.load(at: Place.storeID) as UInt64).byteSwapped,
            low: (bytes.load(at: Place.storeID + 8) as UInt64).byteSwapped)
        firstSequence = SequenceNumber(bytes.load(at: Place.firstSequence))
        modelSequence = SequenceNumber(bytes.load(at: Place.modelSequence))
        creationDate = bytes.load(at: Place.creationDate)
        previousDate = bytes.load(at: Place.previousDate)
        chain = ChainValue(bytes: .init(rebasing: bytes[Place.chain...]))
        isPacked = flags & Self.packedFlag != 0
        if flags & Self.dictionaryFlag != 0 {
            dictionary = DictionaryID(bytes: .init(rebasing: bytes[Place.dictionary..<Place.checksum]))
        }
    }

    init(
        storeID: StoreID, firstSequence: SequenceNumber, modelSequence: SequenceNumber,
        creationDate: Int64, previousDate: Int64, chain: ChainValue, dictionary: DictionaryID? = nil
    ) {
        self.dictionary = dictionary
        self.storeID = storeID
        self.firstSequence = firstSequence
        self.modelSequence = modelSequence
        self.creationDate = creationDate
        self.previousDate = previousDate
        self.chain = chain
    }

    private static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        let place = Format.SegmentOffset.checksum
        return Checksum().updated(.init(rebasing: bytes[..<place]))
            .updated(.init(rebasing: bytes[(place + 4)...])).value
    }

    private static func hexadecimal(_ bytes: ArraySlice<UInt8>) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
    }
}

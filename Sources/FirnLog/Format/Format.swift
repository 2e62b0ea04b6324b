/// The numbers of the format, as `Documentation/Format.md` gives them. A test holds the two together.
package enum Format {
    /// The first eight bytes of a segment: `FIRNLOG` and a line feed.
    package static let magic: [UInt8] = [0x46, 0x49, 0x52, 0x4E, 0x4C, 0x4F, 0x47, 0x0A]
    /// The first eight bytes of a baseline: `FIRNBAS` and a line feed.
    package static let baselineMagic: [UInt8] = [0x46, 0x49, 0x52, 0x4E, 0x42, 0x41, 0x53, 0x0A]
    package static let version: UInt16 = 1

    package static let segmentHeaderSize = 128
    package static let frameHeaderSize = 32
    package static let linkSize = ChainValue.size
    /// Frames begin at multiples of this.
    package static let alignment = 8
    /// The size of the smallest frame: header, no payload, link.
    package static let frameSizeMin = frameHeaderSize + linkSize
    /// The largest payload, as stored and after decompression.
    package static let payloadSizeMax = 1 << 30

    package static let segmentSuffix = ".segment"
    /// Digits of a segment's name before the suffix.
    package static let segmentDigits = 20
    package static let baselineSuffix = ".baseline"
    package static let subscriptionSuffix = ".subscription"
    package static let dictionarySuffix = ".dictionary"
    package static let lockName = "lock"
    package static let attachmentName = "metadata"
    /// In the folder of a copy: the place of the shared log.
    package static let sharedPlaceName = "upstream"
    package static let tablesName = "tables"
    /// Locked while a log is trimmed or erased from.
    package static let trimLockName = "trim.lock"
    /// Locked while a segment is packed.
    package static let packLockName = "pack.lock"
    /// A baseline that is being prepared.
    package static let unfinishedBaselineName = "baseline.tmp"
    /// The name of the file that says what is being erased.
    package static let pendingErasureName = "erasure.pending"
    /// A file that is being rewritten for an erasure.
    package static let unfinishedErasureName = "erasure.tmp"
    /// The folder of values that are kept in files of their own.
    package static let externalName = "external"
    /// The first bytes of what stands for such a value: `FIRNEXT`, a line feed, and eight that were drawn once.
    package static let externalMagic: [UInt8] = [
        0x46, 0x49, 0x52, 0x4E, 0x45, 0x58, 0x54, 0x0A, 0xB3, 0x1E, 0x9C, 0xD4, 0x07, 0xA8, 0x5F, 0xE2,
    ]
    package static let externalReferenceSize = 56
    /// Behind the name of a file that is being written.
    package static let unfinishedSuffix = ".tmp"
    /// A segment that is being prepared; it counts for nothing until it is renamed.
    package static let unfinishedName = "next.tmp"

    /// Where the fields of a segment's header stand.
    package enum SegmentOffset {
        package static let magic = 0
        package static let version = 8
        package static let headerSize = 10
        package static let flags = 12
        package static let storeID = 16
        package static let firstSequence = 32
        package static let modelSequence = 40
        package static let creationDate = 48
        package static let previousDate = 56
        package static let dictionary = 64
        package static let checksum = 92
        package static let chain = 96
    }

    /// Where the fields of a frame's header stand.
    package enum FrameOffset {
        package static let kind = 0
        package static let flags = 1
        package static let unsynced = 2
        package static let storedSize = 4
        package static let rawSize = 8
        package static let checksum = 12
        package static let sequence = 16
        package static let date = 24
    }

    /// The name of the segment that begins with a record.
    package static func segmentName(_ first: SequenceNumber) -> String { digits(first) + segmentSuffix }

    /// The name of the baseline that stands in for all records up to one.
    package static func baselineName(_ last: SequenceNumber) -> String { digits(last) + baselineSuffix }

    /// The first record of a segment of that name; nil if the name is another one's.
    package static func firstSequence(ofSegmentNamed name: String) -> SequenceNumber? {
        sequence(name, suffix: segmentSuffix)
    }

    /// The last record that a baseline of that name stands in for; nil if the name is another one's.
    package static func lastSequence(ofBaselineNamed name: String) -> SequenceNumber? {
        sequence(name, suffix: baselineSuffix)
    }

    /// The name of the file of a dictionary.
    static func dictionaryName(_ id: DictionaryID) -> String { id.description + dictionarySuffix }

    /// Whether a file of that name is a dictionary, or one that is being prepared.
    package static func isDictionary(named name: String) -> Bool {
        name.hasSuffix(dictionarySuffix) || name.hasSuffix(dictionarySuffix + ".tmp")
    }

    /// Whether a file of that name is a packed segment that is being prepared.
    static func isUnfinishedPacking(named name: String) -> Bool {
        name.hasSuffix(unfinishedSuffix) && name.contains(segmentSuffix + ".")
    }

    private static func digits(_ sequence: SequenceNumber) -> String {
        let digits = String(sequence.rawValue)
        return String(repeating: "0", count: segmentDigits - digits.count) + digits
    }

    private static func sequence(_ name: String, suffix: String) -> SequenceNumber? {
        guard name.hasSuffix(suffix), name.utf8.count == segmentDigits + suffix.utf8.count,
            name.utf8.prefix(segmentDigits).allSatisfy({ (0x30...0x39).contains($0) }),
            let number = UInt64(name.prefix(segmentDigits)), number > 0, number <= Int64.max
        else { return nil }
        return SequenceNumber(number)
    }

    /// `count` and what it takes to the next multiple of the alignment.
    package static func aligned(_ count: Int) -> Int { (count + alignment - 1) & ~(alignment - 1) }

    package static func frameSize(storedSize: Int) -> Int {
        frameHeaderSize + aligned(storedSize) + linkSize
    }
}

/// The kind of a frame's content. Numbers are never given a second meaning; those that are no longer used stay listed.
public struct FrameKind: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public var rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let model = FrameKind(rawValue: 1)
    public static let changes = FrameKind(rawValue: 2)
    public static let reservation = FrameKind(rawValue: 3)
    public static let erasure = FrameKind(rawValue: 4)
    /// The last frame of a baseline.
    package static let end = FrameKind(rawValue: 16)

    /// Whether this version knows records of the kind.
    package var isKnownRecord: Bool { (Self.model.rawValue...Self.erasure.rawValue).contains(rawValue) }

    public var description: String {
        switch self {
        case .model: "model"
        case .changes: "changes"
        case .reservation: "reservation"
        case .erasure: "erasure"
        case .end: "end"
        default: "kind \(rawValue)"
        }
    }
}

/// How a frame's payload is stored.
package struct FrameFlags: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// zstd, without its magic number.
    package static let compressed = FrameFlags(rawValue: 1)
    /// The payload begins with the digest of the payload that it stands for: see `Redaction`.
    package static let redacted = FrameFlags(rawValue: 2)

    /// Compressed with the dictionary that the segment names.
    package static let dictionary = FrameFlags(rawValue: 4)

    static let known: FrameFlags = [.compressed, .redacted, .dictionary]
}

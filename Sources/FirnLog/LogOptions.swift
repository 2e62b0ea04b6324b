/// The failures that an acknowledged save survives.
public enum Durability: Hashable, Sendable {
    /// Everything, also the loss of power: it was written and synced before the save returned.
    case synced
    /// The end of the process at once, the loss of power after this many microseconds at most.
    case bounded(microseconds: Int64)
    /// The end of the process; the operating system decides when it survives the loss of power.
    case system
}

/// How a log is written.
public struct LogOptions: Hashable, Sendable {
    public var durability: Durability
    /// Size in bytes up to which a segment grows; a record that needs more gets a larger one.
    public var segmentSize: Int64
    /// The first segment's initial size in bytes. It is doubled when it is full: a small store takes little of the
    /// disk, and a large one seldom waits for space.
    private static let fileSizeMin: Int64 = 64 << 10
    /// zstd's level for records up to a megabyte; larger ones take level 1 at most.
    public var compressionLevel: Int32
    /// A record that takes more bytes in memory is written in pieces, so that its encoded form is never in memory
    /// whole.
    package var heldSizeMax = Self.heldSizeDefault
    package static let heldSizeDefault = 64 << 20
    /// How long to wait for another writer, in microseconds; nil waits as long as it takes.
    public var lockTimeout: Int64?

    public init(
        durability: Durability = .synced, segmentSize: Int64 = 16 << 20, compressionLevel: Int32 = 3,
        lockTimeout: Int64? = nil
    ) {
        guard segmentSize >= 4096 else {
            fatalError("a segment needs at least 4,096 bytes")
        }
        self.durability = durability
        self.segmentSize = segmentSize
        self.compressionLevel = compressionLevel
        self.lockTimeout = lockTimeout
    }

    /// The size to allocate for a segment of which `used` bytes are written, in bytes.
    func fileSize(for used: Int64 = 0) -> Int64 {
        var size = Self.fileSizeMin
        while size <= used, size < segmentSize { size *= 2 }
        return min(size, segmentSize)
    }
}

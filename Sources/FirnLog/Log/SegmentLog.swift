import Synchronization

/// A change log in segments: a folder of files, one after the other.
///
///     Library.sqlite-log/
///         00000000000000000001.segment    records 1 … 90
///         00000000000000000091.segment    records 91 … and room for more
///         lock                            locked by the process that writes
///
/// A log that was trimmed begins with a baseline and the record after it (`LogContents`).
///
/// It may be used from several threads, and by several processes at the same time, each with a log of its own on
/// the folder. `Documentation/Format.md` describes every byte.
public final class SegmentLog: @unchecked Sendable {
    public let storeID: StoreID
    public let directory: String
    public let options: LogOptions
    public let isWritable: Bool
    let fileSystem: any FileSystem
    /// The shared log that this one is a copy of, if it was opened as one.
    public let upstream: Upstream?
    /// The place of that log, also if this one was not opened as its copy.
    public let sharedPlace: String?

    /// Guards what follows, and is signalled when a shared log has answered.
    let stateLock = ConditionLock()
    var tail: LogTail
    /// The first record of each segment, ascending.
    var segmentStarts: [SequenceNumber]
    /// The last record that a baseline stands in for; zero if there is none.
    var baselineSequence: SequenceNumber
    /// All records up to this one survive the loss of power.
    var durable: SequenceNumber
    /// Whether a thread syncs, without `stateLock`.
    var isSyncing = false
    /// Whether a frame is being written behind the tail, by the thread that holds the writer's lock.
    var isAppending = false
    /// The failure after which nothing is written any more.
    var poison: LogError?
    /// Damage that was found at the end of the log when it was opened for reading.
    var damage: LogError?
    var isClosed = false
    var models: [SequenceNumber: LogModel] = [:]
    /// Of a copy: the last record that it has, or has sent to the shared log.
    var expected = SequenceNumber.zero
    /// Syncs what is not durable within the delay.
    var syncThread: LogThread?
    /// The last record when a dictionary was trained on the log's payloads.
    var dictionaryTrial: UInt64
    /// How many erasures were met: what was read before the last of them may have erased values.
    let erasureCount = Atomic(0)
    package var erasuresMet: Int { erasureCount.load(ordering: .relaxed) }

    /// Locked while writing, before `fileLock`.
    let writerMutex = ConditionLock()
    /// How many threads wait for `writerMutex`.
    let waitingWriters = Atomic<Int>(0)
    /// The thread that has `writerMutex`; zero if none has.
    let writingThread = Atomic<UInt>(0)
    let fileLock: (any FileLock)?
    /// Whether `exclusively` may not run its body again: something was appended. Guarded by `writerMutex`.
    var hasAppended = false
    let compressors = CompressorPool()
    /// Guarded by `writerMutex`.
    let encoder: FrameEncoder

    /// Guards the three that follow.
    let lookupMutex = ConditionLock()
    var lookups: [SegmentIndex] = []
    /// The erasures that had been met when `lookups` was last looked at.
    var lookupErasureCount = 0
    let decompressor = Decompressor()

    init(
        directory: String, tail: LogTail, contents: LogContents, options: LogOptions,
        fileSystem: any FileSystem, fileLock: (any FileLock)?, upstream: Upstream? = nil, sharedPlace: String? = nil
    ) {
        storeID = tail.segment.header.storeID
        self.directory = directory
        self.options = options
        self.fileSystem = fileSystem
        self.fileLock = fileLock
        self.upstream = upstream
        self.sharedPlace = sharedPlace
        encoder = FrameEncoder(compressionLevel: options.compressionLevel)
        isWritable = fileLock != nil
        self.tail = tail
        segmentStarts = contents.starts
        baselineSequence = contents.baseline
        // A writer that rolls to a new segment syncs the one before.
        durable = tail.head
        dictionaryTrial = Self.firstTrial
    }

    deinit { syncThread?.stop() }

    /// The last record that is known here; `refresh()` looks for more.
    public var head: SequenceNumber { stateLock.withLock { tail.head } }

    /// The first record that is still there, or will be the first.
    public var first: SequenceNumber { stateLock.withLock { segmentStarts[0] } }

    /// The last record that was cut off, whose baseline replaying begins with; zero if the log begins with record 1.
    public var baseline: SequenceNumber { stateLock.withLock { baselineSequence } }

    /// All records up to this one are known to survive the loss of power.
    public var durableThrough: SequenceNumber { stateLock.withLock { durable } }

    /// Syncs what is not durable yet, unless durability is left to the system, and closes the files. Every later
    /// operation throws.
    public func close() {
        stateLock.withLock { syncThread.take() }?.stop()
        upstream?.close()
        // A failure poisons; nothing that was promised is lost by it.
        if case .bounded = options.durability, isWritable { try? sync(through: head) }
        stateLock.withLock {
            isClosed = true
            stateLock.signalAll()
        }
        lookupMutex.withLock { lookups = [] }
    }

    /// To be called with `stateLock` held.
    func checkOpen() throws(LogError) {
        if isClosed {
            throw LogError(.closed, "The log was closed; open it again.", path: directory)
        }
    }

    /// To be called with `stateLock` held.
    func checkWritable() throws(LogError) {
        try checkOpen()
        guard isWritable else {
            throw LogError(
                .readOnly, "The log was opened for reading; open it for writing.", path: directory)
        }
        if let poison {
            throw LogError(
                .poisoned, "An earlier write failed: \(poison.message) Open the log again to go on.",
                path: directory, underlyingErrno: poison.underlyingErrno)
        }
    }

    /// To be called with `stateLock` held.
    func poisoned(by error: LogError) -> LogError {
        if poison == nil { poison = error }
        stateLock.signalAll()
        return error
    }
}

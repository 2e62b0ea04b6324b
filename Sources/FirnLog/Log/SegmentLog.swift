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
public class SegmentLog: @unchecked Sendable {
    let folder: LogFolder
    /// Guards what follows, and is signalled when a sync ends.
    let stateLock = ConditionLock()
    var tail: LogTail
    /// The segments and the baseline that are active.
    var contents: LogContents
    /// All records up to this one survive the loss of power.
    var durable: SequenceNumber
    var syncing = SyncState()
    /// Whether a frame is being written behind the tail, by the thread that holds the writer's lock.
    var isAppending = false
    /// The failure after which nothing is written any more.
    var poison: LogError?
    /// Damage that was found at the end of the log when it was opened for reading.
    var damage: LogError?
    var isClosed = false
    var models: [SequenceNumber: LogModel] = [:]
    /// How many erasures were met: what was read before the last of them may have erased values.
    let erasureCount = Atomic(0)
    package var erasuresMet: Int { erasureCount.load(ordering: .relaxed) }

    /// Acquired before `stateLock`.
    let writerLock: WriterLock
    let compressors = CompressorPool()
    let lookup = SegmentLookup()

    public var storeID: StoreID { folder.storeID }
    public var directory: String { folder.directory }
    public var options: LogOptions { folder.options }
    public var isWritable: Bool { folder.fileLock != nil }
    /// The place of the shared log that the folder's log is a copy of; nil if it is no copy.
    public var sharedPlace: String? { folder.sharedPlace }
    var fileSystem: any FileSystem { folder.fileSystem }

    init(_ folder: LogFolder, tail: LogTail, contents: LogContents) {
        self.folder = folder
        self.tail = tail
        self.contents = contents
        // A writer that rolls to a new segment syncs the one before.
        durable = tail.head
        writerLock = WriterLock(folder.fileLock)
    }

    deinit { syncing.thread?.stop() }

    /// The last record that is known here; `refresh()` looks for more.
    public var head: SequenceNumber { stateLock.withLock { tail.head } }

    /// The first record that is still there, or will be the first.
    public var first: SequenceNumber { stateLock.withLock { contents.starts[0] } }

    /// The last record that was cut off, whose baseline replaying begins with; zero if the log begins with record 1.
    public var baseline: SequenceNumber { stateLock.withLock { contents.baseline } }

    /// All records up to this one are known to survive the loss of power.
    public var durableThrough: SequenceNumber { stateLock.withLock { durable } }

    /// Syncs what is not durable yet, unless durability is left to the system, and closes the files. Every later
    /// operation throws.
    public func close() {
        stateLock.withLock { syncing.thread.take() }?.stop()
        // A failure poisons; nothing that was promised is lost by it.
        if case .bounded = options.durability, isWritable { try? sync(through: head) }
        stateLock.withLock {
            isClosed = true
            stateLock.signalAll()
        }
        lookup.removeAll()
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

    /// Runs `body` while nobody else, in this process or another, may append. All records that others appended before
    /// are known when it begins. Not to be nested.
    ///
    /// With a copy of a shared log, `body` is run again if another machine was faster. It must have undone what it did
    /// before its first append.
    public func exclusively<R>(_ body: () throws -> R) throws -> R {
        try stateLock.withLock { try checkWritable() }
        try writerLock.acquire(directory, timeout: options.lockTimeout)
        defer { writerLock.release() }
        try catchUp()
        return try body()
    }

    /// Whether the calling thread is inside of `exclusively`.
    public var isWriting: Bool { writerLock.isHeld }

    /// Runs `body` while no other thread of this process appends by this log. It does not wait for other processes, and
    /// those do not wait for it. Not to be nested, and not inside of `exclusively`.
    public func withoutLocalWriters<R>(_ body: () throws -> R) rethrows -> R {
        try writerLock.withoutLocalWriters(body)
    }

    /// Appends records by one write. Inside of `exclusively` only. They are not synced: see `acknowledge(through:)`.
    ///
    /// A record's date is its header's, or that of the record before if that is later: dates never go back.
    ///
    /// The write runs without `stateLock`, so that threads that wait for a sync or read records do not wait for it.
    /// - Returns: for each record where the log stands with it, or why it is not there. When an error is thrown, none
    ///   is there.
    public func append(_ records: [PreparedRecord]) throws -> [Result<LogMark, LogError>] {
        guard isWriting else { fatalError("append inside of exclusively only") }
        try refuseDetachedCopy()
        if records.count == 1, records[0].frame == nil, records[0].body.heldSize > options.heldSizeMax {
            return [.success(try appendLarge(records[0].body, records[0].header))]
        }
        let frames = try frames(of: records)
        let size = frames.reduce(0) { $0 + $1.bytes.count }
        let (tail, durable, isAlone) = try beginAppend(size)
        var end = tail
        var bytes: [UInt8] = []
        let marks = zip(records, frames).map { record, made in
            var frame = made
            let (header, link) = frame.finish(
                kind: FrameKind(record.body), sequence: end.head.next, date: max(record.header.date, end.date),
                durable: durable, previous: end.link, seed: tail.segment.seed)
            end.accept(header, link: link)
            if bytes.isEmpty { bytes = frame.bytes } else { bytes += frame.bytes }
            return LogMark(head: end.head, link: link, durable: durable)
        }
        let failure: FileError?
        do throws(FileError) {
            try tail.segment.file.write(bytes.span.bytes, at: tail.offset)
            failure = nil
        } catch {
            failure = error
        }
        // The disk writes while the save completes. Where others write too, the next sync covers their records as well.
        if isAlone, failure == nil { tail.segment.file.startWriting(size, at: tail.offset) }
        return try endAppend(records, marks, end, failure)
    }

    /// Whether the log has this very record: nil if neither it nor another one in its place is there yet. Throws
    /// `outcomeUnknown` if what was in its place was cut off. To be called with the writer's lock held. A copy asks the
    /// shared log, and throws `overtaken` if that had more records.
    ///
    /// - Parameter ignoresPause: asks the server although it was unreachable a moment ago.
    public func holds(
        _ link: ChainValue, at sequence: SequenceNumber, ignoresPause: Bool = false
    ) throws -> Bool? {
        if let found = try self.link(at: sequence) { return found == link }
        let last = try beginning()
        guard sequence <= last.sequence else { return nil }
        if sequence == last.sequence { return last.link == link }
        throw LogError(
            .outcomeUnknown,
            "The log was trimmed before it was found out whether this save had been made: reset the context or roll it "
                + "back, fetch what is there now, and change only what is missing.", path: place, sequence: sequence)
    }

    /// Throws if this is a copy that was opened without its shared log, which would never get what is appended here.
    func refuseDetachedCopy() throws(LogError) {
        guard let sharedPlace else { return }
        throw LogError(
            .readOnly,
            "This is this machine's copy of the log at \(sharedPlace); open the store at that address to write to it.",
            path: directory)
    }

    /// Stores the bytes in place of those that were there, durably, in one step. Needs the writer's lock where others
    /// may do so too. A copy's are stored in the shared log first.
    public func store(attachment bytes: [UInt8]) throws {
        try refuseDetachedCopy()
        try Self.store(attachment: bytes, directory: directory, fileSystem: fileSystem)
    }
}

/// A log's folder and the way in which it is used.
struct LogFolder {
    var storeID: StoreID
    var directory: String
    var options: LogOptions
    var fileSystem: any FileSystem
    /// Nil if the log is opened for reading.
    var fileLock: (any FileLock)?
    /// The place of the shared log that the folder's log is a copy of.
    var sharedPlace: String?
}

/// The thread that syncs after a delay, and whether a sync runs: without `stateLock`.
struct SyncState {
    var isRunning = false
    var thread: LogThread?
}

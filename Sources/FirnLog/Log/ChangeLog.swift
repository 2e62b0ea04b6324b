/// A store's change log, wherever it is kept: in segments on a local disk (`SegmentLog`), or by a server that many
/// machines share.
///
///     end()                    where the log ends: the record, its link, its date
///     append(run)              if the log still ends where the run begins
///     frames(after: place)     the next frames, chained to what the reader has
///     watch()                  waits for more
///     trim(through:state:)     cuts the beginning off, with a baseline in its place
///     store(_:piece:)          a large value, which a record names
///     erase(_:header:…)        erases values from records
///
/// What is appended and read are frames, byte for byte as they stand in a segment (`FrameRun`), so that a log can be
/// copied from one place to another and keeps its chain. Every call may block its thread until a disk or a server has
/// answered: call from a thread of one's own, never from a task. It may be used from several threads.
///
/// **Appending is optimistic.** A writer takes the end, makes frames that are chained to it (`FrameEncoder`), and
/// appends them. If another writer was faster, nothing is appended and the outcome says where the log ends now.
///
/// **A frame's link is the key that makes a retry harmless.** It stands for all frames before, for the record's number
/// and for the 128 random bits in its payload: two frames with the same link are the same append. Appending a run that
/// is there already gives `duplicate`. So after `outcomeUnknown`, append the same run again.
public protocol ChangeLog: AnyObject, Sendable {
    /// The store whose log it is; every frame is bound to it.
    var storeID: StoreID { get }
    /// Where it is kept, for messages: a folder, or a server and a name. Never with a password.
    var place: String { get }

    /// The media on which an acknowledged append is safe. Asks the disk or the server.
    func acknowledgement() throws -> Acknowledgement

    /// The last record, of any writer. Asks the disk or the server.
    func end() throws -> LogCheckpoint

    /// The last record that was cut off, after which the first one stands that is still there. Its baseline stands in
    /// for what was before.
    func beginning() throws -> LogCheckpoint

    /// Appends the frames if the log ends where the run begins. Returns when they survive what
    /// `acknowledgement()` says.
    ///
    /// Throws `outcomeUnknown` if it could not be found out whether they were appended: append the same run
    /// again, later. After any other error none of them counts as acknowledged.
    func append(_ run: FrameRun) throws -> AppendOutcome

    /// Frames after `place`, at least one and not much more than `sizeMax` bytes of them; an empty run if there
    /// are none yet. Every one is checked, the chain included.
    ///
    /// Throws `diverged` if the log does not hold the record of `place` with this link: the reader has something that
    /// is not in the log (any more). Throws `missing` if what follows was cut off.
    func frames(after place: LogCheckpoint, sizeMax: Int) throws -> FrameRun

    /// Something that waits for more records, from now on.
    func watch() throws -> any LogWatch

    /// Cuts all records up to `last` off. `state` writes the parts of a baseline: the whole state after `last`. The
    /// models need not be among them. Throws `overtaken` if values were erased that `state` may still have.
    ///
    /// - Parameter known: the last record of whose erasures `state` knows.
    func trim(
        through last: SequenceNumber, knowing known: SequenceNumber,
        state: (_ write: (BaselinePart) throws -> Void) throws -> Void
    ) throws

    /// A piece of the baseline that stands in for all records up to `last`, from a byte of it on; empty at its end. Its
    /// bytes are those of a segment log's file. Throws `missing` if it is not active (any more).
    func baseline(of last: SequenceNumber, from offset: Int64, sizeMax: Int) throws -> [UInt8]

    /// Whether it stores any value outside of the records that name it (`ExternalReference`).
    var hasExternalValues: Bool { get throws }
    /// All such values, also those that no record names any more.
    func externalReferences() throws -> [ExternalReference]
    /// Whether it stores that value.
    func holds(_ reference: ExternalReference) throws -> Bool
    /// A piece of a value, from a byte of it on; empty at its end. Throws `damaged` if it is not there.
    func externalValue(_ reference: ExternalReference, from offset: Int64, sizeMax: Int) throws -> [UInt8]
    /// Stores a value, which has to be there before a record that names it. Does nothing if it is there already.
    ///
    /// - Parameter piece: gives what follows a byte of the value; nothing at its end.
    func store(_ reference: ExternalReference, piece: (_ offset: Int64) throws -> [UInt8]) throws
    /// Removes values that no record up to `end` names. Does nothing, and returns false, if the log ends elsewhere.
    func remove(_ references: [ExternalReference], endingAt end: LogCheckpoint) throws -> Bool

    /// Takes values out of every record and of the baseline, as `LogMaintenance.erase(_:header:)` does it, and appends
    /// the records that say so. Throws `overtaken` if the copy does not have all records.
    ///
    /// - Parameter copy: a copy of this log that has all of its records, in which they are looked for.
    /// - Returns: how many records had such a value.
    func erase(_ erasure: Erasure, header: TransactionHeader, lookingIn copy: SegmentLog) throws -> Int

    /// The application's bytes about the store as a whole; nil if nothing was ever stored.
    func attachment() throws -> [UInt8]?
    func store(attachment bytes: [UInt8]) throws

    /// Closes files and connections. Every later call throws.
    func close()
}

/// The outcome of an append that was answered.
public enum AppendOutcome: Hashable, Sendable {
    case appended
    /// An earlier try did it; now it survives what an append survives.
    case duplicate
    /// The log ends elsewhere, at this record; nothing was appended, and nothing will be.
    case conflict(LogCheckpoint)
}

/// Waits for records that anybody appends to a log.
public protocol LogWatch: AnyObject, Sendable {
    /// Blocks until the last record is one that `isNews`; false if `cancel` was called. It blocks its thread: call it
    /// on one of its own, not in a task.
    func wait(until isNews: (SequenceNumber) -> Bool) throws -> Bool
    /// Ends the present and every later `wait` that finds nothing. It may be called from any thread.
    func cancel()
}

extension LogWatch {
    /// As `wait(until:)`, until there are records after `sequence`.
    public func wait(after sequence: SequenceNumber) throws -> Bool { try wait { $0 > sequence } }
}

/// The failures that an acknowledged append survives.
public struct Acknowledgement: Hashable, Sendable, CustomStringConvertible {
    /// How many disks have the record when its append returns; 0 if only memory has it for sure.
    public var diskCount: Int
    /// In words, with what it depends on.
    public var description: String

    public init(diskCount: Int, description: String) {
        self.diskCount = diskCount
        self.description = description
    }
}

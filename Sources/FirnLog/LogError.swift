/// A failure of a log: what went wrong, where, and what to do about it.
///
/// The set of codes is open: compare with the ones you handle and treat the others as a failure.
public struct LogError: Error, Hashable, Sendable {
    /// The kind of failure; its name is stable.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let name: String
        public init(_ name: String) { self.name = name }
        public var description: String { name }
    }

    public var code: Code
    /// One sentence or two: what went wrong and how it may be remedied.
    public var message: String
    /// The file or folder it is about.
    public var path: String?
    /// The place in the file, in bytes from its beginning.
    public var offset: Int64?
    /// The record it is about.
    public var sequence: SequenceNumber?
    /// The link of that record, if its append has an unknown outcome: `SegmentLog.holds(_:at:)` finds out later.
    public var link: ChainValue?
    /// For damage: what a sound log has at that place.
    public var expected: String?
    /// For damage: what is there.
    public var found: String?
    /// The operating system's error number, where it reported the failure.
    public var underlyingErrno: Int32?

    public init(
        _ code: Code, _ message: String, path: String? = nil, offset: Int64? = nil,
        sequence: SequenceNumber? = nil, expected: String? = nil, found: String? = nil,
        underlyingErrno: Int32? = nil
    ) {
        self.code = code
        self.message = message
        self.path = path
        self.offset = offset
        self.sequence = sequence
        self.expected = expected
        self.found = found
        self.underlyingErrno = underlyingErrno
    }
}

extension LogError.Code {
    /// The file or folder is something else.
    public static let notALog = Self("notALog")
    /// There is a log already where one was to be created.
    public static let alreadyExists = Self("alreadyExists")
    /// A newer version wrote it.
    public static let unsupportedVersion = Self("unsupportedVersion")
    /// Bytes are not what was written. Nothing was changed.
    public static let damaged = Self("damaged")
    /// The operating system refuses this user the access.
    public static let notPermitted = Self("notPermitted")
    /// The log, or its file system, is open for reading only.
    public static let readOnly = Self("readOnly")
    /// The disk or the quota is full. Nothing was appended; appending may be tried again.
    public static let noSpace = Self("noSpace")
    /// The operating system reported a failed read, write or sync.
    public static let ioFailed = Self("ioFailed")
    /// An earlier write or sync failed: what the disk has is unknown until the log is opened again.
    public static let poisoned = Self("poisoned")
    /// Another writer held the lock for longer than `LogOptions.lockTimeout`.
    public static let locked = Self("locked")
    /// A segment belongs to another store.
    public static let storeMismatch = Self("storeMismatch")
    /// There is no such file, folder or record (any more).
    public static let missing = Self("missing")
    /// The record is larger than a frame may be.
    public static let recordTooLarge = Self("recordTooLarge")
    /// Locks and memory are not shared on this file system as the log needs it.
    public static let networkFileSystem = Self("networkFileSystem")
    /// The log was replaced by another one, or destroyed, since it was opened.
    public static let replaced = Self("replaced")
    /// `close()` was called.
    public static let closed = Self("closed")
}

extension LogError: CustomStringConvertible {
    /// One line: place, message, expected and found, the operating system's reason.
    public var description: String {
        var line = ""
        if let path {
            line += path
            if let offset { line += " at byte \(offset)" }
            if let sequence { line += " (record \(sequence))" }
            line += ": "
        }
        line += message
        if let expected, let found { line += " Expected \(expected), found \(found)." }
        if let underlyingErrno { line += " (\(SystemCall.reason(underlyingErrno)))" }
        return line
    }
}

extension LogError {
    /// The log's error for a failed operation on a file.
    package init(_ error: FileError) {
        let (code, message) = Self.classify(error)
        self.init(code, message, path: error.path, offset: error.offset, underlyingErrno: error.errno)
    }

    private static func classify(_ error: FileError) -> (Code, String) {
        switch error.reason {
        case .noSpace:
            (.noSpace, "There is no space left to \(error.operation); free some and try again.")
        case .notPermitted:
            (.notPermitted, "Not permitted to \(error.operation); check the owner and mode of it.")
        case .readOnly:
            (.readOnly, "Cannot \(error.operation): its file system is mounted for reading only.")
        case .missing:
            (.missing, "Cannot \(error.operation): there is no such file or folder.")
        case .exists:
            (.alreadyExists, "Cannot \(error.operation): it is there already.")
        case .notADirectory:
            (.notALog, "Cannot \(error.operation): it, or what it is in, is not a folder.")
        case .replaced:
            (.replaced, "The log was replaced or destroyed since it was opened; open it again.")
        case .damaged:
            (.damaged, "Could not \(error.operation): it is not what was written. Restore it from a backup.")
        case .other:
            (.ioFailed, "Could not \(error.operation).")
        }
    }
}

/// Failures of logs that are shared by several machines, and of their copies.
extension LogError.Code {
    /// Two logs, or a log and what was read of it, hold different records under the same number.
    public static let diverged = Self("diverged")
    /// No answer said whether the frames were appended: append the same run again.
    public static let outcomeUnknown = Self("outcomeUnknown")
    /// Another machine appended first; nothing was appended, and its records are here now.
    public static let overtaken = Self("overtaken")
    /// The append whose outcome was unknown had been made.
    public static let appendedAfterAll = Self("appendedAfterAll")
    /// The server did not answer, or the connection was lost.
    public static let unreachable = Self("unreachable")
    /// The server refused a statement.
    public static let refused = Self("refused")
}

extension LogError {
    /// Sets the record and the link that the error is about.
    mutating func refer(to end: LogCheckpoint) { (sequence, link) = (end.sequence, end.link) }

    static func diverged(_ place: String, at checkpoint: LogCheckpoint, found: String) -> LogError {
        LogError(
            .diverged,
            "The log does not have records that were read from it: go back to the last record that both have, and "
                + "rebuild what was made from later ones.",
            path: place, sequence: checkpoint.sequence, expected: "\(checkpoint.link)", found: found)
    }

    /// A baseline must not have what was taken out of the log while it was made.
    package static func erasedMeanwhile(_ place: String) -> LogError {
        LogError(.overtaken, "Values were erased meanwhile; nothing was cut off. Trim again.", path: place)
    }

    static func otherStore(_ place: String, expected: StoreID, found: StoreID) -> LogError {
        LogError(
            .storeMismatch, "This is the log of another store; nothing was written.", path: place,
            expected: expected.uuidString, found: found.uuidString)
    }
}

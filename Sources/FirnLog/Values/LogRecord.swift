/// The content of one frame of the log.
public struct LogRecord: Hashable, Sendable {
    public var position: LogPosition
    public var header: TransactionHeader
    public var body: Body

    public var sequence: SequenceNumber { position.sequence }

    public enum Body: Hashable, Sendable {
        /// From here on change sets may be written in this model's terms.
        case model(LogModel)
        case changes(ChangeSet)
        /// Primary keys that are reserved for objects to come: no other object gets them. For each root entity, the
        /// last reserved key.
        case reservation([EntityNumber: Int64])
        /// Values were erased from the log: what was made from records before this one may still contain them.
        case erasure(Erasure)
        /// A piece of the state after the record of this number, which stands in for all records up to it. Replaying
        /// gives it; it cannot be appended.
        case baseline(BaselinePart)
    }

    public init(sequence: SequenceNumber, header: TransactionHeader, body: Body) {
        position = LogPosition(sequence)
        self.header = header
        self.body = body
    }
}

/// The author, date and context of a record.
public struct TransactionHeader: Hashable, Sendable {
    /// Microseconds since 1970-01-01 00:00 UTC.
    public var date: Int64
    /// A random number of 128 bits that makes a retried append recognizable.
    public var id: TransactionID
    public var author: String?
    public var contextName: String?
    public var processName: String
    public var processID: Int32
    public var bundleID: String?
    /// The application's metadata that travels with its saves: sorted by key when encoded.
    public var metadata: [String: String]

    public init(
        date: Int64, id: TransactionID, author: String? = nil, contextName: String? = nil,
        processName: String = "", processID: Int32 = 0, bundleID: String? = nil,
        metadata: [String: String] = [:]
    ) {
        self.date = date
        self.id = id
        self.author = author
        self.contextName = contextName
        self.processName = processName
        self.processID = processID
        self.bundleID = bundleID
        self.metadata = metadata
    }
}

/// 128 random bits, in the byte order in which they stand in the log.
public struct TransactionID: Hashable, Sendable {
    public var high: UInt64
    public var low: UInt64

    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    public static func random() -> TransactionID { RandomNumbers.transactionID() }
}

/// A piece of a baseline: the whole state after a record, from which a log whose beginning was cut off still
/// rebuilds.
///
///     baseline of record n = every model of records 1 … n, the keys allocated by then, rows and members as they were
public enum BaselinePart: Hashable, Sendable {
    /// A model, with the record that carried it.
    case model(SequenceNumber, LogModel)
    /// For each root entity, the last primary key that was allocated.
    case keys([EntityNumber: Int64])
    /// Inserts and added members. `versions` has, for each group and row, the record that last touched the row.
    case rows(ChangeSet, versions: [[Int64]])
}

/// Values to erase from the log: of one object, some properties or all.
///
/// As a record it says what was erased, and has the digests of the payloads that replace the old ones.
public struct Erasure: Hashable, Sendable {
    /// A record whose payload was replaced.
    public struct Replacement: Hashable, Sendable {
        public var sequence: SequenceNumber
        /// SHA-256 of the bytes that stand for the payload now.
        public var digest: ChainValue
    }

    /// The record of the model in whose terms the rest is.
    public var model: SequenceNumber
    public var object: ObjectKey
    /// Ascending; none stands for all.
    public var slots: [UInt16]
    /// By sequence number. Empty in the record that completes an erasure: from there on no erased value is left.
    public var replaced: [Replacement]

    public init(
        model: SequenceNumber, object: ObjectKey, slots: [UInt16] = [], replaced: [Replacement] = []
    ) {
        self.model = model
        self.object = object
        self.slots = slots
        self.replaced = replaced
    }
}

extension LogRecord.Body {
    /// About how many bytes the values take in memory. Complexity: O(columns).
    var heldSize: Int {
        switch self {
        case .changes(let changes): changes.heldSize
        case .model(let model): model.migration?.rows?.heldSize ?? 0
        case .reservation, .erasure, .baseline: 0
        }
    }
}

extension ChangeSet {
    /// About how many bytes the values take in memory. Complexity: O(columns).
    package var heldSize: Int {
        var size = 0
        for group in groups {
            size += 8 * group.primaryKeys.count
            for column in group.new { size += column.heldSize }
            for column in group.old { size += column.heldSize }
        }
        for links in links { size += 48 * (links.removed.count + links.added.count) }
        return size
    }
}

/// What one frame of the log says.
public struct LogRecord: Hashable, Sendable {
    public var sequence: SequenceNumber
    public var header: TransactionHeader
    public var body: Body

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
        self.sequence = sequence
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

    public static func random(using generator: inout some RandomNumberGenerator) -> TransactionID {
        TransactionID(high: generator.next(), low: generator.next())
    }

    public static func random() -> TransactionID { RandomNumbers.transactionID() }
}

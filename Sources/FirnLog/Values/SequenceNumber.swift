/// The position of a record in its log: 1, 2, 3 … without gaps. Zero is the position before the first record.
public struct SequenceNumber: RawRepresentable, Hashable, Comparable, Sendable {
    public var rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }
    public init(_ rawValue: UInt64) { self.rawValue = rawValue }

    /// The position before the first record: the head of an empty log.
    public static let zero = SequenceNumber(0)

    /// The greatest number has no next one and stays: a damaged token or file may hold it.
    public var next: SequenceNumber { rawValue == .max ? self : SequenceNumber(rawValue + 1) }

    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}

extension SequenceNumber: CustomStringConvertible, ExpressibleByIntegerLiteral {
    public init(integerLiteral value: UInt64) { self.init(value) }
    public var description: String { String(rawValue) }
}

/// A place in a log: a record and its link, which covers all records up to there. A reader that stores it can check
/// later whether any of them was changed.
public struct LogCheckpoint: Hashable, Sendable {
    public var storeID: StoreID
    public var sequence: SequenceNumber
    /// When the record was written, in microseconds since 1970.
    public var date: Int64
    public var link: ChainValue

    public init(storeID: StoreID, sequence: SequenceNumber, date: Int64, link: ChainValue) {
        self.storeID = storeID
        self.sequence = sequence
        self.date = date
        self.link = link
    }
}

extension LogCheckpoint {
    /// Before the first record of a store.
    public static func beginning(of storeID: StoreID) -> LogCheckpoint {
        LogCheckpoint(storeID: storeID, sequence: .zero, date: .min, link: .zero)
    }
}

/// Where a log stands: what a reader keeps to find out later whether the log still holds what it has read.
public struct LogMark: Hashable, Sendable {
    /// The last record.
    public var head: SequenceNumber
    /// Its link: it stands for everything up to there.
    public var link: ChainValue
    /// All records up to this one are known to survive the loss of power.
    public var durable: SequenceNumber

    public init(head: SequenceNumber, link: ChainValue, durable: SequenceNumber) {
        self.head = head
        self.link = link
        self.durable = durable
    }
}

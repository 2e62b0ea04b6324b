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

/// A point in a store's history that knows which history it is of: a record's number, and the beginning of its link.
/// After a backup was put back, other records get the numbers of the lost ones. Their links differ.
///
/// As text a position is the number, a dash and 16 hexadecimal digits, as in `41-09af3c5e7d102b84`; without a link, the
/// number.
public struct LogPosition: Hashable, Sendable, LosslessStringConvertible, ExpressibleByIntegerLiteral {
    public var sequence: SequenceNumber
    /// The first 8 bytes of the record's link; nil if they are unknown, as in positions that a person names.
    public var link: Int64?

    public init(_ sequence: SequenceNumber, link: Int64? = nil) {
        self.sequence = sequence
        self.link = link
    }

    public init(integerLiteral value: UInt64) { self.init(SequenceNumber(value)) }

    public init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard let number = Int64(parts[0]), number >= 0 else { return nil }
        self.init(SequenceNumber(UInt64(number)))
        if parts.count == 1 { return }
        link = UInt64(parts[1], radix: 16).map { Int64(bitPattern: $0) }
        guard description == "\(number)-\(parts.dropFirst().joined(separator: "-"))" else { return nil }
    }

    public var description: String {
        link.map { "\(sequence)-" + withUnsafeBytes(of: $0.bigEndian) { $0.hexadecimal } } ?? "\(sequence)"
    }
}

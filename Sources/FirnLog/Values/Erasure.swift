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

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

internal import FirnLog

/// Numbers as the tables have them. A damaged file may hold any: they are read as some number, and what does not fit is
/// found by whoever compares.
extension SequenceNumber {
    init(stored number: Int64) { self.init(UInt64(clamping: number)) }
}

extension EntityNumber {
    init(stored number: Int64) { self.init(UInt32(truncatingIfNeeded: number)) }
}

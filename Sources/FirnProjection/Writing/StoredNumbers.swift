internal import FirnLog

/// Numbers from the tables. A damaged file may hold any number, so reading accepts all. Comparisons with the log detect
/// wrong ones.
extension SequenceNumber {
    init(stored number: Int64) { self.init(UInt64(clamping: number)) }
}

extension EntityNumber {
    init(stored number: Int64) { self.init(UInt32(truncatingIfNeeded: number)) }
}

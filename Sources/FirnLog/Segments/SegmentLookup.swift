/// The segments that were looked at last, each with its open file.
final class SegmentLookup {
    private static let indexesMax = 16

    /// Guards the rest.
    let lock = ConditionLock()
    let decompressor = Decompressor()
    private var indexes: [SegmentIndex] = []
    /// The erasures that had been met when a segment was last asked for.
    private var erasureCount = 0

    func removeAll() { lock.withLock { indexes = [] } }

    /// To be called with `lock` held.
    func index(
        erasureCount count: Int, _ start: SequenceNumber, _ open: () throws(LogError) -> Segment
    ) throws(LogError) -> SegmentIndex {
        // Open segments may have been replaced by rewritten ones.
        if erasureCount != count { (indexes, erasureCount) = ([], count) }
        if let place = indexes.firstIndex(where: { $0.segment.firstSequence == start }) {
            indexes.append(indexes.remove(at: place))
        } else {
            if indexes.count == Self.indexesMax { indexes.removeFirst() }
            indexes.append(SegmentIndex(try open()))
        }
        return indexes[indexes.count - 1]
    }
}

package import FirnLog

extension ChangeGroup {
    /// The group of an insert or a delete without the columns that are null in every row.
    package var withoutNullColumns: ChangeGroup {
        guard operation == .insert || operation == .delete else { return self }
        let columns = operation == .insert ? new : old
        let hasNone = columns.withUnsafeBufferPointer { all in all.indices.contains { all[$0].isAllNull } }
        guard hasNone else { return self }
        let kept = columns.indices.filter { !columns[$0].isAllNull }
        var result = self
        result.slots = kept.map { slots[$0] }
        let left = kept.map { columns[$0] }
        if operation == .insert { result.new = left } else { result.old = left }
        return result
    }
}

extension Column {
    /// Whether no row has a value.
    package var isAllNull: Bool {
        if nulls.isEmpty { return count == 0 }
        return nulls.words.reduce(0) { $0 + $1.nonzeroBitCount } == count
    }
}

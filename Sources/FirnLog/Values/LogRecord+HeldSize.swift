extension LogRecord.Body {
    /// About how many bytes the values take in memory. Complexity: O(columns).
    var heldSize: Int {
        switch self {
        case .changes(let changes): changes.heldSize
        case .model(let model): model.migration?.rows?.heldSize ?? 0
        case .reservation, .erasure, .baseline: 0
        }
    }
}

extension ChangeSet {
    /// About how many bytes the values take in memory. Complexity: O(columns).
    package var heldSize: Int {
        var size = 0
        for group in groups {
            size += 8 * group.primaryKeys.count
            for column in group.new { size += column.heldSize }
            for column in group.old { size += column.heldSize }
        }
        for links in links { size += 48 * (links.removed.count + links.added.count) }
        return size
    }
}

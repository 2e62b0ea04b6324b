/// An erasure in the terms of one model.
struct ErasureTerms: Hashable {
    var object: ObjectKey
    /// Nil for all.
    var slots: Set<UInt16>?
    /// The slots in the erasure's model, if they are still there.
    var targets: [UInt16: UInt16] = [:]
    /// The slots whose new value is the object's present one, which stays.
    var kept: Set<UInt16> = []

    func concerns(_ slot: UInt16) -> Bool { slots?.contains(slot) ?? true }
}

extension ChangeSet {
    /// The change set without the values; nil if it has none of them.
    ///
    /// What was null before and what was taken out look the same. The object's key, and that something happened to
    /// it, stay.
    func redacted(_ terms: ErasureTerms) -> ChangeSet? {
        var result = self
        var isChanged = false
        for index in groups.indices {
            guard let row = groups[index].row(of: terms.object), result.groups[index].redact(row, terms)
            else { continue }
            isChanged = true
        }
        return isChanged ? result : nil
    }
}

extension ChangeGroup {
    /// The place of the object; nil if it is not there.
    func row(of object: ObjectKey) -> Int? {
        entity == object.entity ? primaryKeys.firstIndex(of: object.primaryKey) : nil
    }

    /// Whether there was a value to take out.
    fileprivate mutating func redact(_ row: Int, _ terms: ErasureTerms) -> Bool {
        var isChanged = false
        for (index, slot) in slots.enumerated() where terms.concerns(slot) {
            if index < new.count, !terms.kept.contains(slot), let column = new[index].redacted(row) {
                (new[index], isChanged) = (column, true)
            }
            if index < old.count, let column = old[index].redacted(row) { (old[index], isChanged) = (column, true) }
        }
        if isChanged, operation != .update { dropEmptyColumns() }
        return isChanged
    }

    /// An insertion or deletion names the properties that are set in some row.
    private mutating func dropEmptyColumns() {
        for index in slots.indices.reversed() {
            let column = index < new.count ? new[index] : old[index]
            guard column.type != .none, (0..<column.count).allSatisfy(column.isNull) else { continue }
            slots.remove(at: index)
            if index < new.count { new.remove(at: index) }
            if index < old.count { old.remove(at: index) }
        }
    }
}

extension Column {
    /// The column with a null in that row; nil if there is one, or nothing is kept.
    fileprivate func redacted(_ row: Int) -> Column? {
        if type == .none || isNull(at: row) { return nil }
        var result = Column(type)
        for index in 0..<count {
            if index == row { result.appendNull() } else { result.append(self[index]) }
        }
        return result
    }
}

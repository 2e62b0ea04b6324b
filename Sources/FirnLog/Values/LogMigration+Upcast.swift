/// Old change sets in newer terms, for readers of history. The log itself does not change.
extension LogMigration {
    /// The group in terms of `model`, to which this migration led; nil if the entity is gone.
    ///
    /// Properties that are gone are left out. Those that are stored in another way, as a to-one that became a to-many,
    /// are marked as touched.
    public func upcast(_ group: ChangeGroup, to model: LogModel) -> ChangeGroup? {
        if keepsTerms { return group }
        guard let moved = entity(group.entity), let entity = model.entity(group.entity) else { return nil }
        let targets = Dictionary(
            moved.properties.compactMap { property -> (UInt16, UInt16)? in
                guard case .slot(let old) = property.source else { return nil }
                return (old, property.slot)
            }, uniquingKeysWith: { first, _ in first })
        let kept = group.slots.indices.compactMap { index in
            targets[group.slots[index]].map { (index, $0) }
        }.sorted { $0.1 < $1.1 }
        var result = group
        result.primaryKeys = group.primaryKeys.map { $0 + moved.keyOffset }
        result.slots = kept.map(\.1)
        func columns(_ columns: [Column]) -> [Column] {
            if columns.isEmpty { return [] }
            return kept.map { index, slot in
                upcast(columns[index], to: entity.properties[Int(slot)].storage)
            }
        }
        result.new = columns(group.new)
        result.old = columns(group.old)
        return result
    }

    /// The key of an object in newer terms; nil if its entity is gone.
    public func upcast(_ key: ObjectKey) -> ObjectKey? {
        if keepsTerms { return key }
        return entity(key.entity).map { moved in
            ObjectKey(entity: key.entity, primaryKey: key.primaryKey + moved.keyOffset)
        }
    }

    /// An attribute of integers that has floating-point numbers from now on.
    private func reals(_ column: Column) -> Column {
        var result = Column(.real)
        for row in 0..<column.count {
            if case .integer(let value) = column[row] {
                result.append(.real(Double(value)))
            } else {
                result.appendNull()
            }
        }
        return result
    }

    private func upcast(_ column: Column, to storage: StorageType) -> Column {
        if column.type == .integer, storage == .real { return reals(column) }
        guard column.type == storage else { return Column(values: .touched(count: column.count)) }
        guard case .references = column.values else { return column }
        var result = Column(.reference)
        for row in 0..<column.count {
            if case .reference(let key) = column[row], let moved = upcast(key) {
                result.append(moved)
            } else {
                result.appendNull()
            }
        }
        return result
    }
}

import FirnRuntime
import FirnStore
import FirnLog
import FirnModel
import FirnProjection

/// Snapshots made of what was just written, so that nothing is read back.
extension RowColumns {
    static func inserted(_ group: ChangeGroup, slotCount: Int) -> RowColumns {
        // In the order of the slots, so that the array is filled once.
        var columns: [Column?] = []
        columns.reserveCapacity(slotCount)
        for (index, slot) in group.slots.enumerated() where group.new[index].type != .none {
            while columns.count < Int(slot) { columns.append(nil) }
            columns.append(group.new[index])
        }
        while columns.count < slotCount { columns.append(nil) }
        return RowColumns(entity: group.entity, primaryKeys: group.primaryKeys, columns: columns)
    }

    /// The changed columns of the group together with the unchanged ones of the objects' old snapshots.
    static func updated(_ group: ChangeGroup, objects: [UncountedReference<NSManagedObject>]) -> RowColumns {
        let layout = objects[0].with { $0.layout }
        var columns = [Column?](repeating: nil, count: layout.slots.count)
        for (index, slot) in group.slots.enumerated() where group.new[index].type != .none {
            columns[Int(slot)] = group.new[index]
        }
        for slot in layout.storedSlots where columns[slot] == nil {
            var column = Column(layout.slots[slot].storage)
            objects.withUnsafeBufferPointer { column.appendSaved(of: $0, slot) }
            columns[slot] = column
        }
        return RowColumns(entity: group.entity, primaryKeys: group.primaryKeys, columns: columns)
    }
}

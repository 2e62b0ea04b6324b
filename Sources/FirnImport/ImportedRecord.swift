import FirnStore
import FirnLog
import FirnModel
import FirnProjection

/// Gathers one step's changes into columns, and gives them away as change sets of a size that memory holds.
struct ImportedRecord {
    private struct Shape: Hashable {
        var entity: EntityNumber
        var operation: ChangeGroup.Operation
        var slots: [Int]
    }

    private let model: SequenceNumber
    private let write: (ChangeSet) throws -> Void
    private var groups: [ChangeGroup] = []
    private var indices: [Shape: Int] = [:]
    private var rowCount = 0
    private var byteCount = 0

    private let rowCountMax = 50_000
    private let byteCountMax = 32 << 20

    init(model: SequenceNumber, write: @escaping (ChangeSet) throws -> Void) {
        self.model = model
        self.write = write
    }

    /// `values` by slot.
    mutating func insert(_ key: ObjectKey, _ values: [PropertyValue], _ layout: AppleLayout) throws {
        guard let slots = layout.place(key.entity)?.entity.layout.storedSlots else { return }
        let index = group(Shape(entity: key.entity, operation: .insert, slots: slots), layout)
        groups[index].primaryKeys.append(key.primaryKey)
        for (column, slot) in slots.enumerated() {
            byteCount += Self.append(values[slot], to: &groups[index].new[column])
        }
        try count()
    }

    mutating func update(_ update: ImportedValues.Update, _ layout: AppleLayout) throws {
        let index = group(Shape(entity: update.key.entity, operation: .update, slots: update.slots), layout)
        groups[index].primaryKeys.append(update.key.primaryKey)
        for (column, value) in update.values.enumerated() {
            byteCount += Self.append(value, to: &groups[index].new[column])
            _ = Self.append(.null, to: &groups[index].old[column])
        }
        try count()
    }

    /// `last` are the values that the object had, by slot.
    mutating func delete(_ key: ObjectKey, _ last: [Int: PropertyValue], _ layout: AppleLayout) throws {
        let slots = last.keys.sorted()
        let index = group(Shape(entity: key.entity, operation: .delete, slots: slots), layout)
        groups[index].primaryKeys.append(key.primaryKey)
        for (column, slot) in slots.enumerated() {
            byteCount += Self.append(last[slot] ?? .null, to: &groups[index].old[column])
        }
        try count()
    }

    mutating func finish(_ links: [LinkGroup]) throws {
        try flush(links)
    }

    /// Returns how many bytes the value has, of texts and blobs.
    private static func append(_ value: PropertyValue, to column: inout Column) -> Int {
        guard column.type != .none else {
            column.appendTouched()
            return 0
        }
        column.append(value)
        return switch value {
        case .text(let text): text.utf8.count
        case .blob(let bytes): bytes.count
        default: 0
        }
    }

    private mutating func group(_ shape: Shape, _ layout: AppleLayout) -> Int {
        if let index = indices[shape] { return index }
        let slots = layout.place(shape.entity)?.entity.layout.slots ?? []
        let types = layout.schema.logModel.entity(shape.entity)?.properties.map(\.storage) ?? []
        var group = ChangeGroup(
            entity: shape.entity, operation: shape.operation, slots: shape.slots.map { UInt16(slots[$0].index) })
        let columns = shape.slots.map { Column(types[$0]) }
        if shape.operation != .delete { group.new = columns }
        if shape.operation != .insert { group.old = columns }
        indices[shape] = groups.count
        groups.append(group)
        return groups.count - 1
    }

    private mutating func count() throws {
        rowCount += 1
        if rowCount >= rowCountMax || byteCount >= byteCountMax { try flush([]) }
    }

    private mutating func flush(_ links: [LinkGroup]) throws {
        let changes = ChangeSet(model: model, groups: groups.map(\.withoutNullColumns), links: links)
        groups = []
        indices = [:]
        (rowCount, byteCount) = (0, 0)
        if !changes.isEmpty { try write(changes) }
    }
}

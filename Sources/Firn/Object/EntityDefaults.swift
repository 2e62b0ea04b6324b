import FirnModel

/// The values that a new object of an entity begins with.
struct EntityDefaults {
    let layout: EntityLayout
    private let values: ContiguousArray<SlotValue>
    /// Whether none of the values refers to anything.
    private let isPlain: Bool

    init(_ layout: EntityLayout) {
        self.layout = layout
        var values = ContiguousArray<SlotValue>(repeating: .unset, count: layout.slots.count)
        for slot in layout.defaultedSlots {
            let info = layout.slots[slot]
            switch info.defaultValue {
            case .none: continue
            case .integer(let value): values[slot] = .integer(value)
            case .real(let value): values[slot] = .real(value)
            case .text(let value): values[slot] = AttributeCoding.slotValue(text: value, info)
            case .blob(let value):
                values[slot] = value.withUnsafeBytes { AttributeCoding.slotValue(bytes: $0, info) }
            case .object(let value): values[slot] = .boxed(.init(value))
            }
        }
        self.values = values
        isPlain = values.allSatisfy {
            switch $0 {
            case .unset, .null, .integer, .real: true
            default: false
            }
        }
    }

    /// For one object, which will mostly change them. O(slots)
    func newValues() -> ContiguousArray<SlotValue> {
        // Shared ones would be copied value by value at the first change.
        guard isPlain, !values.isEmpty else { return values }
        return ContiguousArray(unsafeUninitializedCapacity: values.count) { copy, count in
            values.withUnsafeBytes { UnsafeMutableRawBufferPointer(copy).copyMemory(from: $0) }
            count = values.count
        }
    }
}

extension NSManagedObjectContext {
    /// Those of the entity that was last asked for are kept.
    func defaults(_ layout: EntityLayout) -> EntityDefaults {
        if let lastDefaults, lastDefaults.layout === layout { return lastDefaults }
        let defaults = EntityDefaults(layout)
        lastDefaults = defaults
        return defaults
    }
}

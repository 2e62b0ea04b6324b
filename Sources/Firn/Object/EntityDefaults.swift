import FirnModel
import FirnRuntime

/// The values that a new object of an entity begins with.
final class EntityDefaults {
    let layout: EntityLayout
    @exclusivity(unchecked) private var values: SlotValues
    /// Whether none of the values refers to anything.
    private let isPlain: Bool

    init(_ layout: EntityLayout) {
        self.layout = layout
        values = SlotValues(unset: layout.places)
        for slot in layout.defaultedSlots {
            values[slot] = AttributeCoding.defaultValue(layout.slots[slot])
        }
        isPlain = values.isPlain
    }

    deinit { values.removeAll() }

    /// Whether a new object whose slot has this value has been given another one than the default.
    func differ(from value: SlotValue, _ slot: Int) -> Bool {
        switch value {
        case .toOne: return true
        case .toMany: return false
        default:
            let info = layout.slots[slot]
            guard let stored = try? AttributeCoding.stored(value, info),
                let initial = try? AttributeCoding.stored(values[slot], info)
            else { return true }
            return stored != initial
        }
    }

    /// Puts them in place of what a new object holds. O(slots)
    func give(to object: NSManagedObject) {
        if isPlain {
            object.values = SlotValues(copyingPlain: values)
        } else {
            for slot in layout.defaultedSlots { object.write(values[slot], slot) }
        }
    }
}

extension NSManagedObject {
    /// Applies the entity's default values to a new object.
    final func applyDefaults(_ context: NSManagedObjectContext?) {
        if layout.defaultedSlots.isEmpty { return }
        guard let context else { return EntityDefaults(layout).give(to: self) }
        context.defaults(layout).with { $0.give(to: self) }
    }
}

extension NSManagedObjectContext {
    /// The defaults of an entity. Those of the entity that was last asked for are kept.
    fileprivate final func defaults(_ layout: EntityLayout) -> UncountedReference<EntityDefaults> {
        if let last = lastDefaults, last.with({ $0.layout === layout }) { return last }
        let defaults = UncountedReference.retaining(EntityDefaults(layout))
        lastDefaults?.release()
        lastDefaults = defaults
        return defaults
    }
}

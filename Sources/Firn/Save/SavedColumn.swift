import FirnLog
import FirnModel
import FirnProjection
import FirnRuntime

extension Column {
    /// The values that the objects' rows have in a slot; null for an object without a row. O(objects)
    mutating func appendSaved(of objects: UnsafeBufferPointer<UncountedReference<NSManagedObject>>, _ slot: Int) {
        var index = 0
        while index < objects.count {
            switch type {
            case .none: appendTouched()
            case .integer:
                index += appendIntegers(objects.count - index) { next in
                    objects[index + next].with { $0.savedInteger(slot) }
                }
            case .real:
                index += appendReals(objects.count - index) { next in
                    objects[index + next].with { $0.savedReal(slot) }
                }
            default: break
            }
            if index == objects.count { return }
            if type != .none { append(objects[index].with { $0.snapshot?.value(slot) ?? .null }) }
            index += 1
        }
    }
}

/// Numbers without a reference counted. Nil where it takes more to have them.
extension NSManagedObject {
    @inline(__always)
    final func savedInteger(_ slot: Int) -> Int64? {
        guard let saved = numbers?[slot].integers, let row = snapshot?.row else { return nil }
        return saved[row]
    }

    @inline(__always)
    final func savedReal(_ slot: Int) -> Double? {
        guard let saved = numbers?[slot].reals, let row = snapshot?.row else { return nil }
        return saved[row]
    }
}

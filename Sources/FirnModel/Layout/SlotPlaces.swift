/// Where an object stores the values of its slots, as byte offsets from the start of its values.
///
///     │ places │ slot 0 │ slot 1      │ slot 2 │ … │ kind 0 │ kind 1 │ …
///     0        8        16            32           kinds
///
/// A slot for a text or for data has two words, any other has one. The kind of each value has one byte; the kinds are
/// padded to whole words.
package struct SlotPlaces: @unchecked Sendable {
    /// The count of slots, where their kinds begin, and where each slot does. The entity's layout owns it.
    package let numbers: UnsafePointer<Int32>

    private static let wordSize: Int32 = 8

    init(_ slots: [Slot]) {
        let numbers = UnsafeMutablePointer<Int32>.allocate(capacity: slots.count + 2)
        var end = Self.wordSize
        for slot in slots {
            (numbers + slot.index + 2).initialize(to: end)
            end += slot.keepsTwoWords ? 2 * Self.wordSize : Self.wordSize
        }
        numbers.initialize(to: Int32(slots.count))
        (numbers + 1).initialize(to: end)
        self.numbers = UnsafePointer(numbers)
    }

    func deallocate() { numbers.deallocate() }
}

extension Slot {
    fileprivate var keepsTwoWords: Bool {
        switch attributeType {
        case .stringAttributeType, .binaryDataAttributeType: true
        default: false
        }
    }
}

import FirnStore
import TestSupport
import Testing

@Suite("A set of slots")
struct SlotSetTests {
    @Test(
        "holds what a set of integers holds, on both sides of the 64th slot",
        arguments: 1...20 as ClosedRange<UInt64>)
    func modelled(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var (slots, model) = (SlotSet(), Set<Int>())
        for _ in 0..<200 {
            let slot = Int.random(in: 0..<200, using: &random)
            if Bool.random(using: &random) {
                slots.insert(slot)
                model.insert(slot)
            } else {
                slots.remove(slot)
                model.remove(slot)
            }
            #expect(slots.contains(slot) == model.contains(slot))
        }
        #expect(slots.slots == model.sorted())
        #expect(slots.isEmpty == model.isEmpty)
    }

    @Test("is equal to another one with the same slots, whatever was in it before")
    func equality() {
        var (one, other) = (SlotSet(), SlotSet())
        one.insert(3)
        other.insert(3)
        other.insert(150)
        #expect(one != other)
        other.remove(150)
        #expect(one == other && one.hashValue == other.hashValue)
    }

    @Test("has the slots of another one after a union")
    func union() {
        var (one, other) = (SlotSet(), SlotSet())
        for slot in [1, 70] { one.insert(slot) }
        for slot in [2, 70, 199] { other.insert(slot) }
        one.formUnion(other)
        #expect(one.slots == [1, 2, 70, 199])
    }
}

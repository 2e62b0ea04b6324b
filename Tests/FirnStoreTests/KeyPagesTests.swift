import FirnLog
import FirnStore
import TestSupport
import Testing

@Suite("A table by object keys")
struct KeyPagesTests {
    @Test("has the entries that a dictionary has", arguments: 1...20 as ClosedRange<UInt64>)
    func modelled(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var (pages, model) = (KeyPages<Int>(), [ObjectKey: Int]())
        for step in 0..<2_000 {
            let key = ObjectKey(
                entity: EntityNumber(UInt32.random(in: 1...3, using: &random)),
                primaryKey: Int64.random(in: -40...120, using: &random))
            if Int.random(in: 0..<3, using: &random) > 0 {
                #expect(pages.update(step, for: key) == model.updateValue(step, forKey: key))
            } else {
                #expect(pages.remove(key) == model.removeValue(forKey: key))
            }
            #expect(pages.entry(for: key) == model[key])
        }
        #expect(pages.count == model.count)
        #expect(pages.entries.sorted() == model.values.sorted())
        for (key, entry) in model { #expect(pages.entry(for: key) == entry) }
    }
}

import FirnFoundation
import Foundation
import Testing

@Suite struct ValueReductionTests {
    @Test("a sum of integers is an integer, of fractions a double, with a decimal a decimal")
    func sumTypes() {
        #expect(ValueReduction.sum([1, NSNumber(value: 2)]) as? Int == 3)
        #expect(ValueReduction.sum([1, 0.5]) as? Double == 1.5)
        let tenth = Decimal(string: "0.1") ?? 0
        #expect(ValueReduction.sum([tenth, 0.2, 1]) as? Decimal == Decimal(string: "1.3"))
        #expect(ValueReduction.sum([]) as? Int == 0)
    }

    @Test("a sum beyond the integers is a double")
    func overflow() {
        #expect(ValueReduction.sum([Int.max, Int.max]) as? Double == 2 * Double(Int.max))
    }

    @Test("nulls count as 0 in sum and average")
    func nulls() {
        #expect(ValueReduction.sum([1, NSNull(), 2]) as? Int == 3)
        #expect(ValueReduction.average([1, NSNull(), 2]) as? Double == 1)
        #expect(ValueReduction.average([]) as? Double == 0)
    }

    @Test("nulls are passed over for the least and the greatest, and nothing has none")
    func extremes() {
        let values: [Any] = [NSNull(), 3, 1.5, NSNumber(value: 2)]
        #expect(ValueReduction.extreme(values, .orderedAscending) as? Double == 1.5)
        #expect(ValueReduction.extreme(values, .orderedDescending) as? Int == 3)
        #expect(ValueReduction.extreme([NSNull()], .orderedAscending) == nil)
        #expect(ValueReduction.extreme(["b", "a"], .orderedAscending) as? String == "a")
    }
}

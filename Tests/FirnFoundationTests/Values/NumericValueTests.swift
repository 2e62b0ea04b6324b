import FirnFoundation
import Foundation
import TestSupport
import Testing

@Suite("A number without its type")
struct NumericValueTests {
    @Test(
        "is the nearest double of a decimal",
        arguments: [
            "-848.9913028648543", "0.30000000000000004", "0", "-0.5", "1e20", "9007199254740993", "1e-120", "1e127",
            "12345678901234567890123456789012345678", "0.1234567890123456789012345678901234567",
        ])
    func nearest(_ text: String) throws {
        let decimal = try #require(Decimal(string: text))
        #expect(NumericValue.decimal(decimal).doubleValue == Double(text))
        #expect(NSDecimalNumber(decimal: decimal).nearestDouble == Double(text))
    }

    @Test("is the double that a decimal was made of")
    func roundTrip() {
        var generator = SeededGenerator()
        for _ in 0..<2_000 {
            let value = Double.random(in: -1_000...1_000, using: &generator)
            #expect(NumericValue.double(value).decimalValue.nearestDouble == value)
        }
        #expect(Decimal.nan.nearestDouble.isNaN)
    }
}

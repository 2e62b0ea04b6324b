import FirnModel
import Foundation
import TestSupport
import Testing

@Suite("Decimals as they are stored")
struct PlainDecimalTests {
    @Test("short and long decimals are told as Foundation tells them, and read back")
    func roundTrip() {
        var random = SeededGenerator()
        for _ in 0..<4_000 {
            let digits = (0..<Int.random(in: 1...30, using: &random)).map { _ in Int.random(in: 0...9, using: &random) }
            let whole = digits.map(String.init).joined()
            guard let magnitude = Decimal(string: whole) else { continue }
            var value = magnitude
            for _ in 0..<Int.random(in: 0...12, using: &random) { value /= 10 }
            for _ in 0..<Int.random(in: 0...4, using: &random) where Bool.random(using: &random) { value *= 10 }
            if Bool.random(using: &random) { value.negate() }
            let text = value.plainText
            #expect(text == value.description, "\(random)")
            #expect(Decimal(plainText: text) == value, "\(text), \(random)")
        }
    }

    @Test(
        "what is written in an unusual way is read as Foundation reads it",
        arguments: [
            "0", "-0", "0.00", "007", "1e3", "+5", ".5", "5.", "12.50", "-0.001", "999999999999999999", "", "abc",
        ])
    func unusual(text: String) {
        let expected = NSDecimalNumber(string: text).decimalValue
        let read = Decimal(plainText: text)
        #expect(read == expected || (read.isNaN && expected.isNaN))
    }

    @Test("not a number stays what it is")
    func notANumber() {
        #expect(Decimal.nan.plainText == Decimal.nan.description)
        #expect(Decimal(plainText: Decimal.nan.plainText).isNaN)
    }
}

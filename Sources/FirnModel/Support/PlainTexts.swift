package import Foundation

/// The text under which a decimal is stored, and back.
///
/// Foundation divides by ten for each digit it prints, and looks up the locale to parse a number. A decimal of up to
/// eighteen digits fits one machine word and is converted here. Foundation converts all others.
extension Decimal {
    /// The text that `description` gives.
    package var plainText: String {
        guard !isNaN, (-38...20).contains(exponent) else { return description }
        let whole = significand
        guard whole <= Self.largestWord else { return description }
        var digits = NSDecimalNumber(decimal: whole).uint64Value
        guard digits > 0 else { return "0" }
        var exponent = exponent
        while exponent < 0, digits.isMultiple(of: 10) {
            digits /= 10
            exponent += 1
        }
        var text = "\(digits)"
        if exponent > 0 { text += String(repeating: "0", count: exponent) }
        if exponent < 0 {
            if text.utf8.count <= -exponent {
                text = String(repeating: "0", count: 1 - exponent - text.utf8.count) + text
            }
            text.insert(".", at: text.utf8.index(text.endIndex, offsetBy: exponent))
        }
        return isSignMinus ? "-" + text : text
    }

    /// The decimal of a stored text; NaN if the text is no number.
    package init(plainText text: String) {
        self = Self.short(text) ?? NSDecimalNumber(string: text).decimalValue
    }

    /// A sign, up to eighteen digits, and perhaps a point among them.
    private static func short(_ text: String) -> Decimal? {
        var digits: UInt64 = 0
        var count = 0
        var places: Int?
        var isNegative = false
        for (index, byte) in text.utf8.enumerated() {
            switch byte {
            case UInt8(ascii: "-") where index == 0: isNegative = true
            case UInt8(ascii: ".") where places == nil && count > 0: places = 0
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                guard count < 18 else { return nil }
                digits = digits * 10 + UInt64(byte - UInt8(ascii: "0"))
                count += 1
                if let known = places { places = known + 1 }
            default: return nil
            }
        }
        guard count > 0, places != 0 else { return nil }
        return Decimal(
            sign: isNegative ? .minus : .plus, exponent: -(places ?? 0), significand: Decimal(digits))
    }

    private static let largestWord = Decimal(1_000_000_000_000_000_000)
}

extension String {
    /// The order of names in layouts, hashes and files: by UTF-8 bytes, the same on every machine.
    package func precedesInUTF8(_ other: String) -> Bool {
        utf8.lexicographicallyPrecedes(other.utf8)
    }
}

extension Sequence {
    /// The elements by a name, in the order of its UTF-8 bytes.
    package func sortedByUTF8(_ name: (Element) -> String) -> [Element] {
        sorted { name($0).precedesInUTF8(name($1)) }
    }
}

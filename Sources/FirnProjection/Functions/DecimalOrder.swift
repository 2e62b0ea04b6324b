internal import FirnFoundation
internal import Foundation

/// The order of decimal numbers in plain notation: `-12.5`, `0`, `3.10`.
///
/// Texts that are no numbers, as `NaN`, are before all numbers, ordered by their bytes.
enum DecimalOrder {
    private struct Parts {
        var isNegative: Bool
        /// Without leading zeros.
        var whole: Slice<UnsafeRawBufferPointer>
        /// Without trailing zeros.
        var fraction: Slice<UnsafeRawBufferPointer>

        var isZero: Bool { whole.isEmpty && fraction.isEmpty }
    }

    private static let zero = UInt8(ascii: "0")

    private static func parse(_ text: UnsafeRawBufferPointer) -> Parts? {
        var rest = text[...]
        var isNegative = false
        if let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
            isNegative = sign == UInt8(ascii: "-")
            rest = rest.dropFirst()
        }
        let point = rest.firstIndex(of: UInt8(ascii: ".")) ?? rest.endIndex
        var fraction = rest[point...].dropFirst()
        let digits = rest[..<point]
        guard !digits.isEmpty || !fraction.isEmpty,
            digits.allSatisfy(isDigit), fraction.allSatisfy(isDigit)
        else { return nil }
        while fraction.last == zero { fraction = fraction.dropLast() }
        return Parts(
            isNegative: isNegative, whole: digits.drop { $0 == zero }, fraction: fraction)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= zero && byte <= zero + 9 }

    /// Negative, zero or positive.
    static func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int32 {
        switch (parse(left), parse(right)) {
        case (nil, nil): return bytes(left[...], right[...])
        case (nil, _): return -1
        case (_, nil): return 1
        case (let left?, let right?):
            if left.isZero && right.isZero { return 0 }
            let leftNegative = left.isNegative && !left.isZero
            let rightNegative = right.isNegative && !right.isZero
            if leftNegative != rightNegative { return leftNegative ? -1 : 1 }
            let order = magnitude(left, right)
            return leftNegative ? -order : order
        }
    }

    private static func magnitude(_ left: Parts, _ right: Parts) -> Int32 {
        if left.whole.count != right.whole.count {
            return left.whole.count < right.whole.count ? -1 : 1
        }
        let whole = bytes(left.whole, right.whole)
        return whole != 0 ? whole : bytes(left.fraction, right.fraction)
    }

    private static func bytes(
        _ left: Slice<UnsafeRawBufferPointer>, _ right: Slice<UnsafeRawBufferPointer>
    ) -> Int32 {
        if left.lexicographicallyPrecedes(right) { return -1 }
        return right.lexicographicallyPrecedes(left) ? 1 : 0
    }
}

/// Numbers in the notation of decimal columns.
enum DecimalText {
    /// A double is converted by its shortest text: 0.1 is the decimal 0.1.
    /// One beyond the decimals is a text of digits that is beyond them too.
    static func text(of value: Double) -> String {
        if value.isNaN { return notANumber }
        if abs(value) >= 1e150 { return (value < 0 ? "-" : "") + String(repeating: "9", count: 400) }
        return NumericValue.double(value).decimalValue.description
    }
}

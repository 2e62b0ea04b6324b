package import Foundation

/// A number without its type. Numbers of different types compare exactly, by their numeric value.
package enum NumericValue {
    case integer(Int64)
    /// Above `Int64.max` only.
    case unsigned(UInt64)
    case double(Double)
    case decimal(Decimal)

    package init(_ number: NSNumber) {
        switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "d"), UInt8(ascii: "f"): self = .double(number.doubleValue)
        case UInt8(ascii: "Q"): self = NumericValue(integer: number.uint64Value)
        default: self = .integer(number.int64Value)
        }
    }

    init(integer: some FixedWidthInteger) {
        if let value = Int64(exactly: integer) {
            self = .integer(value)
        } else if let value = UInt64(exactly: integer) {
            self = .unsigned(value)
        } else {
            self = .double(Double(integer))
        }
    }

    package var doubleValue: Double {
        switch self {
        case .integer(let value): Double(value)
        case .unsigned(let value): Double(value)
        case .double(let value): value
        case .decimal(let value): value.nearestDouble
        }
    }

    /// The number as a text; a whole one has no fraction.
    package var stringValue: String {
        switch self {
        case .integer(let value): "\(value)"
        case .unsigned(let value): "\(value)"
        case .double(let value): Int64(exactly: value).map { "\($0)" } ?? "\(value)"
        case .decimal(let value): "\(value)"
        }
    }

    /// The number in decimal. A double is converted by its shortest text, so that 0.1 is the decimal 0.1.
    /// An infinite one is no number, as a decimal cannot be.
    package var decimalValue: Decimal {
        switch self {
        case .integer(let value): Decimal(value)
        case .unsigned(let value): Decimal(value)
        case .double(let value): value.isFinite ? Decimal(string: "\(value)") ?? Decimal(value) : .nan
        case .decimal(let value): value
        }
    }

    /// The power of whole numbers, which is whole where a double holds it exactly.
    package static func power(_ base: Int64, _ exponent: Int64) -> NumericValue {
        let result = pow(Double(base), Double(exponent))
        let wholeMax = 9_007_199_254_740_992.0
        return exponent >= 0 && abs(result) <= wholeMax ? .integer(Int64(result)) : .double(result)
    }

    var isNaN: Bool {
        switch self {
        case .double(let value): value.isNaN
        case .decimal(let value): value.isNaN
        case .integer, .unsigned: false
        }
    }

    /// The order of two numbers; nil if one is not a number (NaN) and the other is not the same.
    func compare(_ other: NumericValue) -> ComparisonResult? {
        switch (self, other) {
        case (.integer(let a), .integer(let b)): return order(a, b)
        case (.unsigned(let a), .unsigned(let b)): return order(a, b)
        case (.integer, .unsigned): return .orderedAscending
        case (.unsigned, .integer): return .orderedDescending
        case (.double(let a), .double(let b)):
            if a.isNaN || b.isNaN { return a.isNaN && b.isNaN ? .orderedSame : nil }
            return order(a, b)
        case (.double(let a), .integer(let b)): return compareExactly(a, b)
        case (.double(let a), .unsigned(let b)): return compareExactly(a, b)
        case (.integer(let a), .double(let b)): return compareExactly(b, a)?.opposite
        case (.unsigned(let a), .double(let b)): return compareExactly(b, a)?.opposite
        case (.decimal(let a), .double(let b)): return compareWithDecimal(b, a)?.opposite
        case (.double(let a), .decimal(let b)): return compareWithDecimal(a, b)
        case (.decimal, _), (_, .decimal): return order(decimalValue, other.decimalValue)
        }
    }
}

extension ComparisonResult {
    /// The result of the same comparison with its sides exchanged.
    var opposite: ComparisonResult {
        switch self {
        case .orderedAscending: .orderedDescending
        case .orderedSame: .orderedSame
        case .orderedDescending: .orderedAscending
        }
    }
}

func order<Value: Comparable>(_ a: Value, _ b: Value) -> ComparisonResult {
    a < b ? .orderedAscending : a == b ? .orderedSame : .orderedDescending
}

/// Converting the integer to a double would make 2^53 and 2^53 + 1 equal; the heterogeneous
/// operators do not convert.
private func compareExactly<Integer: BinaryInteger>(_ a: Double, _ b: Integer) -> ComparisonResult? {
    if a.isNaN { return nil }
    if !a.isFinite { return a < 0 ? .orderedAscending : .orderedDescending }
    let whole = a.rounded(.down)
    // Beyond the integer's range the sign decides.
    guard let floor = Integer(exactly: whole) else {
        return a < 0 ? .orderedAscending : .orderedDescending
    }
    if floor != b { return floor < b ? .orderedAscending : .orderedDescending }
    return a == whole ? .orderedSame : .orderedDescending
}

private func compareWithDecimal(_ a: Double, _ b: Decimal) -> ComparisonResult? {
    if a.isNaN || b.isNaN { return a.isNaN && b.isNaN ? .orderedSame : nil }
    // A decimal ends at 10^165: greater doubles are greater than all of them.
    if abs(a) > 1e150 { return a < 0 ? .orderedAscending : .orderedDescending }
    return order(NumericValue.double(a).decimalValue, b)
}

extension NumericValue {
    /// The number as an object of Foundation's.
    var object: NSNumber {
        switch self {
        case .integer(let value): NSNumber(value: value)
        case .unsigned(let value): NSNumber(value: value)
        case .double(let value): NSNumber(value: value)
        case .decimal(let value): NSDecimalNumber(decimal: value)
        }
    }
}

extension Decimal {
    /// The double that is nearest to the number. That of Foundation on Linux differs in its last bits.
    package var nearestDouble: Double {
        if isNaN { return .nan }
        // A quotient of two whole numbers that a double holds is rounded once.
        let wholeMax = Decimal(9_007_199_254_740_992)
        if (-22...0).contains(exponent), significand <= wholeMax {
            let quotient = NSDecimalNumber(decimal: significand).doubleValue / pow(10.0, Double(-exponent))
            return isSignMinus ? -quotient : quotient
        }
        return Double(description) ?? .nan
    }
}

extension NSNumber {
    /// The double that is nearest to the number, also of a decimal.
    package var nearestDouble: Double { (self as? NSDecimalNumber)?.decimalValue.nearestDouble ?? doubleValue }
}

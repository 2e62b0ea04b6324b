/// Reals that are whole numbers divided by one power of ten, as prices, coordinates and times to the millisecond are:
/// their numerators take fewer bytes than the reals, and differ little from row to row.
///
/// Only reals that come back bit for bit count (the division of two integers that are exact is rounded correctly, see
/// IEEE 754, 5.4.1), so none that are not finite, and not -0.0.
package struct DecimalReals {
    let numbers: [Int64]
    /// The exponent of the power of ten, 0 to `exponentMax`.
    let exponent: UInt8

    static let exponentMax: UInt8 = 9
    /// Products up to here are exact to less than one half, also after another multiplication by ten.
    private static let numberMax = 0x1p53
    private static let powers: [Double] = [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9]

    /// Nil where some value is no such number. The exponent is the smallest that does.
    init?(_ values: [Double]) {
        var exponent: UInt8 = 0
        for value in values {
            while Self.number(value, Self.powers[Int(exponent)]) == nil {
                if exponent == Self.exponentMax { return nil }
                exponent += 1
            }
        }
        // A large number may have been fine with the exponent that was enough for those before it.
        guard let numbers = Self.numbers(values, exponent) else { return nil }
        self.numbers = numbers
        self.exponent = exponent
    }

    /// The differences of the numbers to those of `base`, both over the power of ten that is enough for both.
    func differences(to base: [Double]) -> (numbers: [Int64], exponent: UInt8)? {
        guard let other = DecimalReals(base) else { return nil }
        let common = max(exponent, other.exponent)
        let factor = Self.powers[Int(common - exponent)]
        guard numbers.allSatisfy({ abs(Double($0)) * factor < Self.numberMax }),
            let known = Self.numbers(base, common)
        else { return nil }
        return (zip(numbers, known).map { $0 * Int64(factor) - $1 }, common)
    }

    /// The numerators of `values` over a power of ten, nil where some value has none.
    static func numbers(_ values: [Double], _ exponent: UInt8) -> [Int64]? {
        let power = powers[Int(exponent)]
        var numbers: [Int64] = []
        numbers.reserveCapacity(values.count)
        for value in values {
            guard let number = number(value, power) else { return nil }
            numbers.append(number)
        }
        return numbers
    }

    static func values(_ numbers: [Int64], _ exponent: UInt8) -> [Double] {
        let power = powers[Int(exponent)]
        return numbers.map { Double($0) / power }
    }

    @inline(__always)
    private static func number(_ value: Double, _ power: Double) -> Int64? {
        let product = (value * power).rounded()
        guard abs(product) < numberMax else { return nil }
        let number = Int64(product)
        return (Double(number) / power).bitPattern == value.bitPattern ? number : nil
    }
}

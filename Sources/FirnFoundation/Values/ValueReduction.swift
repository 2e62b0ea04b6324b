package import Foundation

/// Sum, average, least and greatest of values of unknown types, for collection operators and
/// predicate functions.
package enum ValueReduction {
    /// The sum: an `Int` of integers as long as it fits, a `Decimal` if any number is one, else a
    /// `Double`. What is not a number counts as 0.
    package static func sum(_ values: [Any]) -> Any {
        let numbers = values.compactMap(number)
        if let sum = integerSum(numbers) { return Int(exactly: sum) ?? Double(sum) as Any }
        if numbers.contains(where: \.isDecimal) {
            return numbers.reduce(Decimal(0)) { $0 + $1.decimalValue }
        }
        return numbers.reduce(0.0) { $0 + $1.doubleValue }
    }

    /// The sum divided by the number of values, those included that are not numbers; 0 over nothing.
    package static func average(_ values: [Any]) -> Any {
        if values.isEmpty { return 0.0 }
        let numbers = values.compactMap(number)
        if numbers.contains(where: \.isDecimal) {
            return numbers.reduce(Decimal(0)) { $0 + $1.decimalValue } / Decimal(values.count)
        }
        let sum = integerSum(numbers).map { Double($0) } ?? numbers.reduce(0.0) { $0 + $1.doubleValue }
        return sum / Double(values.count)
    }

    /// The least (`.orderedAscending`) or greatest (`.orderedDescending`) value, nil if there is
    /// none. Nulls, and values that have no order with those before them, are passed over.
    package static func extreme(_ values: [Any], _ direction: ComparisonResult) -> Any? {
        var found: Any?
        for value in values where !ValueComparison.isNull(value) {
            guard let best = found else {
                found = value
                continue
            }
            if ValueComparison.compare(value, best) == direction { found = value }
        }
        return found
    }

    private static func integerSum(_ numbers: [NumericValue]) -> Int128? {
        var sum: Int128 = 0
        for number in numbers {
            guard case .integer(let value) = number else { return nil }
            sum += Int128(value)
        }
        return sum
    }

    private static func number(_ value: Any) -> NumericValue? {
        switch PlainValue(value) {
        case .number(let number): number
        case .date(let date): .double(date.timeIntervalSinceReferenceDate)
        // Foundation uses `doubleValue`, which strings have as well.
        case .string(let text): Double(text).map(NumericValue.double)
        default: nil
        }
    }
}

extension NumericValue {
    var isDecimal: Bool {
        if case .decimal = self { return true }
        return false
    }
}

/// The numbers of a store, where NaN is null.
enum StoredNumbers {
    static func isNaN(_ value: Any?) -> Bool {
        if case .number(let number) = PlainValue(value) { number.isNaN } else { false }
    }

    /// A text as the number that it is, nil if it is none.
    static func number(_ value: Any?) -> Any? {
        guard case .string(let text) = PlainValue(value) else { return value }
        return ColumnAffinity.number(text)?.object
    }

    /// The members that an aggregate covers.
    static func members(_ members: [Any]) -> [Any] {
        members.filter { !ValueComparison.isNull($0) && !isNaN($0) }
    }
}

internal import FirnFoundation
internal import FirnSQLite
internal import Foundation

/// Arithmetic that SQL lacks: on decimal numbers, and remainders of reals.
enum NumberFunctions {
    static func install(on connection: Connection) throws {
        try connection.addCollation("firn_decimal", DecimalOrder.compare)
        try connection.addFunction("firn_decimal", argumentCount: 1) { arguments in
            guard let text = text(of: arguments, 0) else { return .null }
            if arguments.storageClass(0) != .text || text == notANumber { return .text(text) }
            return ColumnAffinity.decimal(text).map { .text($0.description) } ?? .null
        }
        try installConversions(on: connection)
        let operations: [(String, (Decimal, Decimal) -> Decimal?)] = [
            ("firn_decimal_add", { $0 + $1 }),
            ("firn_decimal_subtract", { $0 - $1 }),
            ("firn_decimal_multiply", { $0 * $1 }),
            ("firn_decimal_divide", { $1 == 0 ? nil : $0 / $1 }),
        ]
        for (name, operation) in operations {
            try connection.addFunction(name, argumentCount: 2) { arguments in
                guard let left = number(arguments, 0), let right = number(arguments, 1),
                    let result = operation(left, right), !result.isNaN
                else { return .null }
                return .text(result.description)
            }
        }
        try connection.addFunction("firn_modulus", argumentCount: 2) { arguments in
            modulus(arguments)
        }
        try connection.addFunction("firn_power", argumentCount: 2) { arguments in
            if arguments.isNull(0) || arguments.isNull(1) { return .null }
            return SQLiteValue(NumericValue.power(arguments.integer(0), arguments.integer(1)))
        }
        try installStatistics(on: connection)
        try connection.addAggregate("firn_sum", argumentCount: 1) { IntegerReduction(isAverage: false) }
        try connection.addAggregate("firn_average", argumentCount: 1) { IntegerReduction(isAverage: true) }
        try connection.addAggregate("firn_decimal_sum", argumentCount: 1) {
            DecimalReduction(isAverage: false)
        }
        try connection.addAggregate("firn_decimal_average", argumentCount: 1) {
            DecimalReduction(isAverage: true)
        }
    }

    /// `firn_number` is for comparisons and gives a text that is no number back; `firn_real` is for results, and has
    /// null for it.
    ///
    /// `firn_numeral` is a text as a number, and `firn_string` a number as a text.
    private static func installConversions(on connection: Connection) throws {
        try connection.addFunction("firn_numeral", argumentCount: 1) { arguments in
            guard arguments.storageClass(0) == .text else { return arguments.value(0) }
            return ColumnAffinity.number(arguments.text(0)).map(SQLiteValue.init) ?? .null
        }
        try connection.addFunction("firn_string", argumentCount: 1) { arguments in
            switch arguments.storageClass(0) {
            case .null, .blob: .null
            case .integer: .text(String(arguments.integer(0)))
            case .real: .text(NumericValue.double(arguments.real(0)).stringValue)
            case .text: .text(arguments.text(0))
            }
        }
        // Of zero, SQLite has no logarithm.
        for (name, logarithm) in [("firn_ln", log), ("firn_log10", log10)] as [(String, (Double) -> Double)] {
            try connection.addFunction(name, argumentCount: 1) { arguments in
                switch arguments.storageClass(0) {
                case .null, .blob: .null
                case .integer, .real: .real(logarithm(arguments.real(0)))
                case .text: ColumnAffinity.number(arguments.text(0)).map { .real(logarithm($0.doubleValue)) } ?? .null
                }
            }
        }
        try connection.addFunction("firn_number", argumentCount: 1) { arguments in
            guard arguments.storageClass(0) == .text else { return arguments.value(0) }
            let text = arguments.text(0)
            return ColumnAffinity.number(text).map(SQLiteValue.init) ?? .text(text)
        }
        try connection.addFunction("firn_real", argumentCount: 1) { arguments in
            switch arguments.storageClass(0) {
            case .null, .blob: return .null
            case .integer, .real: return .real(arguments.real(0))
            case .text:
                let text = arguments.text(0)
                if text == notANumber { return .text(notANumber) }
                return ColumnAffinity.number(text).map { .real($0.doubleValue) } ?? .null
            }
        }
    }

    /// Installs the functions that need all numbers of a group at once.
    static func installStatistics(on connection: Connection) throws {
        try connection.addAggregate("firn_median", argumentCount: 1) {
            Statistic { numbers in
                let sorted = numbers.sorted()
                let middle = sorted.count / 2
                return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
            }
        }
        try connection.addAggregate("firn_deviation", argumentCount: 1) {
            Statistic { numbers in
                let mean = numbers.reduce(0, +) / Double(numbers.count)
                let squares = numbers.map { ($0 - mean) * ($0 - mean) }.reduce(0, +)
                return (squares / Double(numbers.count)).squareRoot()
            }
        }
    }

    private static func text(of arguments: FunctionArguments, _ index: Int) -> String? {
        switch arguments.storageClass(index) {
        case .null, .blob: nil
        case .integer: String(arguments.integer(index))
        case .real: DecimalText.text(of: arguments.real(index))
        case .text: arguments.text(index)
        }
    }

    static func number(_ arguments: FunctionArguments, _ index: Int) -> Decimal? {
        text(of: arguments, index).flatMap { Decimal(string: $0) }
    }

    private static func modulus(_ arguments: FunctionArguments) -> SQLiteValue {
        switch (arguments.storageClass(0), arguments.storageClass(1)) {
        case (.null, _), (_, .null): return .null
        case (.integer, .integer):
            let divisor = arguments.integer(1)
            if divisor == 0 { return .null }
            return .integer(arguments.integer(0).remainderReportingOverflow(dividingBy: divisor).partialValue)
        default: return .real(fmod(arguments.real(0), arguments.real(1)))
        }
    }
}

extension SQLiteValue {
    fileprivate init(_ number: NumericValue) {
        switch number {
        case .integer(let value): self = .integer(value)
        case .unsigned, .double, .decimal: self = .real(number.doubleValue)
        }
    }
}

/// The sum of whole numbers, of nothing zero, or their average, of nothing null. A sum beyond 64 bits is a real number,
/// where SQLite's `sum` is an error.
private final class IntegerReduction: AggregateState {
    private let isAverage: Bool
    private var sum: Int128 = 0
    private var count = 0

    init(isAverage: Bool) { self.isAverage = isAverage }

    func step(_ arguments: FunctionArguments) {
        if arguments.isNull(0) { return }
        sum += Int128(arguments.integer(0))
        count += 1
    }

    func result() -> SQLiteValue {
        if isAverage { return count > 0 ? .real(Double(sum) / Double(count)) : .null }
        return Int64(exactly: sum).map { .integer($0) } ?? .real(Double(sum))
    }
}

/// The sum of decimal numbers, of nothing zero, or their average, of nothing null.
private final class DecimalReduction: AggregateState {
    private let isAverage: Bool
    private var sum = Decimal(0)
    private var count = 0

    init(isAverage: Bool) { self.isAverage = isAverage }

    func step(_ arguments: FunctionArguments) {
        guard let number = NumberFunctions.number(arguments, 0) else { return }
        sum += number
        count += 1
    }

    func result() -> SQLiteValue {
        if !isAverage { return .text(sum.description) }
        return count > 0 ? .text((sum / Decimal(count)).description) : .null
    }
}

/// A figure of all numbers of a group; of none null.
private final class Statistic: AggregateState {
    private let figure: ([Double]) -> Double
    private var numbers: [Double] = []

    init(_ figure: @escaping ([Double]) -> Double) { self.figure = figure }

    func step(_ arguments: FunctionArguments) {
        guard let number = NumberFunctions.number(arguments, 0) else { return }
        numbers.append(
            arguments.storageClass(0) == .text ? number.nearestDouble : arguments.real(0))
    }

    func result() -> SQLiteValue { numbers.isEmpty ? .null : .real(figure(numbers)) }
}

/// Registers the functions and collations that the SQL of this module uses.
enum ProjectionFunctions {
    static func install(on connection: Connection) throws {
        try NumberFunctions.install(on: connection)
        try SQLTextFunctions.install(on: connection)
    }
}

import Foundation

/// The values that a sort reads for one descriptor, in a typed array if all are of one kind. A sort compares each value
/// many times, and inspecting an `Any` costs more than comparing.
enum SortColumn {
    case strings([String?], ascending: Bool)
    case integers([Int64?], ascending: Bool)
    /// Doubles, and dates as seconds since the reference date.
    case doubles([Double?], ascending: Bool)
    case values([Any?], SortRule)

    /// A column of the values, nil for null.
    init(_ values: [Any?], _ rule: SortRule) {
        self = SortColumn.typed(values, rule) ?? .values(values, rule)
    }

    /// The order of the values in two places, nil first when ascending.
    func compare(_ a: Int, _ b: Int) -> ComparisonResult {
        switch self {
        case .strings(let values, let ascending):
            SortColumn.compare(values[a], values[b], ascending, PlainText.orderOfUnits)
        case .integers(let values, let ascending):
            SortColumn.compare(values[a], values[b], ascending, order)
        case .doubles(let values, let ascending):
            SortColumn.compare(values[a], values[b], ascending, order)
        case .values(let values, let rule):
            rule.compare(values[a], values[b])
        }
    }

    private static func typed(_ values: [Any?], _ rule: SortRule) -> SortColumn? {
        if case .rank(let search) = rule.comparison {
            return all(values) { if case .string(let text) = $0 { search.rank(in: text) } else { nil } }
                .map { .doubles($0, ascending: rule.ascending) }
        }
        guard rule.comparator == nil, rule.comparison.isNatural else { return nil }
        // The first value selects the type. A value of another kind makes the column untyped.
        guard let first = values.lazy.compactMap({ $0 }).first else { return nil }
        switch PlainValue(first) {
        case .string:
            return all(values) { if case .string(let text) = $0 { text } else { nil } }
                .map { .strings($0, ascending: rule.ascending) }
        case .number(.integer):
            return all(values) {
                if case .number(.integer(let number)) = $0 { number } else { nil }
            }
            .map { .integers($0, ascending: rule.ascending) }
        case .number(.double):
            return all(values, double).map { .doubles($0, ascending: rule.ascending) }
        case .date:
            return all(values) {
                if case .date(let date) = $0 { date.timeIntervalSinceReferenceDate } else { nil }
            }.map { .doubles($0, ascending: rule.ascending) }
        default:
            return nil
        }
    }

    /// NaN is left to the general comparison, because it has no order among numbers.
    private static func double(_ value: PlainValue) -> Double? {
        if case .number(.double(let number)) = value, !number.isNaN { return number }
        return nil
    }

    private static func all<Value>(_ values: [Any?], _ plain: (PlainValue) -> Value?) -> [Value?]? {
        var column: [Value?] = []
        column.reserveCapacity(values.count)
        for value in values {
            guard let value else {
                column.append(nil)
                continue
            }
            guard let found = plain(PlainValue(value)) else { return nil }
            column.append(found)
        }
        return column
    }

    private static func compare<Value>(
        _ a: Value?, _ b: Value?, _ ascending: Bool, _ compare: (Value, Value) -> ComparisonResult
    ) -> ComparisonResult {
        let result: ComparisonResult
        switch (a, b) {
        case (nil, nil): return .orderedSame
        case (nil, _): result = .orderedAscending
        case (_, nil): result = .orderedDescending
        case (let a?, let b?): result = compare(a, b)
        }
        return ascending ? result : result.opposite
    }
}

import Foundation

/// `sum:`, `count:`, `min:` and their like: of the members of one collection, or of several arguments.
enum AggregateFunctions {
    static func value(of function: PredicateFunction, _ arguments: [Any?]) throws -> Any? {
        let members = members(of: arguments)
        switch function {
        case .count: return members.count
        case .sum: return ValueReduction.sum(members)
        case .average: return ValueReduction.average(members)
        case .min: return ValueReduction.extreme(members, .orderedAscending)
        case .max: return ValueReduction.extreme(members, .orderedDescending)
        case .median: return try median(members)
        case .mode: return modes(members)
        case .standardDeviation: return try standardDeviation(members)
        default: return distinct(members)
        }
    }

    private static func members(of arguments: [Any?]) -> [Any] {
        guard arguments.count == 1 else { return arguments.map { $0 ?? NSNull() } }
        guard let value = arguments[0], !ValueComparison.isNull(value) else { return [] }
        return collectionMembers(of: value) ?? [value]
    }

    /// The middle number, or the mean of the two in the middle; nil of nothing.
    private static func median(_ members: [Any]) throws -> Any? {
        let sorted = try doubles(members).sorted()
        guard !sorted.isEmpty else { return nil }
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }

    /// The deviation from the mean of all members, not of a sample; nil of nothing.
    private static func standardDeviation(_ members: [Any]) throws -> Any? {
        let numbers = try doubles(members)
        guard !numbers.isEmpty else { return nil }
        let mean = numbers.reduce(0, +) / Double(numbers.count)
        let squares = numbers.map { ($0 - mean) * ($0 - mean) }.reduce(0, +)
        return (squares / Double(numbers.count)).squareRoot()
    }

    /// The most frequent members, in the order of their first occurrence.
    private static func modes(_ members: [Any]) -> [Any] {
        var counted: [(value: Any, count: Int)] = []
        for member in members {
            if let index = counted.firstIndex(where: { ValueComparison.equal($0.value, member) }) {
                counted[index].count += 1
            } else {
                counted.append((member, 1))
            }
        }
        let most = counted.map(\.count).max()
        return counted.filter { $0.count == most }.map(\.value)
    }

    private static func distinct(_ members: [Any]) -> [Any] {
        var found: [Any] = []
        for member in members where !found.contains(where: { ValueComparison.equal($0, member) }) {
            found.append(member)
        }
        return found
    }

    private static func doubles(_ members: [Any]) throws -> [Double] {
        try members.compactMap { member in
            guard !ValueComparison.isNull(member) else { return nil }
            guard case .number(let number) = PlainValue(member) else {
                throw ExpressionError("\(LiteralText.describe(member)) is no number")
            }
            return number.doubleValue
        }
    }
}

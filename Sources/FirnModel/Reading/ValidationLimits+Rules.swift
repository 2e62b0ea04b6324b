import Foundation

import class FirnFoundation.NSComparisonPredicate
import class FirnFoundation.NSExpression
import class FirnFoundation.NSPredicate

extension ValidationLimits {
    /// Predicates with the error code that each failure reports, and what could not be made one of.
    struct Rules {
        var predicates: [NSPredicate] = []
        var warnings: [Any] = []
        var complaints: [String] = []

        fileprivate mutating func add(
            _ subject: NSExpression, _ type: NSComparisonPredicate.Operator, _ limit: Any, code: Int
        ) {
            predicates.append(
                NSComparisonPredicate(
                    leftExpression: subject, rightExpression: NSExpression(forConstantValue: limit),
                    modifier: .direct, type: type))
            warnings.append(NSNumber(value: code))
        }
    }

    /// Core Data's validation error codes.
    private enum Code {
        static let numberTooLarge = 1610
        static let numberTooSmall = 1620
        static let dateTooLate = 1630
        static let dateTooSoon = 1640
        static let stringTooLong = 1660
        static let stringTooShort = 1670
        static let stringPatternMatching = 1680
    }

    /// The rules of the limits for a value of `type`: numbers and dates are compared, strings measured and matched.
    func rules(for type: NSAttributeType) -> Rules {
        var rules = Rules()
        let value = NSExpression.expressionForEvaluatedObject()
        switch type {
        case .stringAttributeType:
            let length = NSExpression(forKeyPath: "length")
            limit(
                &rules, length, small: Code.stringTooShort, large: Code.stringTooLong, Self.number)
        case .dateAttributeType:
            limit(&rules, value, small: Code.dateTooSoon, large: Code.dateTooLate) { text in
                Double(text).map { Date(timeIntervalSinceReferenceDate: $0) }
            }
        default:
            limit(
                &rules, value, small: Code.numberTooSmall, large: Code.numberTooLarge, Self.number)
        }
        if let pattern { rules.add(value, .matches, pattern, code: Code.stringPatternMatching) }
        return rules
    }

    /// The message about a minimum above the maximum, which no value fulfils; nil otherwise.
    var contradiction: String? {
        func bound(_ text: String?) -> Double? { text.flatMap { Double($0.trimmingCharacters(in: .whitespaces)) } }
        guard let small = bound(minimum), let large = bound(maximum), small > large else { return nil }
        return "the minimum '\(minimum ?? "")' above the maximum '\(maximum ?? "")'; no value is valid"
    }

    private static func number(_ text: String) -> Any? {
        if let integer = Int64(text) { return NSNumber(value: integer) }
        return Double(text).map { NSNumber(value: $0) }
    }

    private func limit(
        _ rules: inout Rules, _ subject: NSExpression, small: Int, large: Int,
        _ value: (String) -> Any?
    ) {
        let limits: [(String?, NSComparisonPredicate.Operator, Int)] = [
            (minimum, .greaterThanOrEqualTo, small), (maximum, .lessThanOrEqualTo, large),
        ]
        for (text, type, code) in limits {
            guard let text = text?.trimmingCharacters(in: .whitespaces), !text.isEmpty else {
                continue
            }
            if let value = value(text) {
                rules.add(subject, type, value, code: code)
            } else {
                rules.complaints.append("the limit '\(text)', which is no number")
            }
        }
    }
}

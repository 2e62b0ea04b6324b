import Foundation
import class FirnFoundation.NSPredicate

extension ValidationLimits {
    /// Predicates with the error code that each failure reports, and what could not be made one of.
    struct Rules {
        var predicates: [NSPredicate] = []
        var warnings: [Any] = []
        var complaints: [String] = []

        fileprivate mutating func add(_ format: String, code: Int) {
            guard let predicate = PredicateText.predicate(format) else { return }
            predicates.append(predicate)
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

    /// What the limits ask of a value of `type`: numbers and dates are compared, strings measured and matched.
    func rules(for type: NSAttributeType) -> Rules {
        var rules = Rules()
        switch type {
        case .stringAttributeType:
            limit(&rules, "length", small: Code.stringTooShort, large: Code.stringTooLong) { $0 }
        case .dateAttributeType:
            limit(&rules, "SELF", small: Code.dateTooSoon, large: Code.dateTooLate) { "CAST(\($0), \"NSDate\")" }
        default:
            limit(&rules, "SELF", small: Code.numberTooSmall, large: Code.numberTooLarge) { $0 }
        }
        if let pattern {
            let quoted = pattern.replacingOccurrences(of: "\\", with: "\\\\")
                .replacingOccurrences(of: "\"", with: "\\\"")
            rules.add("SELF MATCHES \"\(quoted)\"", code: Code.stringPatternMatching)
        }
        return rules
    }

    private func limit(
        _ rules: inout Rules, _ subject: String, small: Int, large: Int, literal: (String) -> String
    ) {
        for (text, sign, code) in [(minimum, ">=", small), (maximum, "<=", large)] {
            guard let text = text?.trimmingCharacters(in: .whitespaces), !text.isEmpty else { continue }
            guard Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")) != nil, Double(text) != nil else {
                rules.complaints.append("the limit '\(text)', which is no number")
                continue
            }
            rules.add("\(subject) \(sign) \(literal(text))", code: code)
        }
    }
}

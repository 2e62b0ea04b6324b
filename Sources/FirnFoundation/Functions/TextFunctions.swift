import Foundation

/// Functions of one string.
enum TextFunctions {
    static func value(of function: PredicateFunction, _ argument: Any?) throws -> Any? {
        switch PlainValue(argument) {
        case .null: return nil
        case .string(let text): return result(function, text)
        default:
            if function == .length, let count = collectionCount(of: argument) { return count }
            throw ExpressionError(
                "\(function.rawValue) needs a string, not \(LiteralText.describe(argument))")
        }
    }

    private static func result(_ function: PredicateFunction, _ text: String) -> Any {
        switch function {
        case .uppercase: text.uppercased()
        case .lowercase: text.lowercased()
        // UTF-16 units, as NSString counts.
        case .length: text.utf16.count
        default:
            text.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
        }
    }
}

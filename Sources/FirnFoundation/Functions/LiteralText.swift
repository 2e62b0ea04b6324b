import Foundation

/// Values as the predicate language writes them.
enum LiteralText {
    /// A value with its type, for an error's message.
    static func describe(_ value: Any?) -> String {
        guard let value else { return "nil" }
        return "\(literal(value)) (\(Swift.type(of: value)))"
    }

    /// A constant as the language writes it; a type without a literal as a `CAST` of one that has.
    static func literal(_ value: Any?, isComputedWith: Bool = true) -> String {
        guard let value, !(value is NSNull) else { return "nil" }
        switch value {
        case let text as String: return quoted(text)
        case let decimal as Decimal where !(value is NSNumber) || value is NSDecimalNumber:
            return "CAST(\(quoted(decimal.description)), \"NSDecimalNumber\")"
        case let symbol as IndexSymbol: return symbol.rawValue
        case let date as Date:
            return "CAST(\(date.timeIntervalSinceReferenceDate), \"NSDate\")"
        case let uuid as UUID: return "CAST(\(quoted(uuid.uuidString)), \"NSUUID\")"
        case let url as URL: return "CAST(\(quoted(url.absoluteString)), \"NSURL\")"
        case let data as Data: return "CAST(\(quoted(data.base64EncodedString())), \"NSData\")"
        default: break
        }
        if case .number(let number) = PlainValue(value) {
            let text = literal(number.object)
            return !isComputedWith && text.hasSuffix(".0") ? String(text.dropLast(2)) : text
        }
        if value is NSDictionary || value is [AnyHashable: Any] { return String(describing: value) }
        guard let members = collectionMembers(of: value) else { return String(describing: value) }
        let list = "{\(members.map { literal($0, isComputedWith: isComputedWith) }.joined(separator: ", "))}"
        return value is NSSet || value is any SetAlgebra ? "CAST(\(list), \"NSSet\")" : list
    }

    /// A fraction has a decimal point and a whole number has none, because division treats them differently.
    private static func literal(_ number: NSNumber) -> String {
        guard number.isFloatingPoint else { return number.stringValue }
        let value = number.doubleValue
        if value.isNaN || value.isInfinite { return "CAST(\"\(value)\", \"NSNumber\")" }
        return value.description
    }

    static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            case "\0": quoted += "\\0"
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}

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

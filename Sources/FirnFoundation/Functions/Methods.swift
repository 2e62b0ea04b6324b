import Foundation

/// `FUNCTION(operand, "name", arguments…)`: methods of values by their selectors' names. There is no Objective-C
/// runtime that could send a message.
///
/// A name without arguments is a function of the table (`uppercase`), or a key of key-value coding
/// (`lastPathComponent`, any property of an object). Of methods with arguments those below are known.
enum Methods {
    static func value(of name: String, on operand: Any?, _ arguments: [Any?]) throws -> Any? {
        guard let operand, !ValueComparison.isNull(operand) else { return nil }
        if let object = operand as? any ExpressionAnswering {
            return try object.value(ofMethod: name, arguments: arguments)
        }
        if arguments.isEmpty {
            if let function = PredicateFunction(name: name), function.argumentCount.contains(1) {
                return try FunctionTable.value(of: function, [operand])
            }
            return try keyValue(of: operand, name)
        }
        if let found = try method(name, PlainValue(operand), operand, arguments) { return found }
        throw ExpressionError("\(LiteralText.describe(operand)) has no method \(name)")
    }

    private static func method(
        _ name: String, _ plain: PlainValue, _ operand: Any, _ arguments: [Any?]
    ) throws -> Any?? {
        if let path = arguments[0] as? String, arguments.count == 1 {
            if name == "valueForKey:" || name == "valueForKeyPath:" {
                return .some(try keyValue(of: operand, at: KeyPathComponents(path)))
            }
        }
        switch plain {
        case .string(let text): return try ofString(name, text, arguments).map { .some($0) }
        case .array, .orderedSet, .dictionary:
            if name == "objectAtIndex:" || name == "objectForKey:" {
                return .some(try CollectionFunctions.member(of: operand, at: arguments[0]))
            }
        default: break
        }
        if name == "containsObject:" {
            return .some(
                try containsMember(operand, arguments[0]) { ValueComparison.equal(arguments[0], $0) })
        }
        if name == "isEqual:" { return .some(ValueComparison.equal(operand, arguments[0])) }
        return nil
    }

    private static func ofString(_ name: String, _ text: String, _ arguments: [Any?]) throws -> Any? {
        switch name {
        case "substringFromIndex:":
            let place = try index(arguments[0], in: text)
            return (text as NSString).substring(from: place)
        case "substringToIndex:":
            let place = try index(arguments[0], in: text)
            return (text as NSString).substring(to: place)
        default: break
        }
        let strings = arguments.compactMap { $0 as? String }
        guard strings.count == arguments.count else { return nil }
        switch (name, strings.count) {
        case ("stringByReplacingOccurrencesOfString:withString:", 2):
            return text.replacingOccurrences(of: strings[0], with: strings[1])
        case ("stringByAppendingString:", 1): return text + strings[0]
        case ("stringByAppendingPathComponent:", 1):
            return (text as NSString).appendingPathComponent(strings[0])
        case ("componentsSeparatedByString:", 1): return text.components(separatedBy: strings[0])
        case ("stringByTrimmingCharactersInSet:", 1):
            return text.trimmingCharacters(in: CharacterSet(charactersIn: strings[0]))
        case ("hasPrefix:", 1): return StringComparison.hasPrefix(text, strings[0])
        case ("hasSuffix:", 1): return StringComparison.hasSuffix(text, strings[0])
        case ("containsString:", 1): return StringComparison.contains(text, strings[0])
        case ("isEqualToString:", 1): return StringComparison.equal(text, strings[0])
        default: return nil
        }
    }

    /// An index in UTF-16 units, within the text.
    private static func index(_ value: Any?, in text: String) throws -> Int {
        guard case .number(let number) = PlainValue(value),
            let place = Int(exactly: number.doubleValue), (0...text.utf16.count).contains(place)
        else {
            throw ExpressionError("the string \(text) has no index \(LiteralText.describe(value))")
        }
        return place
    }
}

/// An object that answers calls from expressions: `FUNCTION(object, "name:", …)`.
package protocol ExpressionAnswering: AnyObject {
    func value(ofMethod name: String, arguments: [Any?]) throws -> Any?
}

public import Foundation

/// `CAST(x, "class")`: the value as another class.
enum Casting {
    /// The value as an object of the class that Apple's name names; nil stays nil.
    ///
    /// A number and a date become each other by the seconds since 2001-01-01. Throws where the class is none of ours
    /// or the value has no such form.
    static func cast(_ value: Any?, to type: String) throws -> Any? {
        guard let value, !(value is NSNull) else { return nil }
        switch type {
        case "NSString", "String": return string(value)
        case "NSNumber": return try number(value)
        case "NSDecimalNumber": return NSDecimalNumber(decimal: try decimal(value))
        case "NSDate", "Date": return try date(value)
        case "NSUUID", "UUID":
            if value is UUID { return value }
            if let text = value as? String, let uuid = UUID(uuidString: text) { return uuid }
        case "NSURL", "URL":
            if value is URL { return value }
            if let text = value as? String, let url = URL(string: text) { return url }
        case "NSData", "Data":
            if value is Data { return value }
            if let text = value as? String, let data = Data(base64Encoded: text) { return data }
        case "NSSet": if let members = collectionMembers(of: value) { return uniqueMembers(of: members) }
        case "NSArray": if let members = collectionMembers(of: value) { return members }
        default:
            throw ExpressionError("CAST does not support the class \(type)")
        }
        throw ExpressionError("CAST cannot make a \(type) of \(value)")
    }

    private static func string(_ value: Any) -> String {
        if let text = value as? String { return text }
        if let number = value as? NSNumber { return number.stringValue }
        if let url = value as? URL { return url.absoluteString }
        if let uuid = value as? UUID { return uuid.uuidString }
        return String(describing: value)
    }

    private static func number(_ value: Any) throws -> NSNumber {
        if let date = value as? Date { return NSNumber(value: date.timeIntervalSinceReferenceDate) }
        if let text = value as? String {
            if let whole = Int(text) { return NSNumber(value: whole) }
            if let fraction = Double(text) { return NSNumber(value: fraction) }
        } else if case .number(let number) = PlainValue(value) {
            return number.object
        }
        throw ExpressionError("CAST cannot make a number of \(value)")
    }

    private static func decimal(_ value: Any) throws -> Decimal {
        if let decimal = value as? Decimal { return decimal }
        if let text = value as? String, let decimal = Decimal(string: text) { return decimal }
        if case .number(let number) = PlainValue(value) { return number.decimalValue }
        throw ExpressionError("CAST cannot make a decimal number of \(value)")
    }

    private static func date(_ value: Any) throws -> Date {
        if let date = value as? Date { return date }
        if let text = value as? String, let seconds = Double(text) {
            return Date(timeIntervalSinceReferenceDate: seconds)
        }
        if case .number(let number) = PlainValue(value) {
            return Date(timeIntervalSinceReferenceDate: number.doubleValue)
        }
        throw ExpressionError("CAST cannot make a date of \(value)")
    }
}

/// Why an expression has no value for an object: adding to a string, a variable without a value …
///
/// `evaluate(with:)` traps with it, where Foundation raises an exception. Use the throwing forms where a trap is not
/// acceptable.
public struct ExpressionError: LocalizedError, Equatable, Sendable, CustomStringConvertible {
    /// The message for a person.
    public let message: String

    /// An error with a message.
    public init(_ message: String) { self.message = message }

    public var description: String { message }

    public var errorDescription: String? { description }
}

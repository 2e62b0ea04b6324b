public import Foundation

/// `CAST(x, "class")`: the value as another class.
enum Casting {
    /// The value as an object of the class that Apple's name names; nil stays nil.
    ///
    /// A number and a date become each other by the seconds since 2001-01-01. Throws where the class is none of ours
    /// or the value has no such form.
    static func cast(_ value: Any?, to type: String) throws -> Any? {
        guard let value, !(value is NSNull) else { return nil }
        if let form = try form(value, of: type) { return form }
        // The literals of infinity and NaN.
        if type == "NSNumber", let number = (value as? String).flatMap(Double.init) { return NSNumber(value: number) }
        throw ExpressionError("CAST cannot make a \(type) of \(value)")
    }

    /// The value as an object of the class; nil if it has no such form.
    static func form(_ value: Any?, of type: String) throws -> Any? {
        guard let value, !(value is NSNull) else { return nil }
        switch type {
        case "NSString", "String": return string(value)
        case "NSNumber": return number(value)?.object
        case "NSDecimalNumber": return decimal(value).map { NSDecimalNumber(decimal: $0) }
        case "NSDate", "Date":
            return value as? Date ?? number(value).map { Date(timeIntervalSinceReferenceDate: $0.doubleValue) }
        case "NSUUID", "UUID": return value as? UUID ?? (value as? String).flatMap { UUID(uuidString: $0) }
        case "NSURL", "URL": return value as? URL ?? (value as? String).flatMap { URL(string: $0) }
        case "NSData", "Data": return value as? Data ?? (value as? String).flatMap { Data(base64Encoded: $0) }
        case "NSSet": return collectionMembers(of: value).map { uniqueMembers(of: $0) }
        case "NSArray": return collectionMembers(of: value)
        default: throw ExpressionError("CAST does not support the class \(type)")
        }
    }

    private static func string(_ value: Any) -> String {
        if let text = value as? String { return text }
        if case .number(let number) = PlainValue(value) { return number.stringValue }
        if let url = value as? URL { return url.absoluteString }
        if let uuid = value as? UUID { return uuid.uuidString }
        return String(describing: value)
    }

    private static func number(_ value: Any) -> NumericValue? {
        switch PlainValue(value) {
        case .date(let date): .double(date.timeIntervalSinceReferenceDate)
        case .string(let text): ColumnAffinity.number(text)
        case .number(let number): number
        default: nil
        }
    }

    private static func decimal(_ value: Any) -> Decimal? {
        switch PlainValue(value) {
        case .string(let text): ColumnAffinity.decimal(text)
        default: number(value)?.decimalValue
        }
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

import FirnFoundation
import Foundation

/// Values that a model file holds as text with the name of their type: those of property lists.
enum TypedText {
    /// The value of `text`; without a type the text itself.
    static func value(_ text: String, type: String?) -> Any {
        switch type {
        case "integer": Int64(text).map { NSNumber(value: $0) } ?? text
        case "real": Double(text).map { NSNumber(value: $0) } ?? text
        case "boolean": NSNumber(value: text == "YES")
        case "date": Double(text).map { Date(timeIntervalSinceReferenceDate: $0) } ?? text
        case "data": Data(base64Encoded: text) ?? text
        case "plist": list(text) ?? text
        default: text
        }
    }

    /// The text of a value and the name of its type; nil for a value that is none of these.
    static func text(_ value: Any) -> (text: String, type: String?)? {
        switch value {
        case let value as String: (value, nil)
        case let value as Date: ("\(value.timeIntervalSinceReferenceDate)", "date")
        case let value as Data: (value.base64EncodedString(), "data")
        case let value as Bool: (value ? "YES" : "NO", "boolean")
        case let value as NSNumber:
            value.isFloatingPoint ? ("\(value.doubleValue)", "real") : ("\(value.int64Value)", "integer")
        case let value as any BinaryInteger: ("\(value)", "integer")
        case let value as any BinaryFloatingPoint: ("\(Double(value))", "real")
        default: list(value).map { ($0, "plist") }
        }
    }

    private static func list(_ text: String) -> Any? {
        Data(base64Encoded: text).flatMap(PropertyList.read)
    }

    private static func list(_ value: Any) -> String? {
        guard PropertyListSerialization.propertyList(value, isValidFor: .binary) else { return nil }
        return try? PropertyListSerialization.data(
            fromPropertyList: value, format: .binary, options: 0
        )
        .base64EncodedString()
    }
}

import Foundation

/// The keys that Foundation's value classes answer on Apple's platforms through their own methods.
enum IntrinsicKeys {
    /// The value; nil if the object is of another class or has no such key.
    static func value(of object: Any, _ key: String) -> Any? {
        switch PlainValue(object) {
        case .string(let text): ofString(text, key)
        case .number(let number): ofNumber(number, object, key)
        case .date(let date): ofDate(date, key)
        case .data(let data): key == "length" ? data.count : key == "description" ? "\(data)" : nil
        case .uuid(let id): key == "UUIDString" || key == "description" ? id.uuidString : nil
        case .url(let url): ofURL(url, key)
        case .object(let object):
            key == "description" || key == "hash" ? ofObject(object, key) : nil
        default: nil
        }
    }

    private static func ofString(_ text: String, _ key: String) -> Any? {
        switch key {
        case "length": text.utf16.count
        case "characterCount": text.count
        case "description": text
        case "uppercaseString": text.uppercased()
        case "lowercaseString": text.lowercased()
        case "capitalizedString": text.capitalized
        case "intValue", "integerValue", "longLongValue": (text as NSString).integerValue
        case "doubleValue", "floatValue": (text as NSString).doubleValue
        case "boolValue": (text as NSString).boolValue
        case "lastPathComponent": (text as NSString).lastPathComponent
        case "pathExtension": (text as NSString).pathExtension
        default: nil
        }
    }

    private static func ofNumber(_ number: NumericValue, _ object: Any, _ key: String) -> Any? {
        switch key {
        case "stringValue", "description": "\(object)"
        case "intValue", "integerValue", "longLongValue":
            Int(exactly: number.doubleValue.rounded(.towardZero))
        case "doubleValue", "floatValue": number.doubleValue
        case "boolValue": number.doubleValue != 0
        case "decimalValue": number.decimalValue
        default: nil
        }
    }

    private static func ofDate(_ date: Date, _ key: String) -> Any? {
        switch key {
        case "timeIntervalSinceReferenceDate": date.timeIntervalSinceReferenceDate
        case "timeIntervalSince1970": date.timeIntervalSince1970
        case "timeIntervalSinceNow": date.timeIntervalSinceNow
        case "description": date.description
        default: nil
        }
    }

    private static func ofURL(_ url: URL, _ key: String) -> Any? {
        switch key {
        case "absoluteString", "description": url.absoluteString
        case "relativeString": url.relativeString
        case "path": url.path
        case "host": url.host
        case "scheme": url.scheme
        case "query": url.query
        case "fragment": url.fragment
        case "lastPathComponent": url.lastPathComponent
        case "pathExtension": url.pathExtension
        default: nil
        }
    }

    private static func ofObject(_ object: AnyObject, _ key: String) -> Any? {
        guard let object = object as? NSObject else { return nil }
        return key == "hash" ? object.hash : object.description
    }
}

import FirnLog
import Foundation

/// An option of a store: its key, the values that it takes, and what they mean.
///
/// `StoreOptions` checks all options of a store before it is opened, so that those who read them find nothing else.
package struct StoreOption<Value>: Sendable {
    package let key: String
    /// The values that it takes, for people.
    let values: String
    private let decode: @Sendable (Any) -> Value?

    /// - Parameter decode: returns nil for a value that the option does not take.
    init(_ key: String, _ values: String, _ decode: @escaping @Sendable (Any) -> Value?) {
        self.key = key
        self.values = values
        self.decode = decode
    }

    /// The option's value in a store's options; nil if they have none.
    package func value(in options: [AnyHashable: Any]?) -> Value? { options?[key].flatMap(decode) }
}

/// An option, whatever its values are.
protocol CheckedOption: Sendable {
    var key: String { get }
    var values: String { get }
    func accepts(_ value: Any) -> Bool
}

extension StoreOption: CheckedOption {
    func accepts(_ value: Any) -> Bool { decode(value) != nil }
}

extension StoreOption<Bool> {
    static func flag(_ key: String) -> Self {
        StoreOption(key, "true or false") { value in
            guard let number = value as? NSNumber, [0, 1].contains(number.doubleValue) else { return nil }
            return number.boolValue
        }
    }

    /// Whether the options ask for it.
    package func isSet(in options: [AnyHashable: Any]?) -> Bool { value(in: options) ?? false }
}

extension StoreOption<Int> {
    static func count(_ key: String, _ unit: String) -> Self {
        StoreOption(key, "a whole number of \(unit), 0 or more") { value in
            NSNumber.nonBoolean(value).flatMap { Int(exactly: $0) }.flatMap { $0 >= 0 ? $0 : nil }
        }
    }
}

extension StoreOption<TimeInterval> {
    static func seconds(_ key: String) -> Self {
        StoreOption(key, "a number of seconds, 0 or more") { value in
            NSNumber.nonBoolean(value).flatMap { $0.doubleValue >= 0 ? $0.doubleValue : nil }
        }
    }
}

extension NSNumber {
    /// A number that was not made of a boolean.
    fileprivate static func nonBoolean(_ value: Any) -> NSNumber? {
        guard let number = value as? NSNumber, String(cString: number.objCType) != "c" else { return nil }
        return number
    }
}

import Foundation

/// An object whose properties are read and written by name.
///
/// On Apple's platforms every `NSObject` has it. Here a class conforms to it, as managed objects do. The names and
/// their meanings are Apple's. A class implements `value(forKey:)` and `setValue(_:forKey:)`; the rest has default
/// implementations.
///
/// https://developer.apple.com/documentation/objectivec/nsobject/nskeyvaluecoding
public protocol KeyValueCoding: AnyObject {
    /// The value of a property. An unknown key is handed to `value(forUndefinedKey:)`.
    func value(forKey key: String) -> Any?
    /// Sets a property. An unknown key is handed to `setValue(_:forUndefinedKey:)`.
    func setValue(_ value: Any?, forKey key: String)
    /// The value at the end of a path of keys joined by dots, which may hold collection operators.
    func value(forKeyPath keyPath: String) -> Any?
    /// Sets the property at the end of a path.
    func setValue(_ value: Any?, forKeyPath keyPath: String)
    /// Returns the value for a key that the object does not have. Traps unless overridden, as Apple raises.
    func value(forUndefinedKey key: String) -> Any?
    /// Called for a value with a key that the object does not have. Traps unless overridden.
    func setValue(_ value: Any?, forUndefinedKey key: String)
    /// Called for nil on a property that cannot be nil. Traps unless overridden.
    func setNilValueForKey(_ key: String)
    /// The values of several properties, nil as `NSNull`.
    func dictionaryWithValues(forKeys keys: [String]) -> [String: Any]
    /// Sets several properties, `NSNull` as nil.
    func setValuesForKeys(_ keyedValues: [String: Any])
}

extension KeyValueCoding {
    public func value(forKeyPath keyPath: String) -> Any? {
        keyValueCodingValue(of: self, forKeyPath: KeyPathComponents(keyPath))
    }

    public func setValue(_ value: Any?, forKeyPath keyPath: String) {
        setKeyValueCodingValue(value, of: self, forKeyPath: KeyPathComponents(keyPath))
    }

    public func value(forUndefinedKey key: String) -> Any? {
        misuse(UndefinedKey(type: Swift.type(of: self), key: key).description)
    }

    public func setValue(_ value: Any?, forUndefinedKey key: String) {
        misuse(UndefinedKey(type: Swift.type(of: self), key: key).description)
    }

    public func setNilValueForKey(_ key: String) {
        misuse(
            "\(Swift.type(of: self)) cannot set nil for the key \"\(key)\", whose values are never nil. "
                + "Set a value, or override setNilValueForKey(_:).")
    }

    public func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
        var values: [String: Any] = [:]
        values.reserveCapacity(keys.count)
        for key in keys { values[key] = value(forKey: key) ?? NSNull() }
        return values
    }

    public func setValuesForKeys(_ keyedValues: [String: Any]) {
        for (key, value) in keyedValues { setValue(value is NSNull ? nil : value, forKey: key) }
    }
}

/// A key that an object does not have.
package struct UndefinedKey: LocalizedError, CustomStringConvertible {
    package let type: Any.Type
    package let key: String

    package var description: String {
        "\(type) has no value for the key \"\(key)\": it is not key-value coding-compliant for it. "
            + "Check the spelling, declare the property, or conform the class to KeyValueCoding."
    }

    package var errorDescription: String? { description }
}

import FirnFoundation
public import Foundation

extension NSArray {
    /// The values of the members for a key, nil as `NSNull`.
    ///
    /// Foundation has it on Apple's systems, and not on Linux up to Swift 6.3. Stops the program for a key that a
    /// member does not have, as Apple's raises.
    @_disfavoredOverload
    public func value(forKey key: String) -> Any { keyValueCodingValue(of: self, forKeyPath: key) ?? NSNull() }

    /// The value at a path, which may hold operators: `value(forKeyPath: "@sum.price")`.
    ///
    /// Foundation has it on Apple's systems, and not on Linux up to Swift 6.3.
    @_disfavoredOverload
    public func value(forKeyPath keyPath: String) -> Any? { keyValueCodingValue(of: self, forKeyPath: keyPath) }
}

extension NSSet {
    /// The values of the members for a key, as a set.
    ///
    /// Foundation has it on Apple's systems, and not on Linux up to Swift 6.3.
    @_disfavoredOverload
    public func value(forKey key: String) -> Any { keyValueCodingValue(of: self, forKeyPath: key) ?? NSNull() }

    /// The value at a path, which may hold operators: `value(forKeyPath: "@max.price")`.
    ///
    /// Foundation has it on Apple's systems, and not on Linux up to Swift 6.3.
    @_disfavoredOverload
    public func value(forKeyPath keyPath: String) -> Any? { keyValueCodingValue(of: self, forKeyPath: keyPath) }
}

extension NSOrderedSet {
    /// The values of the members for a key, as an ordered set.
    ///
    /// Foundation has it on Apple's systems, and not on Linux up to Swift 6.3.
    @_disfavoredOverload
    public func value(forKey key: String) -> Any { keyValueCodingValue(of: self, forKeyPath: key) ?? NSNull() }

    /// The value at a path, which may hold operators: `value(forKeyPath: "@count")`.
    ///
    /// Foundation has it on Apple's systems, and not on Linux up to Swift 6.3.
    @_disfavoredOverload
    public func value(forKeyPath keyPath: String) -> Any? { keyValueCodingValue(of: self, forKeyPath: keyPath) }
}

extension NSDictionary {
    /// The value at a path of keys.
    ///
    /// Foundation has it on Apple's systems, and not on Linux up to Swift 6.3, which has `value(forKey:)`.
    @_disfavoredOverload
    public func value(forKeyPath keyPath: String) -> Any? { keyValueCodingValue(of: self, forKeyPath: keyPath) }
}

extension UserDefaults {
    /// The value of a default: `object(forKey:)`.
    ///
    /// Foundation has it on Apple's systems, and not on Linux up to Swift 6.3.
    @_disfavoredOverload
    public func value(forKey key: String) -> Any? { object(forKey: key) }

    /// Sets a default, nil to remove it: `set(_:forKey:)`.
    ///
    /// Foundation has it on Apple's systems, and not on Linux up to Swift 6.3.
    @_disfavoredOverload
    public func setValue(_ value: Any?, forKey key: String) { set(value, forKey: key) }
}

/// Calls a closure. Objective-C's pool, which frees what the closure left to it, has nothing to free here.
///
/// Apple's systems have it in `ObjectiveC`, and Foundation on Linux does not have it up to Swift 6.3.
@_disfavoredOverload
public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result { try body() }

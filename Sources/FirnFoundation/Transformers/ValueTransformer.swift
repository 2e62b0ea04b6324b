public import Foundation

/// Turns values into values of another class, and back.
///
/// A subclass overrides `transformedValue(_:)`, `transformedValueClass()` and
/// `allowsReverseTransformation()`, and is registered under a name. Core Data's transformable
/// attributes name the transformer that makes their data. Shared by threads: an instance that was
/// registered must not change.
///
/// https://developer.apple.com/documentation/foundation/valuetransformer
open class ValueTransformer: NSObject {
    public override init() { super.init() }

    /// Calls `init()` of the dynamic class for `ObjectClass.makeTransformer`. `making.h` declares the name.
    @_silgen_name("firn_make_transformer")
    @usableFromInline
    convenience init(making: Void) { self.init() }

    /// Registers a transformer; nil removes the name.
    open class func setValueTransformer(
        _ transformer: ValueTransformer?, forName name: NSValueTransformerName
    ) {
        TransformerRegistry.shared.set(transformer, name)
    }

    /// The names that are registered, Foundation's own included.
    open class func valueTransformerNames() -> [NSValueTransformerName] {
        TransformerRegistry.shared.names
    }

    /// The class of what `transformedValue(_:)` gives.
    open class func transformedValueClass() -> AnyClass { NSObject.self }

    /// Whether `reverseTransformedValue(_:)` may be called.
    open class func allowsReverseTransformation() -> Bool { true }

    /// The other form of a value. The value itself unless overridden.
    open func transformedValue(_ value: Any?) -> Any? { value }

    /// The value that has this other form.
    ///
    /// Traps if the class does not allow it; otherwise `transformedValue(_:)`, for transformations
    /// that are their own reverse.
    open func reverseTransformedValue(_ value: Any?) -> Any? {
        guard type(of: self).allowsReverseTransformation() else {
            misuse("\(type(of: self)) does not allow reverse transformation: do not ask for it")
        }
        return transformedValue(value)
    }
}

/// The protocol behind `ValueTransformer(forName:)`: only an initializer of a protocol may give an object that exists.
public protocol NamedValueTransformer {}

extension ValueTransformer: NamedValueTransformer {}

extension NamedValueTransformer {
    /// The transformer that is registered under a name; nil if there is none, or none of this class. If none is
    /// registered, one is made of the class of that name by its `init()`, and registered.
    public init?(forName name: NSValueTransformerName) {
        guard let found = TransformerRegistry.shared.transformer(name) as? Self else { return nil }
        self = found
    }
}

/// The name under which a value transformer is registered.
///
/// https://developer.apple.com/documentation/foundation/nsvaluetransformername
public struct NSValueTransformerName: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// A name of a transformer.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// True for false, false for true.
    public static let negateBooleanTransformerName = NSValueTransformerName("NSNegateBoolean")
    /// Whether the value is nil.
    public static let isNilTransformerName = NSValueTransformerName("NSIsNil")
    /// Whether the value is not nil.
    public static let isNotNilTransformerName = NSValueTransformerName("NSIsNotNil")
    /// Archived data to objects of any class.
    public static let unarchiveFromDataTransformerName = NSValueTransformerName(
        "NSUnarchiveFromData")
    /// Archived data to objects of any class.
    public static let keyedUnarchiveFromDataTransformerName = NSValueTransformerName(
        "NSKeyedUnarchiveFromData")
    /// Archived data to objects of the classes that `NSSecureUnarchiveFromDataTransformer` allows.
    public static let secureUnarchiveFromDataTransformerName = NSValueTransformerName(
        "NSSecureUnarchiveFromData")
}

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

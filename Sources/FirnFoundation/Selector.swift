/// The name of a method, as Objective-C spells it: `Selector("caseInsensitiveCompare:")`.
///
/// Linux has no Objective-C runtime, so a selector cannot be sent. It names a comparison of a sort descriptor, and is
/// the type where Apple's signatures have a selector.
///
/// https://developer.apple.com/documentation/objectivec/selector
public struct Selector: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The method's name with its colons.
    public let description: String

    /// A selector of the given name.
    public init(_ name: String) { description = name }

    /// A selector of the given name.
    public init(stringLiteral value: String) { description = value }
}

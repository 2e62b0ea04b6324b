/// The words of a short text.
///
/// Swift stores a string of up to 15 UTF-8 bytes inside its own two words, so equal words mean equal strings.
/// https://github.com/swiftlang/swift/blob/main/stdlib/public/core/StringObject.swift
@frozen
public struct ShortText: Equatable {
    public let first: UInt64
    public let second: UInt64

    @inlinable
    init(first: UInt64, second: UInt64) { (self.first, self.second) = (first, second) }

    /// The value that no text has.
    @inlinable
    public static var none: ShortText { ShortText(first: 0, second: 0) }

    /// nil for a longer text, whose words are a count and an address, which another text may have reused.
    ///
    /// Safe: a `String` is two words without padding on 64-bit systems, and any words are valid as integers. Only words
    /// that have the tag of a short string are given, and those hold no address.
    @inlinable
    @inline(__always)
    public init?(_ text: String) {
        let words = unsafeBitCast(text, to: (UInt64, UInt64).self)
        guard words.1 >> 61 & 1 == 1 else { return nil }
        self.init(first: words.0, second: words.1)
    }
}

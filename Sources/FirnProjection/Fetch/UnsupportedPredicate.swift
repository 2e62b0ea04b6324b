public import Foundation

/// A part of a fetch request that SQL cannot answer.
///
/// As in Core Data, a store does not silently fetch everything and filter in memory. The error says what is not
/// possible, and what to do instead.
public struct UnsupportedPredicate: LocalizedError, Sendable {
    /// The part of the request, in its own notation.
    public var part: String
    /// Why SQL cannot answer it, and what to do.
    public var reason: String

    public init(_ part: String, _ reason: String) {
        self.part = part
        self.reason = reason
    }
}

extension UnsupportedPredicate: CustomStringConvertible {
    /// One line.
    public var description: String { "the store cannot answer “\(part)”: \(reason)" }

    public var errorDescription: String? { description }
}

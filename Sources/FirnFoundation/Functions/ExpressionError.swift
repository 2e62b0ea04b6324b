public import Foundation

/// Why an expression has no value for an object: adding to a string, a variable without a value …
///
/// `evaluate(with:)` traps with it, where Foundation raises an exception. Use the throwing forms where a trap is not
/// acceptable.
public struct ExpressionError: LocalizedError, Equatable, Sendable, CustomStringConvertible {
    /// The message for a person.
    public let message: String

    /// An error with a message.
    public init(_ message: String) { self.message = message }

    public var description: String { message }

    public var errorDescription: String? { description }
}

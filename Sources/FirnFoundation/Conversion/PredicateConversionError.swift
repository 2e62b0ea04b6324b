public import Foundation

/// Why a `#Predicate` or `#Expression` of Foundation has no equal in the predicate language.
public struct PredicateConversionError: LocalizedError, Hashable, Sendable, CustomStringConvertible {
    /// The sentence for a person: the construct that was found and what to write instead, in one line.
    public let message: String

    init(_ message: String) { self.message = message }

    public var description: String { message }

    public var errorDescription: String? { description }
}

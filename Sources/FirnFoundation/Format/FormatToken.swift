import Foundation

/// A token of the predicate language and its place.
struct FormatToken {
    enum Content: Equatable {
        /// `name`, without a leading `#`.
        case identifier(String)
        /// `#name`: never a reserved word.
        case escapedIdentifier(String)
        /// `$name`
        case variable(String)
        /// `@count`
        case collectionOperator(String)
        case string(String)
        case number(NSNumber)
        /// An operator or a bracket.
        case symbol(String)
        /// `%@` or a number's conversion: the index of its value among the lexer's values.
        case value(Int)
        /// `%K`
        case keyPath(String)
        case end
    }

    let kind: Content
    /// In Unicode scalars from the start of the format.
    let offset: Int

    /// The token as an error names it.
    var name: String {
        switch kind {
        case .identifier(let name): "'\(name)'"
        case .escapedIdentifier(let name): "'#\(name)'"
        case .variable(let name): "'$\(name)'"
        case .collectionOperator(let name): "'@\(name)'"
        case .string: "a string"
        case .number(let number): "'\(number)'"
        case .symbol(let symbol): "'\(symbol)'"
        case .value: "an argument"
        case .keyPath: "a %K key path"
        case .end: "the end"
        }
    }
}

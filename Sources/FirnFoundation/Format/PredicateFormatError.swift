public import Foundation

/// A mistake in a format string, and its place.
///
/// `description` is one line; `diagram` shows the string with a caret below the place:
///
///     name = = 3
///            ^ expected an expression, found '='
public struct PredicateFormatError: LocalizedError, Equatable, Sendable, CustomStringConvertible {
    /// The kind of mistake. Later versions may add more.
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The string is not of the grammar.
        public static let syntax = Code(rawValue: "syntax")
        /// There are fewer arguments than `%` places.
        public static let missingArgument = Code(rawValue: "missingArgument")
        /// An argument is not of the type that its `%` place takes.
        public static let unexpectedArgument = Code(rawValue: "unexpectedArgument")
        /// There is no function of that name, or not with that many arguments.
        public static let unknownFunction = Code(rawValue: "unknownFunction")
        /// Parentheses, `NOT`s or the like are nested too deeply for the parser.
        public static let tooDeep = Code(rawValue: "tooDeep")
    }

    /// The kind of mistake.
    public let code: Code
    /// The format that was read.
    public let format: String
    /// Where in `format`, in Unicode scalars from its start.
    public let offset: Int
    /// The message: what was expected and what was found.
    public let message: String

    /// A mistake at a place of a format.
    public init(code: Code, format: String, offset: Int, message: String) {
        self.code = code
        self.format = format
        self.offset = offset
        self.message = message
    }

    public var description: String {
        "cannot parse the format \"\(format)\": at offset \(offset), \(message)"
    }

    public var errorDescription: String? { description }

    /// The line of the format in which the mistake is, and below it a caret with the message.
    public var diagram: String {
        let before = format.unicodeScalars.prefix(offset)
        let lineStart = before.lastIndex { $0 == "\n" || $0 == "\r" }.map(before.index(after:))
        let line = format.unicodeScalars[(lineStart ?? before.startIndex)...]
            .prefix { $0 != "\n" && $0 != "\r" }
        let column = before[(lineStart ?? before.startIndex)...].count
        return "\(String(line))\n\(String(repeating: " ", count: column))^ \(message)"
    }
}

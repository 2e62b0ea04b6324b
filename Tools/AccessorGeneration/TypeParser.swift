import SwiftTokens

/// Reads a type from tokens: names, arguments, optionals, arrays and dictionaries, which is what properties have.
struct TypeParser {
    private let tokens: [Token]
    private(set) var position: Int

    init(_ tokens: [Token], at position: Int) {
        self.tokens = tokens
        self.position = position
    }

    /// The type at the current place; nil where something stands that it does not know.
    mutating func type() -> TypeSyntax? {
        guard var result = primary() else { return nil }
        while let text = next, text == "?" || text == "!" {
            position += 1
            result = .optional(result)
        }
        return result
    }

    /// The source text of the type between two positions.
    static func text(_ tokens: ArraySlice<Token>) -> String {
        var text = ""
        for token in tokens {
            if token.text == ":" || token.text == "," {
                text += token.text + " "
            } else if token.text == "!" {
                text += "?"
            } else if token.kind == .word, text.last.map({ $0.isLetter }) == true {
                text += " " + token.text
            } else {
                text += token.text
            }
        }
        return text
    }

    private var next: String? { position < tokens.count ? tokens[position].text : nil }

    private mutating func consume(_ text: String) -> Bool {
        guard next == text else { return false }
        position += 1
        return true
    }

    private mutating func primary() -> TypeSyntax? {
        if consume("[") {
            guard let first = type() else { return nil }
            if consume(":") {
                guard let second = type(), consume("]") else { return nil }
                return .dictionary(first, second)
            }
            return consume("]") ? .array(first) : nil
        }
        if consume("(") {
            guard let inner = type(), consume(")") else { return nil }
            return inner
        }
        if next == "any" || next == "some" { position += 1 }
        return name()
    }

    private mutating func name() -> TypeSyntax? {
        guard position < tokens.count, tokens[position].kind == .word else { return nil }
        var path = [tokens[position].text]
        position += 1
        while next == ".", position + 1 < tokens.count, tokens[position + 1].kind == .word {
            path.append(tokens[position + 1].text)
            position += 2
        }
        var arguments: [TypeSyntax] = []
        if consume("<") {
            repeat {
                guard let argument = type() else { return nil }
                arguments.append(argument)
            } while consume(",")
            guard consume(">") else { return nil }
        }
        return .named(path, arguments)
    }
}

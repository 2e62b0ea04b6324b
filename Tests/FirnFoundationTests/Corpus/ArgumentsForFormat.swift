import Foundation

/// Arguments that fit a format's `%` places: the tests know the strings of others, not what they passed.
enum ArgumentsForFormat {
    static func arguments(_ format: String) -> [Any] {
        var arguments: [Any] = []
        var quote: Character?
        var rest = Substring(format)
        while let character = rest.popFirst() {
            if let open = quote {
                if character == "\\" { _ = rest.popFirst() } else if character == open { quote = nil }
            } else if character == "\"" || character == "'" {
                quote = character
            } else if character == "%" {
                rest = rest.drop { "0123456789.-+#lhqzjt$".contains($0) }
                switch rest.popFirst() {
                case "K": arguments.append("key\(arguments.count)")
                case "@": arguments.append("text \(arguments.count)")
                case "s": arguments.append("c string")
                case nil: break
                default: arguments.append(arguments.count)
                }
            }
        }
        return arguments
    }
}

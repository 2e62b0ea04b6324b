/// A JSON value whose objects keep the order of their keys, so that the same record is always the same line.
package enum JSON: Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case real(Double)
    case text(String)
    case array([JSON])
    case object(JSONObject)

    /// A whole number of any type; one beyond 64 bits becomes the nearest.
    package static func number(_ value: some BinaryInteger) -> JSON { .integer(Int64(clamping: value)) }

    /// One line. Numbers that JSON lacks are texts: `"nan"`, `"inf"`, `"-inf"`.
    package var line: String {
        var text = ""
        write(to: &text)
        return text
    }

    fileprivate func write(to text: inout String) {
        switch self {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .integer(let value): text += String(value)
        case .real(let value): text += value.isFinite ? "\(value)" : "\"\(value)\""
        case .text(let value): Self.write(value, to: &text)
        case .array(let values):
            text += "["
            for (index, value) in values.enumerated() {
                if index > 0 { text += "," }
                value.write(to: &text)
            }
            text += "]"
        case .object(let object): object.write(to: &text)
        }
    }

    fileprivate static func write(_ value: String, to text: inout String) {
        text += "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            // Controls and marks of direction, which would steer a terminal, are as good by their numbers.
            case "\0"..<" ", "\u{7F}"..."\u{9F}", "\u{61C}", "\u{200E}", "\u{200F}", "\u{2028}"..."\u{202E}",
                "\u{2066}"..."\u{2069}":
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}

/// A JSON object; its keys stand in the order in which they were set.
package struct JSONObject: Sendable, ExpressibleByDictionaryLiteral {
    private var members: [(key: String, value: JSON)] = []

    package init() {}

    /// In the order of the literal; a member that is nil is left out.
    package init(dictionaryLiteral members: (String, JSON?)...) {
        self.members = members.compactMap { key, value in value.map { (key, $0) } }
    }

    /// In the order of the keys.
    package init(_ dictionary: [String: JSON]) {
        members = dictionary.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// Setting adds a member; a key is set once.
    package subscript(key: String) -> JSON {
        get { members.first { $0.key == key }?.value ?? .null }
        set { members.append((key, newValue)) }
    }

    /// A member of another value than null may be told from one that is not there.
    package func has(_ key: String) -> Bool { members.contains { $0.key == key } }

    /// In the order in which they were set.
    package var all: [(key: String, value: JSON)] { members }

    package var line: String { JSON.object(self).line }

    fileprivate func write(to text: inout String) {
        text += "{"
        for (index, member) in members.enumerated() {
            if index > 0 { text += "," }
            JSON.write(member.key, to: &text)
            text += ":"
            member.value.write(to: &text)
        }
        text += "}"
    }
}

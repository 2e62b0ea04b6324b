import Foundation

/// Writes elements as XML text, in UTF-8.
struct XMLText {
    private(set) var bytes: [UInt8] = []

    init(_ root: ModelFileElement) {
        append("<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n")
        append(root, depth: 0)
    }

    private mutating func append(_ text: String) { bytes += Array(text.utf8) }

    private mutating func append(_ element: ModelFileElement, depth: Int) {
        let indentation = String(repeating: "    ", count: depth)
        append(indentation + "<" + element.name)
        for name in attributeOrder(element) {
            guard let value = element.attributes[name] else { continue }
            if Self.isCarried(value) {
                append(" \(name)=\"\(Self.escaped(value))\"")
            } else {
                append(
                    " \(ModelFileFormat.base64Prefix)\(name)=\"\(Data(value.utf8).base64EncodedString())\""
                )
            }
        }
        if element.children.isEmpty { return append("/>\n") }
        append(">\n")
        for child in element.children { append(child, depth: depth + 1) }
        append(indentation + "</\(element.name)>\n")
    }

    /// `name` first, for human readers; the others sorted by name.
    private func attributeOrder(_ element: ModelFileElement) -> [String] {
        let names = element.attributes.keys.sortedByUTF8 { $0 }
        return names.filter { $0 == "name" } + names.filter { $0 != "name" }
    }

    /// Whether XML 1.0 can carry a text: most control characters it cannot, not even as a reference.
    /// https://www.w3.org/TR/xml/#charsets
    private static func isCarried(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            switch scalar.value {
            case 0x9, 0xA, 0xD: true
            case 0..<0x20, 0xFFFE, 0xFFFF: false
            default: true
            }
        }
    }

    /// White space is written as references, because a parser may take it for plain spaces in an attribute.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\t": result += "&#9;"
            case "\n": result += "&#10;"
            case "\r": result += "&#13;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

#if Server
/// Shows the characters of values on a page that would not be seen, or that would reorder the text around them, by
/// their numbers: a name with U+202E in it reads backwards otherwise.
enum InvisibleCharacters {
    /// Elements that may not have other elements in them.
    private static let plainElements: Set<String> = ["title", "option", "svg"]

    /// A page with marks for such characters in its text. Its tags stay as they are: fields of forms keep the value.
    static func marked(in page: String) -> String {
        guard page.unicodeScalars.contains(where: isInvisible) else { return page }
        var result = String.UnicodeScalarView()
        /// The name of the tag that the position is in; nil in text.
        var tag: String?
        var plainElement: String?
        for scalar in page.unicodeScalars {
            switch scalar {
            case "<": tag = ""
            case ">":
                let name = tag.map { String($0.prefix { !$0.isWhitespace }) } ?? ""
                if plainElements.contains(name) { plainElement = plainElement ?? name }
                if plainElement.map({ "/" + $0 }) == name { plainElement = nil }
                tag = nil
            default:
                tag?.unicodeScalars.append(scalar)
                guard tag == nil, isInvisible(scalar) else { break }
                let digits = String(scalar.value, radix: 16, uppercase: true)
                let name = "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
                let mark = plainElement == nil ? "<span class=\"mark\">\(name)</span>" : "[\(name)]"
                result.append(contentsOf: mark.unicodeScalars)
                continue
            }
            result.append(scalar)
        }
        return String(result)
    }

    /// Controls but tabs and line breaks; separators of lines; marks for the direction of text, and others that no font
    /// shows. Joiners are not among them: they are part of words and of emoji.
    static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x9, 0xA, 0x20...0x7E, 0x200C, 0x200D: return false
        case 0xFFF9...0xFFFB: return true
        default: break
        }
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: return true
        case .format: return scalar.properties.isDefaultIgnorableCodePoint
        default: return false
        }
    }
}
#endif

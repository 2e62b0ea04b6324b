#if Server
/// The beginnings of texts of any length: a page is below 100 KB, whatever the values are.
enum PageText {
    /// The bytes of a page that a character may have on average.
    private static let weight = 2

    /// The text, or its beginning if it has more than `count` characters.
    static func cut(_ text: String, _ count: Int, _ suffix: (String) -> String = { _ in "…" }) -> String {
        beginning(of: text, count).map { $0 + suffix(text) } ?? text
    }

    /// Nil for a text that fits.
    private static func beginning(of text: String, _ count: Int) -> Substring? {
        if text.utf8.count * 6 <= count { return nil }
        var (length, size) = (0, 0)
        for index in text.indices {
            length += 1
            size += self.size(text[index].unicodeScalars)
            if length > count || size > count * weight { return text[..<index] }
        }
        return nil
    }

    /// The bytes of a page that a text becomes, with its marks and escapes.
    static func size(_ text: some Sequence<Unicode.Scalar>) -> Int {
        text.reduce(0) { size, scalar in
            switch scalar {
            case "<", ">", "&", "\"", "'": size + 5
            case _ where InvisibleCharacters.isInvisible(scalar): size + 34
            default: size + UTF8.width(scalar)
            }
        }
    }
}
#endif

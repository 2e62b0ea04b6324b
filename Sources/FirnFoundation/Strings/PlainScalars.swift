/// The scalars that are equal to themselves only, so that a comparison of bytes is a comparison of strings.
///
/// A scalar is plain if no other sequence of plain scalars is canonically equivalent to it and it does not combine with
/// a neighbour. If case is ignored it must have no case, and if marks are ignored no mark. Combining marks, emoji and
/// rare scalars are never plain: Foundation compares them. With few exceptions the first byte of the UTF-8 decides:
///
///     first byte      scalars                               exact  [c]  [d]
///     00 … 7F         ASCII (case is folded on bytes)         +     +    +
///     E4 … E9         U+4000 … U+9FFF, Chinese characters     +     +    +
///     E3              kana and East Asian punctuation         +     +
///     EB EC           U+B000 … U+CFFF, Korean syllables       +     +
///     C3 … CB         Latin with marks                        +
///     CE … D1, D3     Greek, Cyrillic                         +
///
/// https://www.unicode.org/reports/tr15/
enum PlainScalars {
    /// Whether all scalars of a valid UTF-8 text are plain under the options.
    static func fill(_ bytes: UnsafeBufferPointer<UInt8>, _ options: ComparisonOptions) -> Bool {
        var seen: UInt8 = 0
        for byte in bytes { seen |= byte }
        if seen < 0x80 { return true }
        let ignoresMarks = options.contains(.diacriticInsensitive)
        let ignoresCase = options.contains(.caseInsensitive)
        var index = 0
        while index < bytes.count {
            switch bytes[index] {
            case 0x00...0x7F:
                index += 1
            case 0xE4...0xE9:
                index += 3
            case 0xE3:
                // Voiced kana are marked ones.
                if ignoresMarks || isCombining(bytes[index + 1], bytes[index + 2]) { return false }
                index += 3
            case 0xEB, 0xEC:
                if ignoresMarks { return false }
                index += 3
            case 0xC3...0xCB, 0xCE...0xD1, 0xD3:
                if ignoresMarks || ignoresCase { return false }
                // U+0387 is canonically equivalent to U+00B7.
                if bytes[index] == 0xCE, bytes[index + 1] == 0x87 { return false }
                index += 2
            default:
                return false
            }
        }
        return true
    }

    /// The combining marks after E3: U+302A … U+302F, U+3099, U+309A.
    private static func isCombining(_ second: UInt8, _ third: UInt8) -> Bool {
        (second == 0x80 && third >= 0xAA && third <= 0xAF)
            || (second == 0x82 && (third == 0x99 || third == 0x9A))
    }
}

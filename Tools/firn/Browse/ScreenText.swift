/// Text that is cut to columns of a terminal.
enum ScreenText {
    /// The text without colours, cut or padded to this number of columns.
    static func fitted(_ text: String, _ columns: Int) -> String {
        var result = ""
        var width = 0
        for character in plain(text) {
            let next = Self.width(character)
            if width + next > columns { break }
            result.append(character)
            width += next
        }
        return result + String(repeating: " ", count: max(0, columns - width))
    }

    /// Without escape sequences.
    static func plain(_ text: String) -> String { text.replacing(/\u{1B}\[[0-9;]*m/, with: "") }

    /// Two columns for the characters of East Asian scripts and pictures, one for others.
    private static func width(_ character: Character) -> Int {
        guard let scalar = character.unicodeScalars.first?.value, scalar >= 0x1100 else { return 1 }
        let wide: [ClosedRange<UInt32>] = [
            0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
            0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD,
        ]
        return wide.contains { $0.contains(scalar) } ? 2 : 1
    }
}

/// Writes symbol names as the Swift compiler does: identifiers, words and substitutions.
/// https://github.com/swiftlang/swift/blob/main/docs/ABI/Mangling.rst
///
/// Everything that was written can be referred to: whole identifiers and types by `A` and a letter, words within
/// identifiers by `0` and a letter.
struct Mangler {
    private(set) var text: [UInt8] = Array("$s".utf8)
    private var substitutions: [String: Int] = [:]
    private var words: [(start: Int, length: Int)] = []
    private var lastSubstitution: (position: Int, size: Int, count: Int, isStandard: Bool)?
    private static let wordCountMax = 26

    var name: String { String(decoding: text, as: UTF8.self) }

    mutating func append(_ text: String) { self.text += Array(text.utf8) }

    /// Writes a reference to `key` if it was written before.
    mutating func substitute(_ key: String) -> Bool {
        guard let index = substitutions[key] else { return false }
        if index < 26 {
            appendSubstitution(UInt8(ascii: "A") + UInt8(index), isStandard: false)
        } else {
            append("A" + (index == 26 ? "" : String(index - 27)) + "_")
        }
        return true
    }

    /// Lets later text refer to `key`.
    mutating func remember(_ key: String) {
        if substitutions[key] == nil { substitutions[key] = substitutions.count }
    }

    /// A type of the standard library that has a letter of its own.
    mutating func appendStandard(_ letter: UInt8) { appendSubstitution(letter, isStandard: true) }

    /// Adjacent references are merged: `AA` and `AC` to `AaC`, `SS` and `SS` to `S2S`.
    private mutating func appendSubstitution(_ letter: UInt8, isStandard: Bool) {
        if let last = lastSubstitution, last.position + last.size == text.count,
            last.isStandard == isStandard, let lastLetter = text.last
        {
            if lastLetter == letter {
                text.removeSubrange(last.position...)
                let count = last.count + 1
                append("\(count)")
                text.append(letter)
                lastSubstitution = (last.position, text.count - last.position, count, isStandard)
                return
            }
            if !isStandard {
                text[text.count - 1] = lastLetter + 32
                lastSubstitution = (text.count, 1, 1, false)
                text.append(letter)
                return
            }
        }
        append(isStandard ? "S" : "A")
        lastSubstitution = (text.count, 1, 1, isStandard)
        text.append(letter)
    }

    /// A name, or a reference to the same name.
    mutating func appendIdentifier(_ name: String) {
        let key = "name " + name
        if substitute(key) { return }
        remember(key)
        if let encoded = Punycode.encoded(name) {
            let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
            let isUnclear = encoded[0] == UInt8(ascii: "_") || digits.contains(encoded[0])
            append("00\(encoded.count)" + (isUnclear ? "_" : ""))
            text += encoded
            return
        }
        let bytes = Array(name.utf8)
        var wordsBefore = words.count
        let references = findWords(bytes, wordsBefore: wordsBefore)
        if !references.isEmpty { append("0") }
        var position = 0
        for (index, reference) in (references + [(bytes.count, -1)]).enumerated() {
            if position < reference.0 {
                append("\(reference.0 - position)")
                while position < reference.0 {
                    if wordsBefore < words.count, words[wordsBefore].start == position {
                        words[wordsBefore].start = text.count
                        wordsBefore += 1
                    }
                    text.append(bytes[position])
                    position += 1
                }
            }
            guard reference.1 >= 0 else { break }
            position += words[reference.1].length
            let isLast = index == references.count - 1
            text.append(UInt8(ascii: isLast ? "A" : "a") + UInt8(reference.1))
            if isLast, position == bytes.count { append("0") }
        }
    }

    /// Words of `name` that were written before, by place and number. New ones are kept with their place in `name`.
    private mutating func findWords(_ name: [UInt8], wordsBefore: Int) -> [(Int, Int)] {
        var references: [(Int, Int)] = []
        var start: Int?
        for position in 0...name.count {
            let byte = position < name.count ? name[position] : 0
            if let begin = start, Self.isWordEnd(byte, after: name[position - 1]) {
                let word = name[begin..<position]
                if let known = words.indices.first(where: { index in
                    let (at, length) = words[index]
                    return index < wordsBefore
                        ? text[at..<(at + length)].elementsEqual(word)
                        : name[at..<(at + length)].elementsEqual(word)
                }) {
                    references.append((begin, known))
                } else if word.count >= 2, words.count < Self.wordCountMax {
                    words.append((begin, word.count))
                }
                start = nil
            }
            if start == nil, Self.isWordStart(byte) { start = position }
        }
        return references
    }

    private static func isUpper(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
    }

    private static func isWordStart(_ byte: UInt8) -> Bool {
        !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) && byte != UInt8(ascii: "_") && byte != 0
    }

    private static func isWordEnd(_ byte: UInt8, after previous: UInt8) -> Bool {
        byte == UInt8(ascii: "_") || byte == 0 || (!isUpper(previous) && isUpper(byte))
    }
}

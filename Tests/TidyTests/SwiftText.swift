/// Swift source with everything blanked that is no code, so that a rule about calls is not tripped by prose.
enum SwiftText {
    /// `text` with the bytes of comments and of what stands in string literals replaced by spaces.
    ///
    /// Line breaks, quotation marks and code inside an interpolation stay. Regex literals are taken for code.
    static func code(of text: String) -> String {
        var scanner = Scanner(bytes: Array(text.utf8))
        scanner.scanCode(untilParenthesis: false)
        return String(decoding: scanner.bytes, as: UTF8.self)
    }

    private struct Scanner {
        var bytes: [UInt8]
        var index = 0

        private func has(_ string: StaticString, at start: Int) -> Bool {
            guard start + string.utf8CodeUnitCount <= bytes.count else { return false }
            for offset in 0..<string.utf8CodeUnitCount
            where bytes[start + offset] != string.utf8Start[offset] {
                return false
            }
            return true
        }

        private mutating func blank(_ count: Int) {
            for _ in 0..<count where index < bytes.count {
                if bytes[index] != UInt8(ascii: "\n") { bytes[index] = UInt8(ascii: " ") }
                index += 1
            }
        }

        mutating func scanCode(untilParenthesis: Bool) {
            var depth = 0
            while index < bytes.count {
                switch bytes[index] {
                case UInt8(ascii: "/") where has("//", at: index): scanLineComment()
                case UInt8(ascii: "/") where has("/*", at: index): scanBlockComment()
                case UInt8(ascii: "\""): scanString(hashes: 0)
                case UInt8(ascii: "#"):
                    var end = index
                    while end < bytes.count, bytes[end] == UInt8(ascii: "#") { end += 1 }
                    if end < bytes.count, bytes[end] == UInt8(ascii: "\"") {
                        let hashes = end - index
                        blank(hashes)
                        scanString(hashes: hashes)
                    } else {
                        index = end
                    }
                case UInt8(ascii: "("):
                    depth += 1
                    index += 1
                case UInt8(ascii: ")"):
                    if untilParenthesis, depth == 0 { return }
                    depth -= 1
                    index += 1
                default: index += 1
                }
            }
        }

        private mutating func scanLineComment() {
            while index < bytes.count, bytes[index] != UInt8(ascii: "\n") { blank(1) }
        }

        private mutating func scanBlockComment() {
            var depth = 0
            while index < bytes.count {
                if has("/*", at: index) {
                    depth += 1
                    blank(2)
                } else if has("*/", at: index) {
                    depth -= 1
                    blank(2)
                    if depth == 0 { return }
                } else {
                    blank(1)
                }
            }
        }

        /// `index` is at the opening quotation mark.
        private mutating func scanString(hashes: Int) {
            let isLong = has("\"\"\"", at: index)
            index += isLong ? 3 : 1
            while index < bytes.count {
                let byte = bytes[index]
                if byte == UInt8(ascii: "\n"), !isLong { return }
                if byte == UInt8(ascii: "\\"), hasHashes(hashes, at: index + 1) {
                    blank(1 + hashes)
                    if index < bytes.count, bytes[index] == UInt8(ascii: "(") {
                        blank(1)
                        scanCode(untilParenthesis: true)
                    }
                    blank(1)
                } else if byte == UInt8(ascii: "\""), !isLong || has("\"\"\"", at: index),
                    hasHashes(hashes, at: index + (isLong ? 3 : 1))
                {
                    index += isLong ? 3 : 1
                    blank(hashes)
                    return
                } else {
                    blank(1)
                }
            }
        }

        private func hasHashes(_ count: Int, at start: Int) -> Bool {
            guard start + count <= bytes.count else { return false }
            return bytes[start..<(start + count)].allSatisfy { $0 == UInt8(ascii: "#") }
        }
    }
}

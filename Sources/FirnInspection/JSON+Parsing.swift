extension JSON {
    /// What is wrong in a text that should be JSON, and where, in bytes.
    package struct ParseFailure: Error {
        package var what: String
        package var offset: Int
    }

    /// Reads one JSON value (https://www.rfc-editor.org/rfc/rfc8259). Whole numbers within 64 bits stay whole.
    package init(parsing text: some StringProtocol) throws(ParseFailure) {
        var parser = JSONParser(bytes: Array(text.utf8))
        self = try parser.document()
    }

    package subscript(key: String) -> JSON? {
        if case .object(let object) = self, object.has(key) { object[key] } else { nil }
    }

    package var text: String? { if case .text(let value) = self { value } else { nil } }
    package var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
    package var isNull: Bool { if case .null = self { true } else { false } }
}

private struct JSONParser {
    let bytes: [UInt8]
    var offset = 0
    private var depth = 0
    private static let depthMax = 100

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func document() throws(JSON.ParseFailure) -> JSON {
        let value = try value()
        skipSpace()
        guard offset == bytes.count else { throw failure("more after the value") }
        return value
    }

    private func failure(_ what: String) -> JSON.ParseFailure { .init(what: what, offset: offset) }

    private var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    private mutating func skipSpace() {
        while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { offset += 1 }
    }

    private mutating func consume(_ character: Unicode.Scalar) -> Bool {
        skipSpace()
        guard next == UInt8(ascii: character) else { return false }
        offset += 1
        return true
    }

    private mutating func value() throws(JSON.ParseFailure) -> JSON {
        skipSpace()
        guard let byte = next else { throw failure("the end where a value should be") }
        switch byte {
        case UInt8(ascii: "{"): return try nested { parser throws(JSON.ParseFailure) in try parser.object() }
        case UInt8(ascii: "["): return try nested { parser throws(JSON.ParseFailure) in try parser.array() }
        case UInt8(ascii: "\""): return .text(try string())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        default:
            for (word, value) in [("true", JSON.bool(true)), ("false", .bool(false)), ("null", .null)]
            where bytes[offset...].starts(with: word.utf8) {
                offset += word.utf8.count
                return value
            }
            throw failure("something that is no value")
        }
    }

    private mutating func nested(
        _ body: (inout JSONParser) throws(JSON.ParseFailure) -> JSON
    ) throws(JSON.ParseFailure) -> JSON {
        guard depth < Self.depthMax else { throw failure("values nested too deeply") }
        depth += 1
        defer { depth -= 1 }
        offset += 1
        return try body(&self)
    }

    private mutating func object() throws(JSON.ParseFailure) -> JSON {
        var object = JSONObject()
        if consume("}") { return .object(object) }
        repeat {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw failure("no key") }
            let key = try string()
            guard !object.has(key) else { throw failure("the key \(key) for the second time") }
            guard consume(":") else { throw failure("no colon after the key \(key)") }
            object[key] = try value()
        } while consume(",")
        guard consume("}") else { throw failure("an object that does not end") }
        return .object(object)
    }

    private mutating func array() throws(JSON.ParseFailure) -> JSON {
        var values: [JSON] = []
        if consume("]") { return .array(values) }
        repeat { values.append(try value()) } while consume(",")
        guard consume("]") else { throw failure("an array that does not end") }
        return .array(values)
    }

    private mutating func number() throws(JSON.ParseFailure) -> JSON {
        let start = offset
        while let byte = next,
            byte == 0x2B || byte == 0x2D || byte == 0x2E || byte == 0x45 || byte == 0x65
                || (0x30...0x39).contains(byte)
        { offset += 1 }
        let text = String(decoding: bytes[start..<offset], as: UTF8.self)
        if let whole = Int64(text), text != "-0" { return .integer(whole) }
        guard let real = Double(text) else { throw failure("the number \(text)") }
        return .real(real)
    }

    private mutating func string() throws(JSON.ParseFailure) -> String {
        offset += 1
        var result: [UInt8] = []
        while true {
            guard let byte = next else { throw failure("a text that does not end") }
            offset += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let text = String(validating: result, as: UTF8.self) else { throw failure("invalid UTF-8") }
                return text
            case UInt8(ascii: "\\"): result += Array(String(try escaped()).utf8)
            case 0..<0x20: throw failure("a control character in a text")
            default: result.append(byte)
            }
        }
    }

    private mutating func escaped() throws(JSON.ParseFailure) -> Unicode.Scalar {
        guard let byte = next else { throw failure("a text that does not end") }
        offset += 1
        switch byte {
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "u"): return try unicode()
        default: throw failure("an unknown escape")
        }
    }

    /// Four hexadecimal digits, twice for a character beyond 16 bits.
    private mutating func unicode() throws(JSON.ParseFailure) -> Unicode.Scalar {
        let first = try unit()
        if let scalar = Unicode.Scalar(UInt32(first)) { return scalar }
        guard UTF16.isLeadSurrogate(first), bytes[offset...].starts(with: [0x5C, 0x75]) else {
            throw failure("half a character")
        }
        offset += 2
        let second = try unit()
        guard UTF16.isTrailSurrogate(second) else { throw failure("half a character") }
        return UTF16.decode(UTF16.EncodedScalar([first, second]))
    }

    private mutating func unit() throws(JSON.ParseFailure) -> UInt16 {
        guard offset + 4 <= bytes.count,
            let unit = UInt16(String(decoding: bytes[offset..<offset + 4], as: UTF8.self), radix: 16)
        else { throw failure("an escape without four hexadecimal digits") }
        offset += 4
        return unit
    }
}

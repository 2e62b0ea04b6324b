package import FirnLog
import Foundation

/// A value of a property, for people and for programs.
package struct ValueText: Sendable {
    package let value: PropertyValue
    package let property: LogProperty?
    package let names: ModelNames

    package init(value: PropertyValue, property: LogProperty?, names: ModelNames) {
        self.value = value
        self.property = property
        self.names = names
    }

    private static let textMax = 200

    /// Core Data counts dates from here.
    package static let referenceDate = 978_307_200.0

    /// Dates of the years 4 to 9999 are this near to the year 5000.
    private static let middleDate = 94_640_000_000.0
    private static let middleDistance = 157_600_000_000.0

    /// For a terminal: short, without line breaks.
    package var short: String {
        switch (value, inline) {
        case (.blob(let bytes), nil): return names.external(bytes) ?? Self.hexadecimal(bytes)
        // Dates, UUIDs and objects need no quotation marks.
        case (.text, .text(let text)): return "\"" + cut(text) + "\""
        case (_, let other): return cut(other.map(Self.text) ?? "")
        }
    }

    /// As `short`, within a sentence: a number without quotation marks, a date without an empty fraction of a second.
    var brief: String {
        if case .text(let text) = value, kind == .decimal { return cut(text) }
        return kind == .date ? short.replacing(".000000Z", with: "Z") : short
    }

    /// Hashes and keys, which people compare, are this long at most.
    package static let hexadecimalMax = 32

    static func hexadecimal(_ bytes: some Collection<UInt8>) -> String {
        if bytes.isEmpty { return "0 bytes" }
        let digits = bytes.prefix(hexadecimalMax).hexadecimal
        return bytes.count <= hexadecimalMax ? digits : digits + "… (\(bytes.count) bytes)"
    }

    /// For a spreadsheet: the text as it is, nothing for nil. Throws for a large value that cannot be read.
    package var plain: String {
        get throws(LogError) { value.isNull ? "" : Self.text(try json) }
    }

    /// Whether the value is another object.
    package var isReference: Bool { if case .reference = value { true } else { false } }

    /// The value in words; nil for a binary one.
    package var text: String? { inline.map(Self.text) }

    private static func text(_ json: JSON) -> String {
        switch json {
        case .null: "nil"
        case .text(let text): text
        case .real(let number): "\(number)"
        case let other: other.line
        }
    }

    private func cut(_ text: String) -> String {
        text.count <= Self.textMax
            ? text : text.prefix(Self.textMax) + "… (\(text.count) characters)"
    }

    /// Binary values as base64; dates as ISO 8601; UUIDs in their notation; objects as `Entity/key`. Throws for a large
    /// value that cannot be read.
    package var json: JSON {
        get throws(LogError) {
            if let inline { return inline }
            guard case .blob(let bytes) = value else { return .null }
            return .text(Data(try names.value(bytes)).base64EncodedString())
        }
    }

    /// The value as JSON; nil for a binary one, whose bytes may be in a file.
    private var inline: JSON? {
        switch value {
        case .null: return .null
        case .integer(let number): return kind == .boolean ? .bool(number != 0) : .integer(number)
        case .real(let number): return kind == .date ? date(number) : .real(number)
        case .text(let text): return .text(text)
        case .blob(let bytes):
            return kind == .uuid && bytes.count == 16 ? .text(uuid(bytes)) : nil
        case .reference(let key): return .text(names.object(key))
        }
    }

    private var kind: AttributeKind? {
        if case .attribute(let kind)? = property?.kind { kind } else { nil }
    }

    /// With as many digits of a second as tell the date from its neighbours, six or nine; one that nine do not tell,
    /// or of a year without four digits, stays a number of seconds since 2001.
    private func date(_ seconds: Double) -> JSON {
        let whole = seconds.rounded(.down)
        guard abs(whole - Self.middleDate) < Self.middleDistance else { return .real(seconds) }
        let nanoseconds = ((seconds - whole) * 1e9).rounded()
        guard nanoseconds < 1e9, whole + nanoseconds / 1e9 == seconds else { return .real(seconds) }
        let since1970 = LogDate(Int64(whole + Self.referenceDate) * 1_000_000)
        let digits = String(Int(nanoseconds) + 1_000_000_000).dropFirst()
        let fraction = digits.hasSuffix("000") ? digits.dropLast(3) : digits
        return .text(since1970.wholeSeconds + "." + fraction + "Z")
    }

    private func uuid(_ bytes: [UInt8]) -> String {
        var rest = Substring(bytes.hexadecimal.uppercased())
        return [8, 4, 4, 4, 12].map { count in
            defer { rest = rest.dropFirst(count) }
            return String(rest.prefix(count))
        }.joined(separator: "-")
    }
}

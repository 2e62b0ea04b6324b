import FirnInspection
import FirnLog
import Foundation

extension ValueText {
    /// The value of an attribute that `json` writes like this; nil if there is none, or the property is no attribute.
    static func parse(_ json: JSON, _ property: LogProperty) -> PropertyValue? {
        guard case .attribute(let kind) = property.kind else {
            if case .position = property.kind { return json.integer.map(PropertyValue.integer) }
            return nil
        }
        switch (kind, json) {
        case (.boolean, .bool(let value)): return .integer(value ? 1 : 0)
        case (.date, .text(let text)): return date(text)
        case (.uuid, .text(let text)):
            return UUID(uuidString: text).map { .blob(withUnsafeBytes(of: $0.uuid, Array.init)) }
        default: break
        }
        switch (kind.storage, json) {
        case (.integer, .integer(let value)): return range(of: kind).contains(value) ? .integer(value) : nil
        case (.real, .integer(let value)): return .real(Double(value))
        case (.real, .real(let value)): return .real(value)
        case (.real, .text(let text)):
            return ["nan", "-nan", "inf", "-inf"].contains(text) ? Double(text).map(PropertyValue.real) : nil
        case (.text, .text(let text)): return .text(text)
        case (.blob, .text(let text)): return Data(base64Encoded: text).map { .blob(Array($0)) }
        default: return nil
        }
    }

    private static func range(of kind: AttributeKind) -> ClosedRange<Int64> {
        switch kind {
        case .integer16: Int64(Int16.min)...Int64(Int16.max)
        case .integer32: Int64(Int32.min)...Int64(Int32.max)
        default: .min ... .max
        }
    }

    /// Seconds since 2001, to the last bit as they were written.
    private static func date(_ text: String) -> PropertyValue? {
        let halves = text.dropLast().split(separator: ".", omittingEmptySubsequences: false)
        guard text.last == "Z", (1...2).contains(halves.count), let whole = LogDate(parsing: halves[0] + "Z") else {
            return Double(text).map(PropertyValue.real)
        }
        let seconds = Double(whole.microseconds / 1_000_000) - referenceDate
        guard halves.count == 2 else { return .real(seconds) }
        guard (1...9).contains(halves[1].count), halves[1].utf8.allSatisfy({ (48...57).contains($0) }),
            let nanoseconds = Int64(halves[1] + String(repeating: "0", count: 9 - halves[1].count))
        else { return nil }
        return .real(seconds + Double(nanoseconds) / 1e9)
    }
}

package import Foundation

/// Converts a text and a number as SQLite does before a comparison: the column's side decides the form of the other
/// side.
///
/// https://www.sqlite.org/datatype3.html#type_conversions_prior_to_comparison
package enum ColumnAffinity {
    /// The number that a text is as a whole, without the spaces around it, as it is written; nil for another text.
    package static func numeral(_ text: String) -> String? {
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0d).contains($0) }
        let isDigit: (UInt8) -> Bool = { (0x30...0x39).contains($0) }
        var bytes = Substring(text).utf8
        while let first = bytes.first, isSpace(first) { bytes.removeFirst() }
        while let last = bytes.last, isSpace(last) { bytes.removeLast() }
        var rest = bytes
        if let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") { rest.removeFirst() }
        let whole = rest.prefix(while: isDigit)
        rest = rest[whole.endIndex...]
        var digitCount = whole.count
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            let fraction = rest.prefix(while: isDigit)
            digitCount += fraction.count
            rest = rest[fraction.endIndex...]
        }
        guard digitCount > 0 else { return nil }
        if let letter = rest.first, letter == UInt8(ascii: "e") || letter == UInt8(ascii: "E") {
            rest.removeFirst()
            if let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") { rest.removeFirst() }
            let exponent = rest.prefix(while: isDigit)
            guard !exponent.isEmpty else { return nil }
            rest = rest[exponent.endIndex...]
        }
        return rest.isEmpty ? String(Substring(bytes)) : nil
    }

    /// The number that a text is, as a column of numbers compares it; nil for another text.
    package static func number(_ text: String) -> NumericValue? {
        guard let numeral = numeral(text) else { return nil }
        if let integer = Int64(numeral) { return .integer(integer) }
        return Double(numeral).map { .double($0) }
    }

    /// The number that a text is, as a decimal with all its digits.
    package static func decimal(_ text: String) -> Decimal? { numeral(text).flatMap { Decimal(string: $0) } }

    /// A number as a column of texts compares it.
    package static func text(_ number: NumericValue) -> String {
        switch number {
        case .integer(let value): return String(value)
        case .unsigned(let value): return String(value)
        case .decimal(let value): return value.description
        case .double(let value):
            guard value.isFinite else { return value.isNaN ? "NaN" : value < 0 ? "-Inf" : "Inf" }
            // A real has a decimal point: 1.0, 1.0e+20.
            let written = String(format: "%.15g", value)
            if written.contains(".") { return written }
            let digits = written.prefix { $0 != "e" }
            return "\(digits).0\(written.dropFirst(digits.count))"
        }
    }
}

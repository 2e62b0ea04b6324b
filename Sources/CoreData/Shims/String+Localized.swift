public import Foundation

extension String {
    /// A key of a table of texts, with the values for its places: `"\(count) orders"` has the key `%lld orders`.
    ///
    /// Foundation has it on Apple's systems (macOS 12, iOS 15), and not on Linux up to Swift 6.3.
    public struct LocalizationValue: ExpressibleByStringInterpolation, Equatable, Sendable {
        var key: String
        var values: [String] = []

        public init(_ value: String) { key = value }
        public init(stringLiteral value: String) { key = value }

        public init(stringInterpolation: StringInterpolation) {
            key = stringInterpolation.key
            values = stringInterpolation.values
        }

        public struct StringInterpolation: StringInterpolationProtocol, Sendable {
            var key = ""
            var values: [String] = []

            public init(literalCapacity: Int, interpolationCount: Int) {}

            public mutating func appendLiteral(_ literal: String) { key += literal.replacing("%", with: "%%") }

            public mutating func appendInterpolation(_ value: some CustomStringConvertible) {
                append("%@", value.description)
            }
            public mutating func appendInterpolation(_ value: some BinaryInteger) { append("%lld", "\(value)") }
            public mutating func appendInterpolation(_ value: Double) { append("%lf", "\(value)") }
            public mutating func appendInterpolation(_ value: Float) { append("%f", "\(value)") }

            private mutating func append(_ place: String, _ value: String) {
                key += place
                values.append(value)
            }
        }

        /// A text of the table with the values in its places: in their order, or by number as in `%2$@`.
        func text(of format: String) -> String {
            guard !values.isEmpty else { return format }
            var result = ""
            var next = 0
            var rest = format[...]
            while let sign = rest.firstIndex(of: "%") {
                result += rest[..<sign]
                rest = rest[sign...].dropFirst()
                if rest.first == "%" {
                    result += "%"
                    rest = rest.dropFirst()
                    continue
                }
                guard let place = rest.prefixMatch(of: /(?:(\d+)\$)?[-+ 0-9.]*(?:@|(?:hh|h|ll|l|q|z)?[diuoxXfeEgGaA])/)
                else {
                    result += "%"
                    continue
                }
                let index = place.1.flatMap { Int($0) }.map { $0 - 1 } ?? next
                next = place.1 == nil ? next + 1 : next
                result += values.indices.contains(index) ? values[index] : "%" + place.0
                rest = rest[place.range.upperBound...]
            }
            return result + rest
        }
    }

    /// The text for a key in a table of a bundle; the key's own where there is none.
    ///
    /// Foundation has it on Apple's systems (macOS 12, iOS 15), and not on Linux up to Swift 6.3. Values are written
    /// as Swift describes them, in all languages.
    @_disfavoredOverload
    public init(
        localized key: LocalizationValue, table: String? = nil, bundle: Bundle? = nil, locale: Locale = .current,
        comment: StaticString? = nil
    ) {
        let found = (bundle ?? .main).localizedString(forKey: key.key, value: nil, table: table)
        self = key.text(of: found)
    }

    /// The text for a key, or another where the table does not have the key.
    ///
    /// Foundation has it on Apple's systems (macOS 12, iOS 15), and not on Linux up to Swift 6.3.
    @_disfavoredOverload
    public init(
        localized key: StaticString, defaultValue: LocalizationValue, table: String? = nil, bundle: Bundle? = nil,
        locale: Locale = .current, comment: StaticString? = nil
    ) {
        let found = (bundle ?? .main).localizedString(forKey: "\(key)", value: defaultValue.key, table: table)
        self = defaultValue.text(of: found)
    }
}

import Foundation

/// An attribute's value as model files write it.
enum AttributeText {
    /// A value read from text, and whether the text is valid for the type.
    struct ParsedValue {
        var value: Any?
        /// The mistake in the text, if there is one.
        var complaint: String?
    }

    /// `text` as a value of `type`. Text that is not of the type gives a complaint, and the value that Apple's compiler
    /// makes of it (`NO` is 0 for an integer).
    static func value(_ text: String, type: NSAttributeType) -> ParsedValue {
        switch type {
        case .integer16AttributeType: integer(text, Int64(Int16.min)...Int64(Int16.max))
        case .integer32AttributeType: integer(text, Int64(Int32.min)...Int64(Int32.max))
        case .integer64AttributeType: integer(text, Int64.min...Int64.max)
        case .booleanAttributeType: boolean(text)
        case .doubleAttributeType: real(text)
        case .floatAttributeType: float(text)
        case .decimalAttributeType: decimal(text)
        case .stringAttributeType: ParsedValue(value: text)
        case .UUIDAttributeType:
            UUID(uuidString: text).map { ParsedValue(value: $0) }
                ?? ParsedValue(complaint: "is no UUID; there is no default")
        case .URIAttributeType:
            URL(string: text).map { ParsedValue(value: $0) }
                ?? ParsedValue(complaint: "is no URI; there is no default")
        case .dateAttributeType: date(text)
        case .undefinedAttributeType, .binaryDataAttributeType, .transformableAttributeType,
            .objectIDAttributeType,
            .compositeAttributeType:
            ParsedValue(
                complaint: "is of a type that takes no default from a model file; there is none")
        }
    }

    /// The text of `value`, if the type has one. `value(_:type:)` reads an equal value from it.
    static func text(_ value: Any, type: NSAttributeType) -> String? {
        guard let stored = DefaultValue(value, type: type) else { return nil }
        switch (stored, type) {
        case (.integer(let value), .booleanAttributeType): return value == 0 ? "NO" : "YES"
        case (.integer(let value), _): return String(value)
        case (.real(let value), _): return "\(value)"
        case (.text(let value), _): return value
        case (.blob, .UUIDAttributeType): return (value as? UUID)?.uuidString
        case (.blob, _), (.object, _), (.none, _): return nil
        }
    }

    private static func integer(_ text: String, _ range: ClosedRange<Int64>) -> ParsedValue {
        let trimmed = text.trimmingCharacters(in: .whitespaces)
        if let value = Int64(trimmed) ?? Double(trimmed).flatMap({ Int64(exactly: $0) }) {
            let clamped = min(max(value, range.lowerBound), range.upperBound)
            return ParsedValue(
                value: NSNumber(value: clamped),
                complaint: clamped == value
                    ? nil : "is outside the type's range; \(clamped) is used")
        }
        let prefix = (trimmed as NSString).longLongValue
        let value = min(max(prefix, range.lowerBound), range.upperBound)
        return ParsedValue(value: NSNumber(value: value), complaint: "is no integer; \(value) is used")
    }

    private static func boolean(_ text: String) -> ParsedValue {
        switch text.trimmingCharacters(in: .whitespaces).lowercased() {
        case "yes", "true", "1": return ParsedValue(value: NSNumber(value: true))
        case "no", "false", "0": return ParsedValue(value: NSNumber(value: false))
        default:
            return ParsedValue(
                value: NSNumber(value: false), complaint: "is neither YES nor NO; NO is used")
        }
    }

    private static func real(_ text: String) -> ParsedValue {
        let trimmed = text.trimmingCharacters(in: .whitespaces)
        if let value = Double(trimmed) { return ParsedValue(value: NSNumber(value: value)) }
        let prefix = (trimmed as NSString).doubleValue
        return ParsedValue(
            value: NSNumber(value: prefix), complaint: "is no number; \(prefix) is used")
    }

    private static func float(_ text: String) -> ParsedValue {
        var reading = real(text)
        reading.value = (reading.value as? NSNumber).map { NSNumber(value: $0.floatValue) }
        return reading
    }

    private static func decimal(_ text: String) -> ParsedValue {
        let trimmed = text.trimmingCharacters(in: .whitespaces)
        if let value = Decimal(string: trimmed, locale: Locale(identifier: "en_US_POSIX")) {
            return ParsedValue(value: NSDecimalNumber(decimal: value))
        }
        return ParsedValue(value: NSDecimalNumber.zero, complaint: "is no decimal number; 0 is used")
    }

    /// Files hold dates as seconds since 2001.
    private static func date(_ text: String) -> ParsedValue {
        guard let seconds = Double(text.trimmingCharacters(in: .whitespaces)) else {
            return ParsedValue(complaint: "is no number of seconds since 2001; there is no default")
        }
        return ParsedValue(value: Date(timeIntervalSinceReferenceDate: seconds))
    }
}

extension NSAttributeType {
    /// The names of the types in model files.
    private static let names: [(NSAttributeType, String)] = [
        (.undefinedAttributeType, "Undefined"), (.integer16AttributeType, "Integer 16"),
        (.integer32AttributeType, "Integer 32"), (.integer64AttributeType, "Integer 64"),
        (.decimalAttributeType, "Decimal"), (.doubleAttributeType, "Double"),
        (.floatAttributeType, "Float"),
        (.stringAttributeType, "String"), (.booleanAttributeType, "Boolean"),
        (.dateAttributeType, "Date"),
        (.binaryDataAttributeType, "Binary"), (.UUIDAttributeType, "UUID"),
        (.URIAttributeType, "URI"),
        (.transformableAttributeType, "Transformable"), (.objectIDAttributeType, "ObjectID"),
        (.compositeAttributeType, "Composite"),
    ]

    /// The name of the type in model files.
    package var fileName: String { Self.names.first { $0.0 == self }?.1 ?? "Undefined" }

    /// The type of a name in a model file.
    package init?(fileName: String) {
        guard let found = Self.names.first(where: { $0.1 == fileName }) else { return nil }
        self = found.0
    }
}

extension NSDeleteRule {
    private static let names: [(NSDeleteRule, String)] = [
        (.noActionDeleteRule, "No Action"), (.nullifyDeleteRule, "Nullify"),
        (.cascadeDeleteRule, "Cascade"),
        (.denyDeleteRule, "Deny"),
    ]

    /// The name of the rule in model files.
    package var fileName: String { Self.names.first { $0.0 == self }?.1 ?? "Nullify" }

    /// The rule of a name in a model file.
    package init?(fileName: String) {
        guard let found = Self.names.first(where: { $0.1 == fileName }) else { return nil }
        self = found.0
    }
}

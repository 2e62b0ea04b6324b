import Foundation

/// A comparison with the conversions of a store. With it a fetch finds the same among unsaved objects as after a save.
///
///     number == "42"      the constant becomes a number
///     plate == 42         the constant becomes a text
///     number == plate     the text becomes a number
///
/// A text that is no number is greater than every number. Kinds without an order among each other are not ordered.
struct StoredComparison {
    typealias Side = ComparisonEvaluation.Side

    let comparison: ComparisonEvaluation
    /// Whether a side is the same for all objects, so that the other side's kind decides.
    let isLeftFixed: Bool
    let isRightFixed: Bool

    func holds(_ left: Side, _ right: Side) throws -> Bool {
        switch comparison.type {
        case .between:
            guard let bounds = collectionMembers(of: right.value), bounds.count == 2 else {
                return try comparison.holds(left, right)
            }
            return try single(.greaterThanOrEqualTo, left, Side(bounds[0]))
                && single(.lessThanOrEqualTo, left, Side(bounds[1]))
        case .in: return try isMember(left, right)
        case .contains: return try mirrored.isMember(right, left)
        default: return try single(comparison.type, left, right)
        }
    }

    private var mirrored: StoredComparison {
        StoredComparison(comparison: comparison, isLeftFixed: isRightFixed, isRightFixed: isLeftFixed)
    }

    private func isMember(_ member: Side, _ collection: Side) throws -> Bool {
        let (part, whole) = converted(member, collection)
        switch (part.plain, whole.plain) {
        case (.string, .string):
            return try ComparisonEvaluation(type: .in, options: comparison.options).holds(part, whole)
        case (_, .string): return false
        default: break
        }
        let members = isRightFixed ? collectionMembers(of: collection.value) : flatMembers(of: collection.value)
        if let members {
            return try members.contains { try single(.equalTo, member, Side($0)) }
        }
        return (collection.value as? any ValueRange)?.includes(member.value) ?? false
    }

    /// One comparison of two single values.
    private func single(_ type: NSComparisonPredicate.Operator, _ left: Side, _ right: Side) throws -> Bool {
        let (left, right) = converted(left, right)
        switch (type, left.plain, right.plain) {
        case (.lessThan, .number, .string), (.lessThanOrEqualTo, .number, .string): return true
        case (.greaterThan, .string, .number), (.greaterThanOrEqualTo, .string, .number): return true
        case (.lessThanOrEqualTo, .null, .null), (.greaterThanOrEqualTo, .null, .null): return false
        default: break
        }
        do {
            return try ComparisonEvaluation(type: type, options: comparison.options).holds(left, right)
        } catch is ExpressionError where type != .customSelector {
            // Kinds that no column converts to each other.
            return false
        }
    }

    /// Both sides in the form that the side which is a column needs.
    private func converted(_ left: Side, _ right: Side) -> (Side, Side) {
        if isLeftFixed, isRightFixed { return (left, right) }
        switch (left.plain, right.plain) {
        case (.string(let text), .number), (.string(let text), .date):
            let number = Self.number(right)
            if isRightFixed { return (left, Self.text(number)) }
            return (Self.number(text, number) ?? left, Self.side(number))
        case (.number, .string(let text)), (.date, .string(let text)):
            let number = Self.number(left)
            if isLeftFixed { return (Self.text(number), right) }
            return (Self.side(number), Self.number(text, number) ?? right)
        case (.uuid(let id), .data): return (Side(withUnsafeBytes(of: id.uuid) { Data($0) }), right)
        case (.data, .uuid(let id)): return (left, Side(withUnsafeBytes(of: id.uuid) { Data($0) }))
        case (_, .string): return (Self.address(left), right)
        case (.string, _): return (left, Self.address(right))
        case (.date, .number), (.number, .date): return (Self.side(Self.number(left)), Self.side(Self.number(right)))
        default: return (left, right)
        }
    }

    /// A URI as the text that a store has of it.
    private static func address(_ side: Side) -> Side {
        if case .url(let url) = side.plain { Side(url.absoluteString) } else { side }
    }

    private static func number(_ side: Side) -> NumericValue {
        switch side.plain {
        case .number(let number): number
        case .date(let date): .double(date.timeIntervalSinceReferenceDate)
        default: .double(.nan)
        }
    }

    private static func number(_ text: String, _ other: NumericValue) -> Side? {
        if case .decimal = other { return ColumnAffinity.decimal(text).map { side(.decimal($0)) } }
        return ColumnAffinity.number(text).map(side)
    }

    private static func side(_ number: NumericValue) -> Side { Side(number.object) }

    private static func text(_ number: NumericValue) -> Side { Side(ColumnAffinity.text(number)) }
}

extension NSExpression {
    /// Whether the value is the same for all objects.
    var isFixed: Bool {
        switch node {
        case .constant: true
        case .aggregate(let members): members.allSatisfy(\.isFixed)
        case .function(_, let arguments): arguments.allSatisfy(\.isFixed)
        default: false
        }
    }
}

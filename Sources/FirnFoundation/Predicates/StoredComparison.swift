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

    /// Whether a side is the same for all objects, so that the other side's kind decides.
    struct Origin {
        let isFixed: Bool
        /// Whether each member of a list is fixed.
        private let members: [Bool]

        init(_ expression: NSExpression) {
            isFixed = expression.isFixed
            if !isFixed, case .aggregate(let parts) = expression.node {
                members = parts.map(\.isFixed)
            } else {
                members = []
            }
        }

        private init(isFixed: Bool) { (self.isFixed, members) = (isFixed, []) }

        /// Whether the members are those of a list in the predicate, and not of a relationship.
        var isList: Bool { isFixed || !members.isEmpty }

        subscript(member: Int) -> Origin {
            members.indices.contains(member) ? Origin(isFixed: members[member]) : Origin(isFixed: isFixed)
        }
    }

    let comparison: ComparisonEvaluation
    let rules: StoreRules
    let left: Origin
    let right: Origin

    /// Whether the comparison holds; nil if it is unknown.
    func truth(_ left: Side, _ right: Side) throws -> Bool? {
        switch comparison.type {
        case .between:
            guard let bounds = collectionMembers(of: right.value), bounds.count == 2 else {
                return try comparison.holds(left, right)
            }
            let lower = try with(self.right[0]).single(.greaterThanOrEqualTo, left, Side(bounds[0]))
            let upper = try with(self.right[1]).single(.lessThanOrEqualTo, left, Side(bounds[1]))
            return lower == false || upper == false ? false : lower == nil || upper == nil ? nil : true
        case .in: return try isMember(left, right)
        case .contains:
            let mirrored = StoredComparison(comparison: comparison, rules: rules, left: self.right, right: self.left)
            return try mirrored.isMember(right, left)
        default: return try single(comparison.type, left, right)
        }
    }

    private func isMember(_ member: Side, _ collection: Side) throws -> Bool? {
        if collection.isNull { return rules.nullIsUnknown && !right.isFixed ? nil : false }
        guard let members = collectionMembers(of: collection.value) else {
            if rules.nullIsUnknown, member.isNull { return nil }
            if let range = collection.value as? any ValueRange { return range.includes(member.value) }
            let (part, whole) = converted(member, collection)
            guard case (.string, .string) = (part.plain, whole.plain) else { return false }
            return try ComparisonEvaluation(type: .in, options: comparison.options).holds(part, whole)
        }
        var result: Bool? = false
        for (index, one) in members.enumerated() {
            switch try with(right[index]).single(.equalTo, member, Side(one)) {
            case true?: return true
            // A list is compared member by member; the rows of a relationship have the value or do not.
            case nil: result = right.isList ? nil : result
            case false?: break
            }
        }
        return result
    }

    /// The comparison with one member of the right side.
    private func with(_ right: Origin) -> StoredComparison {
        StoredComparison(comparison: comparison, rules: rules, left: left, right: right)
    }

    /// One comparison of two single values.
    private func single(
        _ type: NSComparisonPredicate.Operator, _ leftSide: Side, _ rightSide: Side
    ) throws -> Bool? {
        if isUnknown(type, leftSide, rightSide) { return nil }
        let (left, right) = converted(leftSide, rightSide)
        switch (type, left.plain, right.plain) {
        case (.lessThan, .number, .string), (.lessThanOrEqualTo, .number, .string): return true
        case (.greaterThan, .string, .number), (.greaterThanOrEqualTo, .string, .number): return true
        case (.lessThanOrEqualTo, .null, .null), (.greaterThanOrEqualTo, .null, .null): return false
        case (.lessThanOrEqualTo, .number(let one), .number(let other)) where one.isNaN && other.isNaN: return false
        case (.greaterThanOrEqualTo, .number(let one), .number(let other)) where one.isNaN && other.isNaN: return false
        default: break
        }
        do {
            return try ComparisonEvaluation(type: type, options: comparison.options).holds(left, right)
        } catch is ExpressionError where type != .customSelector {
            // Kinds that no column converts to each other.
            return false
        }
    }

    /// Whether a side is null and SQL has no answer. It has one if the predicate asks for null.
    private func isUnknown(_ type: NSComparisonPredicate.Operator, _ leftSide: Side, _ rightSide: Side) -> Bool {
        guard rules.nullIsUnknown, leftSide.isNull || rightSide.isNull, !(left.isFixed && right.isFixed) else {
            return false
        }
        let asksForNull = left.isFixed && leftSide.isNull || right.isFixed && rightSide.isNull
        return !(asksForNull && (type == .equalTo || type == .notEqualTo))
    }

    /// Both sides in the form that the side which is a column needs.
    private func converted(_ left: Side, _ right: Side) -> (Side, Side) {
        if self.left.isFixed, self.right.isFixed { return (left, right) }
        switch (left.plain, right.plain) {
        case (.string(let text), .number), (.string(let text), .date):
            let number = Self.number(right)
            if self.right.isFixed { return (left, Self.text(number)) }
            return (Self.number(text, number) ?? left, Self.side(number))
        case (.number, .string(let text)), (.date, .string(let text)):
            let number = Self.number(left)
            if self.left.isFixed { return (Self.text(number), right) }
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
    package var isFixed: Bool {
        switch node {
        case .constant: true
        case .evaluatedObject, .variable, .anyKey, .block, .subquery, .fetch, .conditional: false
        case .keyPath(_, let operand): operand?.isFixed ?? false
        case .function(_, let arguments): arguments.allSatisfy(\.isFixed)
        case .method(_, let operand, let arguments): operand.isFixed && arguments.allSatisfy(\.isFixed)
        case .computedKeyPath(let path, let operand): path.isFixed && operand.isFixed
        case .aggregate(let members): members.allSatisfy(\.isFixed)
        case .set(_, let left, let right): left.isFixed && right.isFixed
        }
    }
}

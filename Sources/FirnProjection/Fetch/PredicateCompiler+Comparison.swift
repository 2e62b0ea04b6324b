internal import FirnFoundation
internal import class FirnFoundation.NSExpression
internal import FirnLog
internal import FirnModel

extension PredicateCompiler {
    /// SQLite's time grows with the square of a condition's terms: about a second for this count.
    static let comparisonCountMax = 20_000

    func comparison(_ predicate: NSComparisonPredicate, _ node: Node) throws -> String {
        comparisonCount += 1
        guard comparisonCount <= Self.comparisonCountMax else {
            throw UnsupportedPredicate(
                predicate.predicateFormat,
                "the predicate has more than \(Self.comparisonCountMax) comparisons; compare with a list (IN), or "
                    + "fetch in several requests")
        }
        switch predicate.comparisonPredicateModifier {
        case .direct: return try direct(predicate, node)
        case .any, .all: return try quantified(predicate, node)
        }
    }

    private func direct(_ predicate: NSComparisonPredicate, _ node: Node) throws -> String {
        if predicate.leftExpression.isFixed, predicate.rightExpression.isFixed { return try constant(predicate) }
        let test = Test(predicate)
        switch predicate.predicateOperatorType {
        case .in:
            return try isMember(
                operand(predicate.leftExpression, node), operand(predicate.rightExpression, node),
                test, node)
        case .contains:
            return try contains(
                operand(predicate.leftExpression, node), operand(predicate.rightExpression, node),
                test, node)
        case .between:
            return try isBetween(
                operand(predicate.leftExpression, node), operand(predicate.rightExpression, node),
                test, node)
        default:
            return try compare(
                operand(predicate.leftExpression, node), operand(predicate.rightExpression, node),
                test)
        }
    }

    /// The answer to a comparison of constants.
    private func constant(_ predicate: NSComparisonPredicate) throws -> String {
        let holds = Result { try predicate.holdsAsStored(for: nil, nullIsUnknown: false) }
        return try holds.mapError { UnsupportedPredicate(predicate.predicateFormat, "\($0)") }.get() ? "1" : "0"
    }

    /// ANY and ALL. As in memory, ALL of nothing is true.
    private func quantified(_ predicate: NSComparisonPredicate, _ node: Node) throws -> String {
        let test = Test(predicate)
        let left = try operand(predicate.leftExpression, node)
        guard case .collection(let query, let element, _) = left else {
            throw UnsupportedPredicate(
                predicate.predicateFormat,
                "ANY and ALL need a to-many relationship in the key path on the left")
        }
        let right = try operand(predicate.rightExpression, node)
        let inner: String
        switch predicate.predicateOperatorType {
        case .in: inner = try isMember(.value(element), right, test, node)
        case .contains: inner = try contains(.value(element), right, test, node)
        case .between: inner = try isBetween(.value(element), right, test, node)
        default: inner = try compare(.value(element), right, test)
        }
        if predicate.comparisonPredicateModifier == .any {
            query.conditions.append("(\(inner))")
            return "EXISTS (SELECT 1 \(query.source))"
        }
        query.conditions.append("(\(inner)) IS NOT TRUE")
        return "NOT EXISTS (SELECT 1 \(query.source))"
    }

    /// One comparison of single values.
    func compare(_ left: Operand, _ right: Operand, _ test: Test) throws -> String {
        if case .constant(let left) = left, case .constant(let right) = right {
            // A bound, or a member of a list.
            let comparison = NSComparisonPredicate(
                leftExpression: NSExpression(forConstantValue: left),
                rightExpression: NSExpression(forConstantValue: right), modifier: .direct, type: test.type,
                options: test.options)
            return try constant(comparison)
        }
        if test.type == .equalTo || test.type == .notEqualTo {
            if Self.isNull(right), case .value(let value) = left {
                return value.sql + (test.type == .equalTo ? " IS NULL" : " IS NOT NULL")
            }
            if Self.isNull(left), case .value(let value) = right {
                return value.sql + (test.type == .equalTo ? " IS NULL" : " IS NOT NULL")
            }
            if let sql = dataEquality(left, right, test) ?? dataEquality(right, left, test) { return sql }
        }
        if test.isOrder, Self.isReference(left) || Self.isReference(right) {
            throw UnsupportedPredicate(test.part, "objects have no order; compare one of their attributes")
        }
        if test.isOrder, Self.isNaN(left) || Self.isNaN(right) {
            return answer(false, Self.value(left) ?? Self.value(right))
        }
        let (first, second) = try pair(left, right, test.part)
        guard let first, let second else {
            return aboveAllNumbers(left, right, test) ?? never(first ?? second, test)
        }
        switch test.type {
        case .equalTo, .notEqualTo: return equality(first, second, test)
        case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo:
            return order(first, second, test)
        case .beginsWith, .endsWith, .like, .matches, .tokenMatches:
            return try textTest(first, second, right, test)
        case .in, .contains, .between, .customSelector:
            throw UnsupportedPredicate(
                test.part, "a selector of the program's own runs in memory only")
        }
    }

    /// The equality of data with a constant, which may be in a row or in a file. Nil for other sides.
    private func dataEquality(_ column: Operand, _ constant: Operand, _ test: Test) -> String? {
        guard case .value(let column) = column, column.type == .blob, case .constant(let value) = constant,
            ConstantValue(value).stored(as: .blob, in: store) != nil
        else { return nil }
        let isEqual = isMember(column, of: [value], test)
        if test.type == .equalTo { return nullRule == .store ? isEqual : "(\(isEqual)) IS TRUE" }
        return nullRule == .store ? "NOT (\(isEqual))" : "(\(isEqual)) IS NOT TRUE"
    }

    static func isNull(_ operand: Operand) -> Bool {
        guard case .constant(let value) = operand else { return false }
        return ConstantValue.isNull(value)
    }

    private static func value(_ operand: Operand) -> SQLExpression? {
        if case .value(let value) = operand { value } else { nil }
    }

    private static func isNaN(_ operand: Operand) -> Bool {
        guard case .constant(let value) = operand else { return false }
        return ConstantValue(value).isNaN
    }

    private static func isReference(_ operand: Operand) -> Bool {
        if case .value(let value) = operand, case .reference = value.type { true } else { false }
    }

    /// A comparison with a value of another kind: never equal, without an order.
    private func never(_ value: SQLExpression?, _ test: Test) -> String { answer(test.type == .notEqualTo, value) }

    /// The answer for all values but null, of which it is unknown.
    func answer(_ isTrue: Bool, _ values: SQLExpression?...) -> String {
        let nulls = nullRule == .store ? values.compactMap { $0.map { "\($0.sql) IS NULL" } } : []
        if nulls.isEmpty { return isTrue ? "1" : "0" }
        let isNull = nulls.joined(separator: " OR ")
        return isTrue ? "(NOT (\(isNull)) OR NULL)" : "((\(isNull)) AND NULL)"
    }

    /// The order of numbers and a text that is no number. For SQLite such a text is greater than every number. Nil for
    /// another comparison.
    private func aboveAllNumbers(_ left: Operand, _ right: Operand, _ test: Test) -> String? {
        let column: SQLExpression
        let isOnLeft: Bool
        switch (left, right) {
        case (.value(let value), .constant(let constant)) where ConstantValue(constant).isAboveAllNumbers:
            (column, isOnLeft) = (value, true)
        case (.constant(let constant), .value(let value)) where ConstantValue(constant).isAboveAllNumbers:
            (column, isOnLeft) = (value, false)
        default: return nil
        }
        guard column.type.convertsTexts, test.isOrder else { return nil }
        let isBelow = test.type == .lessThan || test.type == .lessThanOrEqualTo
        // True or false of every value, and null of null.
        return isBelow == isOnLeft ? "(\(column.sql) IS NOT NULL OR NULL)" : "(\(column.sql) IS NULL AND NULL)"
    }

    private func equality(_ left: SQLExpression, _ right: SQLExpression, _ test: Test) -> String {
        let isEqual = test.type == .equalTo
        if test.options == .caseInsensitive, left.type.isText, right.type.isText, nullRule == .store {
            // As `firn_equal`, in a form that an index with this collation serves.
            return "\(left.sql) COLLATE \(TextOrdering.caseInsensitive.collation) \(isEqual ? "=" : "!=") \(right.sql)"
        }
        if test.options.rawValue != 0, left.type.isText, right.type.isText {
            let sql = "firn_equal(\(left.sql), \(right.sql), \(test.options.rawValue))"
            if isEqual { return sql }
            return nullRule == .memory ? "\(sql) IS NOT TRUE" : "NOT \(sql)"
        }
        let sign =
            switch (nullRule, isEqual) {
            case (.store, true): "="
            case (.store, false): "!="
            case (.memory, true): "IS"
            case (.memory, false): "IS NOT"
            }
        let (first, second) = comparable(left, right)
        return "\(first) \(sign) \(second)"
    }

    private func order(_ left: SQLExpression, _ right: SQLExpression, _ test: Test) -> String {
        let sign: String
        switch test.type {
        case .lessThan: sign = "<"
        case .lessThanOrEqualTo: sign = "<="
        case .greaterThan: sign = ">"
        default: sign = ">="
        }
        if left.type.isText, right.type.isText {
            if test.options.rawValue != 0 {
                return "firn_order(\(left.sql), \(right.sql), \(test.options.rawValue)) \(sign) 0"
            }
            return "\(left.sql) COLLATE firn_text \(sign) \(right.sql)"
        }
        let (first, second) = comparable(left, right)
        // NaN is stored as a text, which for SQLite is greater than every number, and among decimals less.
        let isDecimal = left.type == .decimal || right.type == .decimal
        var condition = "\(first) \(sign) \(second)"
        if left.mayBeNaN, isDecimal || sign.hasPrefix(">") {
            condition += " AND (\(left.sql) <= 9e999 OR \(right.sql) IS NULL)"
        }
        if right.mayBeNaN, isDecimal || sign.hasPrefix("<") {
            condition += " AND (\(right.sql) <= 9e999 OR \(left.sql) IS NULL)"
        }
        return condition
    }

    /// Both sides so that SQLite compares them as what they are.
    private func comparable(_ left: SQLExpression, _ right: SQLExpression) -> (String, String) {
        guard left.type == .decimal || right.type == .decimal else {
            return (number(left, comparedWith: right), number(right, comparedWith: left))
        }
        func decimal(_ side: SQLExpression) -> String {
            side.type == .decimal ? side.sql : "firn_decimal(\(side.sql))"
        }
        return ("\(decimal(left)) COLLATE firn_decimal", decimal(right))
    }

    /// A text in the tables counts as a number if the other side is one. SQLite itself does so only for columns with a
    /// declared type, which those of reals lack.
    private func number(_ side: SQLExpression, comparedWith other: SQLExpression) -> String {
        side.type.isText && other.type.convertsTexts ? "firn_number(\(side.sql))" : side.sql
    }

    private func textTest(
        _ left: SQLExpression, _ right: SQLExpression, _ operand: Operand, _ test: Test
    ) throws -> String {
        guard left.type.isText || left.type == .any, right.type.isText || right.type == .any else {
            return answer(false, left, right)
        }
        let name: String
        switch test.type {
        case .beginsWith: name = "firn_prefix"
        case .endsWith: name = "firn_suffix"
        case .like: name = "firn_like"
        case .tokenMatches: name = "firn_token_matches"
        default: name = "firn_matches"
        }
        let sql = "\(name)(\(left.sql), \(right.sql), \(test.options.rawValue))"
        if test.type == .beginsWith, test.options.rawValue == 0, left.isColumn,
            let end = prefixEnd(operand)
        {
            return "\(left.sql) >= \(right.sql) AND \(left.sql) < \(end) AND \(sql)"
        }
        return sql
    }

    /// The first text after all those with an ASCII prefix, so that an index can serve BEGINSWITH. K, ; and ` are
    /// left out: other characters are canonically equivalent to them.
    private func prefixEnd(_ operand: Operand) -> String? {
        guard case .constant(let value) = operand, case .text(let prefix) = ConstantValue(value),
            let last = prefix.unicodeScalars.last, last.value < 0x7e,
            prefix.unicodeScalars.allSatisfy({ $0.isASCII && !"K;`\0".unicodeScalars.contains($0) }),
            let next = UnicodeScalar(last.value + 1)
        else { return nil }
        var upper = prefix
        upper.unicodeScalars.removeLast()
        upper.unicodeScalars.append(next)
        return bind(.text(upper))
    }

    private func isBetween(
        _ left: Operand, _ right: Operand, _ test: Test, _ node: Node
    ) throws -> String {
        let bounds: [Operand]
        switch right {
        case .list(let members): bounds = try members.map { try operand($0, node) }
        case .constant(let value):
            guard case .list(let members) = ConstantValue(value) else { fallthrough }
            bounds = members.map { .constant($0) }
        default:
            throw UnsupportedPredicate(test.part, "BETWEEN needs a list of two bounds")
        }
        guard bounds.count == 2 else {
            throw UnsupportedPredicate(test.part, "BETWEEN needs a list of two bounds")
        }
        var lower = test
        lower.type = .greaterThanOrEqualTo
        var upper = test
        upper.type = .lessThanOrEqualTo
        return "(\(try compare(left, bounds[0], lower))) AND (\(try compare(left, bounds[1], upper)))"
    }
}

/// The parts of a comparison predicate other than its sides.
struct Test {
    var type: NSComparisonPredicate.Operator
    var options: NSComparisonPredicate.Options
    private let predicate: NSComparisonPredicate

    init(_ predicate: NSComparisonPredicate) {
        self.predicate = predicate
        type = predicate.predicateOperatorType
        options = predicate.options
    }

    /// For errors.
    var part: String { predicate.predicateFormat }

    var isOrder: Bool {
        switch type {
        case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo: true
        default: false
        }
    }
}

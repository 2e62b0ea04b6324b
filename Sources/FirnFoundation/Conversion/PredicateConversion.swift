public import Foundation

/// The result of converting a node of Foundation's predicates.
enum ConvertedNode {
    case predicate(NSPredicate)
    case expression(NSExpression)

    /// Whether it is the constant nil.
    var isNil: Bool {
        guard case .expression(let expression) = self, expression.expressionType == .constantValue else { return false }
        return expression.constantValue == nil
    }

    /// The expression; a condition becomes true or false.
    var expression: NSExpression {
        switch self {
        case .expression(let expression): expression
        case .predicate(let predicate):
            NSExpression(
                forConditional: predicate, trueExpression: NSExpression(forConstantValue: true),
                falseExpression: NSExpression(forConstantValue: false))
        }
    }
}

/// A node type of Foundation's predicates that has an equal in the predicate language.
///
/// The conformances are in this folder's `Conversion+` files, one family of nodes a file.
protocol ConvertiblePredicateNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode
}

/// One walk over the tree of a `Predicate` or `Expression`, with the meanings of its variables and names for new ones.
struct PredicateConversion {
    private var meanings: [PredicateExpressions.VariableID: NSExpression]
    /// The values of variables that stand for a member of a constant collection, or for a constant that may be nil.
    private var members: [PredicateExpressions.VariableID: Any] = [:]
    private var localCount = 0

    /// - Parameter root: the variable of the whole tree, which is `SELF`.
    init(root: PredicateExpressions.VariableID) {
        meanings = [root: NSExpression.expressionForEvaluatedObject()]
    }

    /// The node as a predicate; a Boolean value is compared with true.
    mutating func predicate(_ node: Any) throws -> NSPredicate {
        switch try convert(node) {
        case .predicate(let predicate): return predicate
        case .expression(let expression):
            if expression.expressionType == .constantValue,
                let value = expression.constantValue as? Bool
            {
                return NSPredicate(value: value)
            }
            return expression.compared(.equalTo, NSExpression(forConstantValue: true))
        }
    }

    /// The node as an expression; a condition becomes true or false.
    mutating func expression(_ node: Any) throws -> NSExpression { try convert(node).expression }

    /// A function of the table with nodes as its arguments.
    mutating func call(_ function: String, _ arguments: Any...) throws -> ConvertedNode {
        .expression(NSExpression(forFunction: function, arguments: try arguments.map { try expression($0) }))
    }

    /// A comparison of two nodes.
    mutating func comparison(
        _ left: Any, _ type: NSComparisonPredicate.Operator, _ right: Any
    ) throws -> ConvertedNode {
        .predicate(try expression(left).compared(type, try expression(right)))
    }

    /// Nodes joined by `AND`, `OR` or `NOT`.
    mutating func compound(_ type: NSCompoundPredicate.LogicalType, _ nodes: Any...) throws -> ConvertedNode {
        .predicate(NSCompoundPredicate(type: type, subpredicates: try nodes.map { try predicate($0) }))
    }

    /// The condition that two nodes are equal, or that they are not: structures by their parts, texts by their order.
    mutating func equality(_ left: Any, _ right: Any, of type: Any.Type, isNegated: Bool) throws -> ConvertedNode {
        guard let special = try wholes(left, equal: right, of: type) ?? textOrder(left, equals: right) else {
            return try comparison(left, isNegated ? .notEqualTo : .equalTo, right)
        }
        return .predicate(isNegated ? NSCompoundPredicate(notPredicateWithSubpredicate: special) : special)
    }

    /// The expression that a variable of the tree is bound to.
    func meaning(of variable: PredicateExpressions.VariableID) throws -> NSExpression {
        guard let meaning = meanings[variable] else {
            throw PredicateConversionError(
                "A variable is used outside of the closure that declares it.")
        }
        return meaning
    }

    /// The value of a variable that stands for a member of a constant collection.
    func member(of variable: PredicateExpressions.VariableID) -> Any? { members[variable] }

    /// Binds a variable of the tree to an expression.
    mutating func bind(_ variable: PredicateExpressions.VariableID, to meaning: NSExpression) {
        meanings[variable] = meaning
        members[variable] = nil
    }

    /// Binds a variable of the tree to a value.
    mutating func bind(_ variable: PredicateExpressions.VariableID, toMember value: Any) { members[variable] = value }

    /// The condition that a test holds for a member of a collection, or for all of them.
    mutating func quantified(
        _ sequence: Any, _ variable: PredicateExpressions.VariableID, _ test: Any, isAll: Bool
    ) throws -> ConvertedNode {
        if let constant = (sequence as? any ConstantNode)?.value(in: self) as? any Sequence {
            defer { members[variable] = nil }
            let tests = try values(of: constant).map { member in
                members[variable] = member
                return try predicate(test)
            }
            return .predicate(NSCompoundPredicate(type: isAll ? .and : .or, subpredicates: tests))
        }
        let found = try subquery(of: sequence, variable: variable, test: test, isNegated: isAll)
        return .predicate(
            found.member("@count").compared(isAll ? .equalTo : .notEqualTo, NSExpression(forConstantValue: 0)))
    }

    private func values(of sequence: some Sequence) -> [Any] { sequence.map { $0 as Any } }

    /// The members of a collection for which a test holds, as `SUBQUERY`; `isNegated` for which it does not.
    mutating func subquery(
        of sequence: Any, variable: PredicateExpressions.VariableID, test: Any,
        isNegated: Bool = false
    ) throws -> NSExpression {
        let collection = try expression(sequence)
        localCount += 1
        let name = "_local_\(localCount)"
        bind(variable, to: NSExpression(forVariable: name))
        let condition = try predicate(test)
        return NSExpression(
            forSubquery: collection, usingIteratorVariable: name,
            predicate: isNegated
                ? NSCompoundPredicate(notPredicateWithSubpredicate: condition) : condition)
    }

    mutating func convert(_ node: Any) throws -> ConvertedNode {
        guard let convertible = node as? any ConvertiblePredicateNode else { throw Self.refusal(of: node) }
        return try convertible.converted(&self)
    }

    /// The error for a node without an equal. It names the key paths that the node is about.
    static func refusal(of node: Any) -> PredicateConversionError {
        let paths = keyPaths(in: node)
        let about = paths.isEmpty ? "" : " over “" + paths.joined(separator: "”, “") + "”"
        return PredicateConversionError(
            "\(type(of: node))\(about) has no equal in the predicate language; "
                + "write it with NSPredicate(format:) or filter in memory.")
    }

    private static func keyPaths(in node: Any) -> [String] {
        Mirror(reflecting: node).children.flatMap { child -> [String] in
            if let keyPath = child.value as? AnyKeyPath {
                return [keyValueCodingKeyPath(for: keyPath) ?? "\(keyPath)"]
            }
            return child.value is any PredicateExpression ? keyPaths(in: child.value) : []
        }
    }
}

extension NSExpression {
    /// The expression of the value at a key of this expression's value.
    func member(_ key: String) -> NSExpression {
        NSExpression(node: appending(key: key))
    }

    /// A function of the table with these arguments.
    static func call(_ function: String, _ arguments: NSExpression...) -> NSExpression {
        NSExpression(forFunction: function, arguments: arguments)
    }

    /// The condition that the value is not nil.
    var isPresent: NSPredicate { compared(.notEqualTo, NSExpression(forConstantValue: nil)) }

    /// The value, or that of another expression where it is nil.
    func replacingNil(by other: NSExpression) -> NSExpression {
        NSExpression(forConditional: isPresent, trueExpression: self, falseExpression: other)
    }

    /// This expression compared with another.
    func compared(
        _ type: NSComparisonPredicate.Operator, _ other: NSExpression,
        options: NSComparisonPredicate.Options = []
    ) -> NSPredicate {
        NSComparisonPredicate(
            leftExpression: self, rightExpression: other, modifier: .direct, type: type,
            options: options)
    }
}

/// Why a `#Predicate` or `#Expression` of Foundation has no equal in the predicate language.
public struct PredicateConversionError: LocalizedError, Hashable, Sendable, CustomStringConvertible {
    /// The sentence for a person: the construct that was found and what to write instead, in one line.
    public let message: String

    init(_ message: String) { self.message = message }

    public var description: String { message }

    public var errorDescription: String? { description }
}

internal import FirnFoundation
internal import class FirnFoundation.NSExpression
internal import class FirnFoundation.NSPredicate
internal import FirnLog
internal import Foundation

/// One side of a comparison.
enum Operand {
    case value(SQLExpression)
    /// Bound in the form that the other side needs.
    case constant(Any?)
    case list([NSExpression])
    /// The values of many rows of a query that depends on the outer row.
    case collection(Query, element: SQLExpression, node: Node)

    /// Throws for a transformable value, of which SQL has the archive only.
    func refuseArchive(_ part: @autoclosure () -> String) throws {
        guard case .value(let value) = self, value.type == .archive else { return }
        throw UnsupportedPredicate(
            part(),
            "a transformable value is archived in the store, where it can be compared with nil only; fetch "
                + "without it and filter the result, or give the attribute a type that the store can compare")
    }
}

extension PredicateCompiler {
    func operand(_ expression: NSExpression, _ node: Node) throws -> Operand {
        switch expression.node {
        case .constant(let value): return .constant(value)
        case .evaluatedObject: return .value(node.reference)
        case .variable(let name):
            // Of a grouped fetch: an aggregate by its name.
            if let column = named[name], !variables.contains(where: { $0.name == name }) { return .value(column) }
            return .value(try variable(name).reference)
        case .keyPath(let path, nil): return try resolve(path.string, from: node)
        case .keyPath(let path, let operand?):
            return try keyPath(path.string, of: operand, node, expression)
        case .aggregate(let members): return .list(members)
        case .subquery(let collection, let variable, let predicate):
            return try subquery(collection, variable, predicate, node, expression)
        case .conditional(let predicate, let first, let second):
            return .value(try conditional(predicate, first, second, node, expression))
        case .function(let function, let arguments):
            if expression.isFixed { return .constant(try Self.constant(expression)) }
            return .value(try self.function(function, arguments, node, expression))
        case .method, .computedKeyPath:
            if expression.isFixed { return .constant(try Self.constant(expression)) }
            throw UnsupportedPredicate(
                expression.description, "a method of an object runs in memory only")
        case .set:
            if expression.isFixed { return .constant(try Self.constant(expression)) }
            throw UnsupportedPredicate(
                expression.description, "sets are joined in memory only; join them before the fetch")
        case .block:
            throw UnsupportedPredicate(
                "BLOCK", "a block runs in memory only; fetch without it and filter the result")
        case .fetch:
            throw UnsupportedPredicate(
                expression.description, "it is not executed here; fetch first, and bind the result")
        case .anyKey:
            throw UnsupportedPredicate("ANYKEY", "it has no meaning in a fetch")
        }
    }

    func variable(_ name: String) throws -> Node {
        if let known = variables.last(where: { $0.name == name }) { return known.node }
        throw UnsupportedPredicate(
            "$\(name)", "the variable has no value; call withSubstitutionVariables(_:) before the fetch")
    }

    /// `$x.name`, `SUBQUERY(…).@count`, `SELF.name`.
    private func keyPath(
        _ path: String, of operand: NSExpression, _ node: Node, _ expression: NSExpression
    ) throws -> Operand {
        switch operand.node {
        case .evaluatedObject: return try resolve(path, from: node)
        case .variable(let name):
            return try resolve(path, from: variable(name))
        case .subquery, .keyPath:
            if path.hasPrefix("@") {
                let collection = try argument(node) { try self.operand(operand, $0) }
                guard case .collection = collection else { break }
                return .value(try aggregate(path.split(separator: ".").map(String.init)[...], path, of: collection))
            }
            guard case .collection(let query, _, let member) = try self.operand(operand, node),
                case .value(let element) = try resolve(path, from: member)
            else { break }
            return .collection(query, element: element, node: member)
        case .function(.cast, _):
            if let row = try row(operand, node) { return try resolve(path, from: row) }
        default: break
        }
        if expression.isFixed { return .constant(try Self.constant(expression)) }
        throw UnsupportedPredicate(
            expression.description, "SQL can follow a key path from the object, a variable or a SUBQUERY only")
    }

    private func subquery(
        _ collection: NSExpression, _ variable: String, _ predicate: NSPredicate, _ node: Node,
        _ expression: NSExpression
    ) throws -> Operand {
        guard case .collection(let query, let element, let member) = try operand(collection, node)
        else {
            throw UnsupportedPredicate(
                expression.description, "SUBQUERY needs a to-many relationship as its first argument")
        }
        variables.append((variable, member))
        defer { variables.removeLast() }
        let condition = try nested(8, predicate) { try self.condition(predicate, node) }
        query.conditions.append("(\(condition))")
        return .collection(query, element: element, node: member)
    }

    private func conditional(
        _ predicate: NSPredicate, _ first: NSExpression, _ second: NSExpression, _ node: Node,
        _ expression: NSExpression
    ) throws -> SQLExpression {
        let test = try condition(predicate, node)
        let (left, right) = try pair(
            try operand(first, node), try operand(second, node), expression.description)
        guard let left, let right else {
            throw UnsupportedPredicate(
                expression.description, "both results of TERNARY must be of one type")
        }
        let isDecimal = (left.type == .decimal) != (right.type == .decimal) && left.type != .any && right.type != .any
        let (first, second) =
            isDecimal ? (left.converted(to: .decimal), right.converted(to: .decimal)) : (left, right)
        let type = first.type == .any || first.type.isNumber && second.mayBeNaN ? second.type : first.type
        return SQLExpression(
            "CASE WHEN \(test) THEN \(first.sql) ELSE \(second.sql) END", type,
            isColumn: first.mayBeNaN || second.mayBeNaN)
    }

    /// The value of a constant expression. Throws where it has none: a fetch fails then.
    static func constant(_ expression: NSExpression) throws -> Any? {
        if case .constant(let value) = expression.node { return value }
        do {
            return try expression.value(for: nil)
        } catch {
            throw UnsupportedPredicate(expression.description, "it cannot be evaluated: \(error)")
        }
    }

    /// Both sides as SQL, a constant in the form of the other side. Nil for a constant that the other side can never
    /// equal.
    func pair(
        _ left: Operand, _ right: Operand, _ part: @autoclosure () -> String
    ) throws -> (SQLExpression?, SQLExpression?) {
        try left.refuseArchive(part())
        try right.refuseArchive(part())
        switch (left, right) {
        case (.value(let left), .value(let right)): return (left, right)
        case (.value(let left), .constant(let right)):
            return (left, try bound(right, as: left.type))
        case (.constant(let left), .value(let right)):
            return (try bound(left, as: right.type), right)
        case (.constant(let left), .constant(let right)):
            return (try bound(left, as: .any), try bound(right, as: .any))
        case (.collection, _), (_, .collection):
            throw UnsupportedPredicate(
                part(), "a to-many key is not allowed here; write ANY, ALL or a collection operator")
        case (.list, _), (_, .list):
            throw UnsupportedPredicate(part(), "a list is allowed only with IN, CONTAINS and BETWEEN")
        }
    }

    /// A constant as a parameter; nil if a value of `type` can never equal it.
    func bound(_ value: Any?, as type: SQLType) throws -> SQLExpression? {
        let constant = ConstantValue(value)
        if case .other = constant, let value {
            throw UnsupportedPredicate(
                "\(value)",
                "a store cannot compare a \(Swift.type(of: value)); give it a number, a text, a date, data, "
                    + "a UUID, a URL or an object")
        }
        if type == .entity {
            guard case .entity(let entity) = constant, let known = catalog.entity(equalTo: entity) else { return nil }
            return SQLExpression(bind(.integer(Int64(catalog.number(of: known).rawValue))), .entity)
        }
        guard let stored = constant.stored(as: type, in: store) else { return nil }
        boundTypes.append(type)
        return SQLExpression(bind(stored), type == .any ? constant.type : type)
    }
}

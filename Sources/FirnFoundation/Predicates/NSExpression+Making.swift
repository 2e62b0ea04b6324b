import Foundation

extension NSExpression {
    /// A constant: `nil`, a string, a number, a date, a collection, an object. An optional within `Any` is its value,
    /// or `NSNull` where it has none.
    public convenience init(forConstantValue obj: Any?) {
        self.init(node: .constant(obj.map { valueWithoutOptionals($0) ?? NSNull() }))
    }

    /// The object that the predicate is evaluated with: `SELF`.
    public class func expressionForEvaluatedObject() -> NSExpression {
        NSExpression(node: .evaluatedObject)
    }

    /// A variable, named without its `$`.
    public convenience init(forVariable string: String) { self.init(node: .variable(string)) }

    /// The value at a key path of the evaluated object, or of a variable: `$pet.name`.
    public convenience init(forKeyPath keyPath: String) {
        let parts = keyPath.split(separator: ".", maxSplits: 1).map(String.init)
        if keyPath.first == "$", parts.count == 2, parts[0].count > 1 {
            let variable = NSExpression(forVariable: String(parts[0].dropFirst()))
            self.init(node: .keyPath(KeyPathComponents(parts[1]), operand: variable))
        } else {
            self.init(node: .keyPath(KeyPathComponents(keyPath), operand: nil))
        }
    }

    /// The value at a Swift key path. Traps where a computed property in it has no name; see `KeyPathNaming`.
    public convenience init<Root, Value>(forKeyPath keyPath: KeyPath<Root, Value>) {
        guard let name = keyValueCodingKeyPath(for: keyPath) else {
            misuse("\(keyPath) has no key path of key-value coding; write it as a string")
        }
        self.init(forKeyPath: name)
    }

    /// A function by its selector's name: `sum:`, `add:to:`, `uppercase:` …
    ///
    /// Arguments that are not expressions become constants. Traps where there is no such function.
    public convenience init(forFunction name: String, arguments parameters: [Any]) {
        guard let function = PredicateFunction(rawValue: name) else {
            fatalError(
                "there is no function \(name); for a method use init(forFunction:selectorName:arguments:)")
        }
        guard function.argumentCount.contains(parameters.count) else {
            fatalError("\(name) does not take \(parameters.count) arguments")
        }
        self.init(node: .function(function, parameters.map(Self.expression(of:))))
    }

    /// A method of the target's value: `FUNCTION(target, "name", …)`.
    public convenience init(
        forFunction target: NSExpression, selectorName name: String, arguments parameters: [Any]?
    ) {
        let arguments = (parameters ?? []).map(Self.expression(of:))
        self.init(node: .method(name, operand: target, arguments))
    }

    /// A collection of the expressions' values: `{1, 2, $x}`. What is not an expression is a constant.
    public convenience init(forAggregate subexpressions: [Any]) {
        self.init(node: .aggregate(subexpressions.map(Self.expression(of:))))
    }

    /// The members of either collection.
    public convenience init(forUnionSet left: NSExpression, with right: NSExpression) {
        self.init(node: .set(.union, left, right))
    }

    /// The members of both collections.
    public convenience init(forIntersectSet left: NSExpression, with right: NSExpression) {
        self.init(node: .set(.intersect, left, right))
    }

    /// The members of the left collection that are not in the right one.
    public convenience init(forMinusSet left: NSExpression, with right: NSExpression) {
        self.init(node: .set(.minus, left, right))
    }

    /// The members of a collection for which the predicate holds, where `$variable` is the member:
    /// `SUBQUERY(children, $child, $child.age > 3)`.
    public convenience init(
        forSubquery expression: NSExpression, usingIteratorVariable variable: String,
        predicate: Any
    ) {
        guard let predicate = predicate as? NSPredicate else {
            fatalError("a subquery takes an NSPredicate, not a \(type(of: predicate))")
        }
        self.init(node: .subquery(expression, variable: variable, predicate: predicate))
    }

    /// Any key of the object, for Spotlight queries.
    public class func expressionForAnyKey() -> NSExpression { NSExpression(node: .anyKey) }

    /// The result of a closure for the object, the arguments' values and the variables.
    public convenience init(block: @escaping Block, arguments: [NSExpression]?) {
        self.init(node: .block(block, arguments: arguments ?? []))
    }

    /// One of two expressions: `TERNARY(predicate, trueExpression, falseExpression)`.
    public convenience init(
        forConditional predicate: NSPredicate, trueExpression: NSExpression,
        falseExpression: NSExpression
    ) {
        self.init(node: .conditional(predicate, trueExpression, falseExpression))
    }

    package static func expression(of value: Any) -> NSExpression {
        value as? NSExpression ?? NSExpression(forConstantValue: value)
    }
}

public import Foundation

extension PredicateExpressions {
    /// Whether another predicate holds for a value.
    ///
    /// Foundation lacks this node on Linux, and its `#Predicate` refuses `other.evaluate($0)` there. It accepts
    /// `other.contains($0)`, which becomes this node with `import SwiftData`.
    /// https://developer.apple.com/documentation/foundation/predicateexpressions/predicateevaluate
    public struct PredicateEvaluate<Condition: PredicateExpression, Input: PredicateExpression>: PredicateExpression
    where Condition.Output == Predicate<Input.Output> {
        public typealias Output = Bool

        /// The other predicate.
        public let predicate: Condition
        /// The value that the predicate is asked of.
        public let input: Input

        /// Whether `predicate` holds for `input`.
        public init(predicate: Condition, input: Input) { (self.predicate, self.input) = (predicate, input) }

        public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
            try predicate.evaluate(bindings).evaluate(input.evaluate(bindings))
        }
    }

    /// A constant that cannot be encoded: on Linux, a predicate or an expression within another one.
    public struct UncodedValue<Output: Sendable>: StandardPredicateExpression {
        /// The constant.
        public let value: Output

        /// A constant of this value.
        public init(_ value: Output) { self.value = value }

        /// Throws `DecodingError`: predicates are not encoded on Linux.
        public init(from decoder: any Decoder) throws {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "a \(Output.self) cannot be decoded on Linux"))
        }

        /// Throws `EncodingError`: predicates are not encoded on Linux.
        public func encode(to encoder: any Encoder) throws {
            throw EncodingError.invalidValue(
                value,
                .init(codingPath: encoder.codingPath, debugDescription: "a \(Output.self) cannot be encoded on Linux"))
        }

        public func evaluate(_ bindings: PredicateBindings) -> Output { value }
    }
}

extension PredicateExpressions.UncodedValue: ConstantNode {
    func value(in conversion: PredicateConversion) -> Output? { value }
}

extension PredicateExpressions.PredicateEvaluate: Sendable where Condition: Sendable, Input: Sendable {}
extension PredicateExpressions.PredicateEvaluate: Codable where Condition: Codable, Input: Codable {}
extension PredicateExpressions.PredicateEvaluate: StandardPredicateExpression
where Condition: StandardPredicateExpression, Input: StandardPredicateExpression {}

extension PredicateExpressions.PredicateEvaluate: ConvertiblePredicateNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        guard let constant = (predicate as? any ConstantNode)?.value(in: conversion) as? Predicate<Input.Output> else {
            throw PredicateConversionError("A predicate that is evaluated must be a constant of the predicate.")
        }
        conversion.bind(constant.variable.key, to: try conversion.expression(input))
        return .predicate(try conversion.predicate(constant.expression))
    }
}

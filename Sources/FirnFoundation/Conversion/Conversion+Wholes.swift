import Foundation

extension PredicateConversion {
    /// The condition that two structures are equal that have a column for each part; nil for values of another type.
    mutating func wholes(_ left: Any, equal right: Any, of type: Any.Type) throws -> NSPredicate? {
        guard let parts = PredicateFront.parts(of: type) else { return nil }
        let sides = [try expression(left), try expression(right)]
        let values = sides.map { side -> [String: Any]? in
            guard case .constant(let value) = side.node else { return nil }
            guard let value, !(value is NSNull) else { return [:] }
            return PredicateFront.parts(of: value)
        }
        func part(_ name: String, _ side: Int) -> NSExpression {
            if let values = values[side] { return NSExpression(forConstantValue: values[name]) }
            return sides[side].member(name)
        }
        return NSCompoundPredicate(
            andPredicateWithSubpredicates: parts.map { part($0, 0).compared(.equalTo, part($0, 1)) })
    }
}

import Foundation

extension NSExpression {
    /// The node of `CAST(value, type)`. If both are constants and the language has no literal for the result, it is the
    /// resulting constant. So a date that `predicateFormat` printed parses back to that date.
    static func castNode(_ value: NSExpression, _ type: NSExpression) -> Node {
        guard case .constant(let name as String) = type.node,
            ["NSDate", "NSDecimalNumber", "NSUUID", "NSURL", "NSData", "NSSet"].contains(name),
            let literal = value.literal,
            let result = try? Casting.cast(literal, to: name)
        else { return .function(.cast, [value, type]) }
        return .constant(result)
    }

    /// The value of a constant or of an aggregate of such; nil for what must be evaluated.
    private var literal: Any? {
        switch node {
        case .constant(let value): return value
        case .aggregate(let members):
            let values = members.compactMap(\.literal)
            return values.count == members.count ? values : nil
        default: return nil
        }
    }
}

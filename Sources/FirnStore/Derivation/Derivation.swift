import class FirnFoundation.NSExpression
import FirnFoundation
import FirnModel

/// How one derived attribute gets its value: an expression, and the key paths that stand in it.
///
///     author.name                 a key path alone
///     canonical:(name), now()     functions, of key paths or of nothing
struct Derivation {
    let slot: Int
    private let expression: NSExpression
    /// By their text. What has no path here has no value.
    let paths: [String: DerivationPath]

    /// Nil for an expression that is not there.
    init?(_ slot: Slot, of layout: EntityLayout) {
        guard let property = slot.property as? NSDerivedAttributeDescription,
            let expression = property.derivationExpression
        else { return nil }
        self.slot = slot.index
        self.expression = expression
        var paths: [String: DerivationPath] = [:]
        for text in Self.keyPaths(of: expression) { paths[text] = DerivationPath(text, of: layout) }
        self.paths = paths
    }

    /// Functions of a key path alone, as models that Xcode compiled have them for `@count` and its like.
    private static let aggregates: [String: DerivationPath.Operator] = [
        "count:": .count, "sum:": .sum, "min:": .min, "max:": .max, "average:": .avg,
    ]

    /// The path that an expression is; nil for one that is more than a path.
    private static func path(of expression: NSExpression) -> String? {
        switch expression.expressionType {
        case .keyPath: return expression.keyPath
        case .function:
            guard let function = aggregates[expression.function], let arguments = expression.arguments,
                arguments.count == 1, let path = path(of: arguments[0]), !path.contains("@")
            else { return nil }
            return "\(path).@\(function.rawValue)"
        default: return nil
        }
    }

    private static func keyPaths(of expression: NSExpression) -> [String] {
        if let path = path(of: expression) { return [path] }
        return expression.expressionType == .function ? (expression.arguments ?? []).flatMap(keyPaths) : []
    }

    /// The attribute's value, where `value` gives those of the paths.
    func value(_ value: (DerivationPath) throws -> Any?) throws -> Any? {
        if let path = Self.path(of: expression) { return try paths[path].flatMap(value) }
        return try Self.filled(expression) { try paths[$0].flatMap(value) }.expressionValue(with: nil, context: nil)
    }

    /// The expression with constants in place of its paths.
    private static func filled(_ expression: NSExpression, _ value: (String) throws -> Any?) throws -> NSExpression {
        if let path = path(of: expression) { return NSExpression(forConstantValue: try value(path)) }
        // A method of an object is a function by its type, too: there is no object here.
        guard expression.expressionType == .function, expression.operand.expressionType == .constantValue
        else { return expression }
        return NSExpression(
            forFunction: expression.function, arguments: try (expression.arguments ?? []).map { try filled($0, value) })
    }
}

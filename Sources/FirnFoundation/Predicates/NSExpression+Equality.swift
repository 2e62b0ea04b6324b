import Foundation

extension NSExpression.Node: Equatable {
    package static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.constant(let a), .constant(let b)): constantsAreEqual(a, b)
        case (.evaluatedObject, .evaluatedObject), (.anyKey, .anyKey): true
        case (.variable(let a), .variable(let b)): a == b
        case (.keyPath(let a, let operandA), .keyPath(let b, let operandB)):
            a == b && operandA == operandB
        case (.function(let a, let argumentsA), .function(let b, let argumentsB)):
            a == b && argumentsA == argumentsB
        case (.method(let a, let operandA, let a1), .method(let b, let operandB, let b1)):
            a == b && operandA == operandB && a1 == b1
        case (.computedKeyPath(let a, let operandA), .computedKeyPath(let b, let operandB)):
            a == b && operandA == operandB
        case (.set(let a, let a1, let a2), .set(let b, let b1, let b2)):
            a == b && a1 == b1 && a2 == b2
        case (.subquery(let a, let a1, let a2), .subquery(let b, let b1, let b2)):
            a == b && a1 == b1 && a2 == b2
        case (.aggregate(let a), .aggregate(let b)): a == b
        case (.aggregate(let a), .constant(let b as [Any])),
            (.constant(let b as [Any]), .aggregate(let a)):
            a.count == b.count && zip(a, b).allSatisfy { $0 == NSExpression(forConstantValue: $1) }
        case (.conditional(let a, let a1, let a2), .conditional(let b, let b1, let b2)):
            a == b && a1 == b1 && a2 == b2
        case (.fetch(let a, let a1, let a2), .fetch(let b, let b1, let b2)):
            a == b && a1 == b1 && a2 == b2
        default: false
        }
    }
}

extension NSExpression.Node: Hashable {
    /// All constants have the same hash, because equal constants may be of types that hash differently. An aggregate of
    /// constants equals the array of them, since both print alike.
    package func hash(into hasher: inout Hasher) {
        switch self {
        case .constant, .aggregate: hasher.combine(0)
        case .evaluatedObject: hasher.combine(1)
        case .variable(let name): hasher.combine(name)
        case .keyPath(let path, let operand):
            hasher.combine(path)
            hasher.combine(operand)
        case .function(let function, let arguments):
            hasher.combine(function)
            hasher.combine(arguments)
        case .method(let name, let operand, let arguments):
            hasher.combine(name)
            hasher.combine(operand)
            hasher.combine(arguments)
        case .computedKeyPath(let path, let operand):
            hasher.combine(path)
            hasher.combine(operand)
        case .set(let operation, let left, let right):
            hasher.combine(operation)
            hasher.combine(left)
            hasher.combine(right)
        case .subquery(let collection, let variable, let predicate):
            hasher.combine(collection)
            hasher.combine(variable)
            hasher.combine(predicate)
        case .anyKey: hasher.combine(15)
        case .block: hasher.combine(19)
        case .conditional(let predicate, let first, let second):
            hasher.combine(predicate)
            hasher.combine(first)
            hasher.combine(second)
        case .fetch(let request, let context, let countsOnly):
            hasher.combine(request)
            hasher.combine(context)
            hasher.combine(countsOnly)
        }
    }
}

/// Whether two constants are the same value: by `isEqual`, with nil and `NSNull` alike.
private func constantsAreEqual(_ left: Any?, _ right: Any?) -> Bool {
    let left = left is NSNull ? nil : left
    let right = right is NSNull ? nil : right
    switch (left, right) {
    case (nil, nil): return true
    case (let left?, let right?):
        if let left = left as? [Any], let right = right as? [Any] {
            return left.count == right.count && zip(left, right).allSatisfy(constantsAreEqual)
        }
        let leftObject = left as AnyObject
        let rightObject = right as AnyObject
        if leftObject === rightObject { return true }
        return (leftObject as? NSObject)?.isEqual(rightObject) ?? false
    default: return false
    }
}

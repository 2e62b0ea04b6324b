import Foundation

extension NSExpression.Node: Hashable {
    package static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.constant(let a), .constant(let b)): constantsAreEqual(a, b)
        case (.aggregate(let a), .constant(let b as [Any])), (.constant(let b as [Any]), .aggregate(let a)):
            a.count == b.count && zip(a, b).allSatisfy { $0 == NSExpression(forConstantValue: $1) }
        case (.aggregate, .constant), (.constant, .aggregate), (.block, .block): false
        default:
            left.head == right.head && left.children == right.children && left.predicate == right.predicate
        }
    }

    /// All constants have the same hash, because equal constants may be of types that hash differently. An aggregate of
    /// constants equals the array of them, since both print alike.
    package func hash(into hasher: inout Hasher) {
        let head = head
        hasher.combine(head.kind)
        if head.kind == 0 { return }
        hasher.combine(head.name)
        hasher.combine(children)
        hasher.combine(predicate)
    }

    /// The kind of the node and its own name, without the expressions and predicates below it.
    private var head: (kind: Int, name: String) {
        switch self {
        case .constant, .aggregate: (0, "")
        case .evaluatedObject: (1, "")
        case .variable(let name): (2, name)
        case .keyPath(let path, _): (3, path.string)
        case .function(let function, _): (4, function.rawValue)
        case .method(let name, _, _): (5, name)
        case .computedKeyPath: (6, "")
        case .set(let operation, _, _): (7, operation.rawValue)
        case .subquery(_, let variable, _): (8, variable)
        case .anyKey: (9, "")
        case .block: (10, "")
        case .conditional: (11, "")
        case .fetch(_, _, let countsOnly): (12, countsOnly ? "count" : "")
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

/// A parsed key path of key-value coding, so that evaluation does not parse it each time.
///
/// `"department.employees.@sum.salary"` is key, key, operator, key.
package struct KeyPathComponents: Hashable, Sendable {
    package enum Component: Hashable, Sendable {
        case key(String)
        case collectionOperator(CollectionOperator)
        /// `self` or `SELF`: the object at hand.
        case itself
    }

    /// The path as written.
    package let string: String
    package let components: [Component]

    package init(_ string: String) {
        self.string = string
        components = string.split(separator: ".", omittingEmptySubsequences: true).map { part in
            if part.first == "@", let known = CollectionOperator(rawValue: String(part.dropFirst()))
            {
                return .collectionOperator(known)
            }
            return part == "self" || part == "SELF" ? .itself : .key(String(part))
        }
    }

    /// The path of one key, with whatever dots are in it.
    package init(key: String) { (string, components) = (key, [.key(key)]) }

    /// The key if the path is one key.
    package var singleKey: String? {
        if components.count == 1, case .key(let key) = components[0] { return key }
        return nil
    }
}

/// The collection operators of key paths.
///
/// https://developer.apple.com/library/archive/documentation/Cocoa/Conceptual/KeyValueCoding/CollectionOperators.html
package enum CollectionOperator: String, Hashable, Sendable, CaseIterable {
    case count
    case sum
    case average = "avg"
    case minimum = "min"
    case maximum = "max"
    case unionOfObjects
    case distinctUnionOfObjects
    case unionOfArrays
    case distinctUnionOfArrays
    case unionOfSets
    case distinctUnionOfSets
}

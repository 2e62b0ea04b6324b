package import Foundation

/// The one place that compares two values of unknown types, as Foundation compares objects.
///
/// Numbers of all types compare by their numeric value, booleans as 0 and 1. Strings compare by their units,
/// collections by their members. Nil and `NSNull` are equal. Values of different kinds are never equal and have no
/// order.
package enum ValueComparison {
    /// Whether the values are equal (`==`, membership).
    package static func equal(_ a: Any?, _ b: Any?) -> Bool {
        plainEqual(PlainValue(a), PlainValue(b))
    }

    /// Whether values are equal whose kinds are known already, as those of a predicate's constants.
    static func plainEqual(_ a: PlainValue, _ b: PlainValue) -> Bool {
        switch (a, b) {
        case (.null, .null): true
        case (.string(let a), .string(let b)): StringComparison.equal(a, b)
        case (.number(let a), .number(let b)): a.compare(b) == .orderedSame
        case (.date(let a), .date(let b)): a == b
        case (.data(let a), .data(let b)): a == b
        case (.uuid(let a), .uuid(let b)): a == b
        case (.url(let a), .url(let b)): a == b
        case (.array(let a), .array(let b)): membersEqual(a, b)
        case (.orderedSet(let a), .orderedSet(let b)): membersEqual(a.map { $0 }, b.map { $0 })
        case (.set(let a), .set(let b)): setsEqual(a, b)
        case (.dictionary(let a), .dictionary(let b)): dictionariesEqual(a, b)
        case (.object(let a), .object(let b)): objectsEqual(a, b)
        case (.other(let a), .other(let b)): swiftValuesEqual(a, b)
        default: false
        }
    }

    /// The order of the values, nil where there is none: either is nil, they are of different
    /// kinds, or of a kind without an order. Data and UUIDs are ordered by their bytes.
    package static func compare(_ a: Any?, _ b: Any?) -> ComparisonResult? {
        plainCompare(PlainValue(a), PlainValue(b))
    }

    /// The order of values whose kinds are known already.
    static func plainCompare(_ a: PlainValue, _ b: PlainValue) -> ComparisonResult? {
        switch (a, b) {
        case (.string(let a), .string(let b)): StringComparison.compare(a, b)
        case (.number(let a), .number(let b)): a.compare(b)
        case (.date(let a), .date(let b)): order(a, b)
        case (.data(let a), .data(let b)): orderOfBytes(a, b)
        case (.uuid(let a), .uuid(let b)): orderOfBytes(a.bytes, b.bytes)
        case (.url(let a), .url(let b)):
            StringComparison.compare(a.absoluteString, b.absoluteString)
        case (.object(let a), .object(let b)): orderOfObjects(a, b)
        case (.other(let a), .other(let b)): orderOfComparables(a, b)
        default: nil
        }
    }

    /// Whether the value is nil, `NSNull` or an optional that holds nothing.
    package static func isNull(_ value: Any?) -> Bool {
        if case .null = PlainValue(value) { return true }
        return false
    }

    private static func membersEqual(_ a: [Any], _ b: [Any]) -> Bool {
        a.count == b.count && zip(a, b).allSatisfy { equal($0, $1) }
    }

    private static func setsEqual(_ a: [Any], _ b: [Any]) -> Bool {
        a.count == b.count && Set(a.map(MemberKey.init)) == Set(b.map(MemberKey.init))
    }

    private static func dictionariesEqual(_ a: NSDictionary, _ b: NSDictionary) -> Bool {
        a.count == b.count
            && a.allSatisfy { key, value in b.object(forKey: key).map { equal(value, $0) } ?? false
            }
    }

    private static func objectsEqual(_ a: AnyObject, _ b: AnyObject) -> Bool {
        if a === b { return true }
        let left = (a as? any IdentityProviding)?.comparisonIdentity ?? a
        let right = (b as? any IdentityProviding)?.comparisonIdentity ?? b
        if left === right { return true }
        if let left = left as? NSObject { return left.isEqual(right) }
        return swiftValuesEqual(left, right)
    }

    private static func swiftValuesEqual(_ a: Any, _ b: Any) -> Bool {
        guard let a = a as? any Equatable else { return false }
        return isEqual(a, b)
    }

    private static func isEqual<Value: Equatable>(_ a: Value, _ b: Any) -> Bool {
        (b as? Value) == a
    }

    private static func orderOfObjects(_ a: AnyObject, _ b: AnyObject) -> ComparisonResult? {
        if let a = a as? any PartiallyOrdered { return a.order(to: b) }
        return orderOfComparables(a, b)
    }

    private static func orderOfComparables(_ a: Any, _ b: Any) -> ComparisonResult? {
        guard let a = a as? any Comparable else { return nil }
        return orderOfComparable(a, b)
    }

    private static func orderOfComparable<Value: Comparable>(_ a: Value, _ b: Any)
        -> ComparisonResult?
    {
        (b as? Value).map { order(a, $0) }
    }

    private static func orderOfBytes(_ a: Data, _ b: Data) -> ComparisonResult {
        if a.lexicographicallyPrecedes(b) { return .orderedAscending }
        return a == b ? .orderedSame : .orderedDescending
    }
}

extension UUID {
    fileprivate var bytes: Data { withUnsafeBytes(of: uuid) { Data($0) } }
}

/// An object that has an order among some of its kind.
package protocol PartiallyOrdered: AnyObject {
    /// The order of two objects; nil where there is none.
    func order(to other: AnyObject) -> ComparisonResult?
}

/// An object that equals every object with the same identity. A managed object equals its object ID in `SELF == %@`, in
/// `IN` and in a set.
package protocol IdentityProviding: AnyObject {
    /// The object that is compared instead of this one. An identity's identity is itself.
    var comparisonIdentity: AnyObject { get }
}

/// An identity that a store sorts by.
package protocol KeyedIdentity: AnyObject {
    /// The key in the store; that of an unsaved object is after all of them, the older one first.
    var orderKey: Int64 { get }
}

/// A range of Swift's as the right side of `BETWEEN` and of `IN`.
protocol ValueRange {
    func includes(_ value: Any?) -> Bool
}

extension Range: ValueRange {
    func includes(_ value: Any?) -> Bool {
        let lower = ValueComparison.compare(lowerBound, value)
        return (lower == .orderedAscending || lower == .orderedSame)
            && ValueComparison.compare(value, upperBound) == .orderedAscending
    }
}

extension ClosedRange: ValueRange {
    func includes(_ value: Any?) -> Bool {
        let lower = ValueComparison.compare(lowerBound, value)
        let upper = ValueComparison.compare(value, upperBound)
        return (lower == .orderedAscending || lower == .orderedSame)
            && (upper == .orderedAscending || upper == .orderedSame)
    }
}

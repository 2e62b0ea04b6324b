import Foundation

/// A set of values of unknown types. It is an `NSSet`, as in Apple's key-value coding and set operators, if all members
/// can be hashed. Else it is an array without duplicates.
///
/// Linux's `NSDecimalNumber` never returns from `hash` (Swift 6.3.1 overflows the stack), and a decimal becomes one in
/// an `NSSet`. So an `NSSet` is made only of kinds that hash safely.
package func uniqueMembers(of values: [Any]) -> Any {
    if values.allSatisfy(isSafelyHashed) { return NSSet(array: values) }
    return distinctMembers(values)
}

/// The values in order without repetition: an `NSOrderedSet` where they can be hashed, else an array.
func orderedUniqueMembers(of values: [Any]) -> Any {
    let distinct = distinctMembers(values)
    return distinct.allSatisfy(isSafelyHashed) ? NSOrderedSet(array: distinct) : distinct
}

/// Whether the value may be a member of a set, and a key of a dictionary: see `uniqueMembers(of:)`.
func isSafelyHashed(_ value: Any) -> Bool {
    switch PlainValue(value) {
    case .null, .string, .number(.integer), .number(.double), .date, .uuid, .object: true
    default: false
    }
}

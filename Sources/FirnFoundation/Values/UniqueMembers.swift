import Foundation

/// A set of values that come from anywhere: an `NSSet`, as Apple's key-value coding and set
/// operators answer, where its members can be hashed, else an array without duplicates.
///
/// Linux's `NSDecimalNumber` never returns from `hash` (Swift 6.3.1 overflows the stack), and a
/// decimal becomes one in an `NSSet`. So a set is made of kinds only whose hashing is known to be
/// sound.
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

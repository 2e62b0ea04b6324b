import Foundation

/// The members of a collection by their values, so that `IN` with many members is a look-up and not a search.
///
/// Equality is that of `ValueComparison`. Members of kinds that do not hash as they compare (fractions, collections)
/// make the index undecided about every value that it does not find.
///
/// Unchecked for its objects alone: as with Apple's predicates, nobody may change a member of a constant.
struct MembershipIndex: @unchecked Sendable {
    private var strings: Set<UnitString> = []
    private var integers: Set<Int64> = []
    private var dates: Set<Date> = []
    private var uuids: Set<UUID> = []
    private var objects: Set<NSObject> = []
    private var holdsNull = false
    private var isComplete = true

    init(_ members: [Any]) {
        for member in members {
            switch PlainValue(member) {
            case .null: holdsNull = true
            case .string(let text): strings.insert(UnitString(text: text))
            case .number(.integer(let value)): integers.insert(value)
            case .date(let date): dates.insert(date)
            case .uuid(let uuid): uuids.insert(uuid)
            case .object(let object):
                if let identity = Self.identity(of: object) {
                    objects.insert(identity)
                } else {
                    isComplete = false
                }
            default: isComplete = false
            }
        }
    }

    /// Whether the value is a member; nil where the index cannot decide.
    func contains(_ value: PlainValue) -> Bool? {
        let isFound: Bool
        switch value {
        case .null: isFound = holdsNull
        case .string(let text): isFound = strings.contains(UnitString(text: text))
        case .number(.integer(let number)): isFound = integers.contains(number)
        case .date(let date): isFound = dates.contains(date)
        case .uuid(let uuid): isFound = uuids.contains(uuid)
        case .object(let object):
            guard let identity = Self.identity(of: object) else { return nil }
            isFound = objects.contains(identity)
        default: return nil
        }
        return isFound || isComplete ? isFound : nil
    }

    /// Whether members of another kind than the value's may be equal to it where numbers and texts are converted.
    func mayConvert(to value: PlainValue) -> Bool {
        switch value {
        case .string: !integers.isEmpty || !dates.isEmpty || !isComplete
        case .number: !strings.isEmpty || !dates.isEmpty || !isComplete
        case .date: !strings.isEmpty || !integers.isEmpty || !isComplete
        default: !isComplete
        }
    }

    private static func identity(of object: AnyObject) -> NSObject? {
        ((object as? any IdentityProviding)?.comparisonIdentity ?? object) as? NSObject
    }
}

/// A string that is equal to those of the same units only, where Swift's are equal in every normal form.
private struct UnitString: Hashable {
    let text: String

    static func == (left: Self, right: Self) -> Bool { StringComparison.equal(left.text, right.text) }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

/// A value as the member of a set, equal as `ValueComparison` has it.
///
/// Foundation's own hashing cannot be used for all values: Linux's `NSDecimalNumber` never returns
/// from `hash`.
struct MemberKey: Hashable {
    let value: Any?
    private let plain: PlainValue

    init(_ value: Any?) {
        self.value = value
        plain = PlainValue(value)
    }

    static func == (a: MemberKey, b: MemberKey) -> Bool { ValueComparison.equal(a.value, b.value) }

    /// Equal values have equal hashes; kinds that are rarely members of sets share one.
    func hash(into hasher: inout Hasher) {
        switch plain {
        case .string(let text): hasher.combine(text)
        // Equal numbers of different types may differ in a double's last digits.
        case .number(let number): hasher.combine(Float(number.doubleValue))
        case .date(let date): hasher.combine(date)
        case .data(let data): hasher.combine(data)
        case .uuid(let id): hasher.combine(id)
        case .url(let url): hasher.combine(url)
        case .object(let object):
            let identity = (object as? any IdentityProviding)?.comparisonIdentity ?? object
            if let identity = identity as? NSObject { hasher.combine(identity.hash) }
        case .null, .array, .orderedSet, .set, .dictionary, .other: break
        }
    }
}

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
    case .null, .string, .number(.integer), .number(.double), .date, .uuid, .object, .data, .url: true
    case .array(let members), .set(let members): members.allSatisfy(isSafelyHashed)
    case .orderedSet(let members): members.allSatisfy(isSafelyHashed)
    default: false
    }
}

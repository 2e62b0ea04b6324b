import Foundation

/// The members of a collection by their values, so that `IN` with many members is a look-up and not a search.
///
/// Equality is that of `ValueComparison`. Members of kinds that do not hash as they compare (fractions, collections)
/// make the index undecided about every value that it does not find.
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

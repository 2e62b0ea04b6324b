import Foundation

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

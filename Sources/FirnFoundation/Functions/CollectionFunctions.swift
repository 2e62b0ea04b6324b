import Foundation

/// `UNION`, `INTERSECT`, `MINUS` of collections of any kind; the result is a set, see `uniqueMembers(of:)`.
enum SetFunctions {
    static func value(
        of operation: SetOperation, _ left: Any?, _ right: Any?
    ) throws -> Any {
        let members = try members(left, of: operation)
        let others = try self.members(right, of: operation)
        if operation == .union { return uniqueMembers(of: members + others) }
        let index = MembershipIndex(others)
        let wanted = operation == .intersect
        return uniqueMembers(
            of: members.filter { member in
                let isShared =
                    index.contains(PlainValue(member))
                    ?? others.contains { ValueComparison.equal($0, member) }
                return isShared == wanted
            })
    }

    private static func members(
        _ value: Any?, of operation: SetOperation
    ) throws -> [Any] {
        if ValueComparison.isNull(value) { return [] }
        guard let members = collectionMembers(of: value) else {
            throw ExpressionError(
                "\(operation.rawValue) needs collections, not \(LiteralText.describe(value))")
        }
        return members
    }
}

/// `x[i]`.
enum CollectionFunctions {
    /// The member of an ordered collection at an index, `FIRST` or `LAST`. For `SIZE` it is the count of members, for a
    /// dictionary the value of a key. An index past the end gives nil.
    static func member(of collection: Any?, at index: Any?) throws -> Any? {
        if ValueComparison.isNull(collection) { return nil }
        if let index = index as? IndexSymbol, index == .size {
            return collectionCount(of: collection)
        }
        switch PlainValue(collection) {
        case .array(let members): return try member(of: members, at: index)
        case .orderedSet(let set): return try member(of: set.map { $0 }, at: index)
        case .dictionary(let dictionary):
            guard let index else { break }
            if isSafelyHashed(index) { return dictionary.object(forKey: index) }
            return dictionary.first { ValueComparison.equal($0.key, index) }?.value
        case .set:
            throw ExpressionError("a set has no order, so no member at \(index ?? "nil")")
        default: break
        }
        throw ExpressionError(
            "\(LiteralText.describe(collection)) has no member at \(index ?? "nil")")
    }

    private static func member(of members: [Any], at index: Any?) throws -> Any? {
        switch index as? IndexSymbol {
        case .first: return members.first
        case .last: return members.last
        case .size: return members.count
        case nil: break
        }
        guard case .number(let number) = PlainValue(index),
            let place = Int(exactly: number.doubleValue)
        else { throw ExpressionError("an array has no member at \(index ?? "nil")") }
        return members.indices.contains(place) ? members[place] : nil
    }
}

/// Whether a collection or a range of Swift's contains a value. `isEqual` compares a member with the value.
///
/// - Throws: `ExpressionError` for a value that is neither a collection nor a range.
func containsMember(_ collection: Any?, _ value: Any?, where isEqual: (Any) -> Bool) throws -> Bool {
    if let members = collectionMembers(of: collection) { return members.contains(where: isEqual) }
    guard let range = collection as? any ValueRange else {
        throw ExpressionError("\(LiteralText.describe(collection)) is neither a collection nor a string")
    }
    return range.includes(value)
}

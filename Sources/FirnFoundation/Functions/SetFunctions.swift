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

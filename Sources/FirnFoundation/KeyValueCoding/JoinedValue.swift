import Foundation

/// The value at the end of a key path as a store has it, which joins the rows of all steps. A path through to-many
/// relationships has one value for each member of each owner, and where there is no owner there are no members.
func joinedValue(of object: Any?, at path: KeyPathComponents) throws -> Any? {
    var value = object
    var keys: [String] = []
    for (index, component) in path.components.enumerated() {
        switch component {
        case .itself: continue
        case .key(let key):
            keys.append(key)
            let joined = try value.flatMap { try rows(of: $0, key) }
            if joined == nil, let current = value { value = try keyValue(of: current, key) } else { value = joined }
            // Where all owners are nil, the model says whether the key is that of members or of a value.
            if joined?.allSatisfy({ $0 is NSNull }) ?? (value == nil && keys.count > 1),
                let root = object as? any RelationshipDescribing, root.isToMany(keys)
            {
                value = [Any]()
            }
        case .collectionOperator(let operation):
            let rest = path.components[(index + 1)...]
            value = try operation.apply(to: value ?? [Any](), rest, asStored: true)
            if operation != .count { return value }
        }
    }
    return value
}

/// An object whose model says which key paths lead to many objects.
package protocol RelationshipDescribing: AnyObject {
    /// Whether the last key is that of a to-many relationship.
    func isToMany(_ keys: [String]) -> Bool
}

/// The values, or their members, for a key of the members of a collection; nil if `value` is none. A dictionary is an
/// object here.
private func rows(of value: Any, _ key: String) throws -> [Any]? {
    guard let members = listMembers(of: value) else { return nil }
    let values = try members.map { try keyValue(of: $0, key) ?? NSNull() }
    let lists = values.map(listMembers)
    // The key is a to-many one if it is that of any member.
    return lists.contains { $0 != nil } ? lists.flatMap { $0 ?? [] } : values
}

private func listMembers(of value: Any) -> [Any]? {
    if Swift.type(of: value) is AnyClass { return value is NSDictionary ? nil : collectionMembers(of: value) }
    return value is [AnyHashable: Any] ? nil : collectionMembers(of: value)
}

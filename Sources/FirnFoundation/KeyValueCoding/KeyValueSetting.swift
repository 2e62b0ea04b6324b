import Foundation

/// Sets the property at the end of a key path.
///
/// `keyValueCodingValue` reads the path before the last key. The object there must be `KeyValueCoding`, a mutable
/// dictionary, or a collection of such. Traps otherwise, as Apple raises. Nothing happens when the path leads to nil.
package func setKeyValueCodingValue(
    _ value: Any?, of object: Any?, forKeyPath path: KeyPathComponents
) {
    guard let last = path.components.last, case .key(let key) = last else {
        misuse("the key path \"\(path.string)\" names no property that could be set")
    }
    let owner: Any?
    do {
        owner = try keyValue(of: object, at: path.components.dropLast())
    } catch {
        misuse("key path \"\(path.string)\": \(error)")
    }
    if let owner { setKeyValue(value, of: owner, key) }
}

private func setKeyValue(_ value: Any?, of owner: Any, _ key: String) {
    switch owner {
    case let object as any KeyValueCoding: object.setValue(value, forKey: key)
    case is NSNull: break
    case let dictionary as NSMutableDictionary:
        // Apple's dictionaries take nil for "remove the entry".
        if let value {
            dictionary.setObject(value, forKey: key as NSString)
        } else {
            dictionary.removeObject(forKey: key)
        }
    case let members as NSArray: members.forEach { setKeyValue(value, of: $0, key) }
    case let members as NSSet: members.forEach { setKeyValue(value, of: $0, key) }
    case let members as NSOrderedSet: members.forEach { setKeyValue(value, of: $0, key) }
    case let members as [Any]: members.forEach { setKeyValue(value, of: $0, key) }
    case let members as Set<AnyHashable>:
        members.forEach { setKeyValue(value, of: $0.base, key) }
    default: misuse(UndefinedKey(type: Swift.type(of: owner), key: key).description)
    }
}

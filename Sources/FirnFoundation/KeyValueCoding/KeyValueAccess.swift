import Foundation

/// The value at the end of a key path, for any object: see `keyValue(of:at:)`.
///
/// Traps on a key that an object does not have, as Apple raises. With `joinsRows` it is `joinedValue(of:at:)`.
package func keyValueCodingValue(
    of object: Any?, forKeyPath path: KeyPathComponents, joinsRows: Bool = false
) -> Any? {
    do {
        return try joinsRows ? joinedValue(of: object, at: path) : keyValue(of: object, at: path)
    } catch {
        misuse("key path \"\(path.string)\": \(error)")
    }
}

/// The value at a path that is not parsed yet.
package func keyValueCodingValue(of object: Any?, forKeyPath path: String) -> Any? {
    keyValueCodingValue(of: object, forKeyPath: KeyPathComponents(path))
}

/// The value at the end of a key path.
///
/// - `KeyValueCoding` objects give `value(forKey:)`; dictionaries give the entry, or nil.
/// - Arrays, sets and ordered sets give the values of their members, nil as `NSNull`. The result is an `[Any]`, an
///   `NSSet` or an `NSOrderedSet`. With decimals among the values it is an array, see `uniqueMembers(of:)`.
/// - Strings, numbers, dates, data and URLs have the keys of Apple's classes (`length`, `absoluteString` …).
/// - Objects of ported classes give their `@objc` properties; see `GeneratedKeyNames`.
/// - Other Swift values are reflected on: their stored properties are their keys.
/// - nil and `NSNull` give nil for every key.
///
/// - Throws: `UndefinedKey`, or `CollectionOperatorMisuse` for an operator on something that is no collection.
package func keyValue(of object: Any?, at path: KeyPathComponents) throws -> Any? {
    try keyValue(of: object, at: path.components[...])
}

func keyValue(of object: Any?, at path: ArraySlice<KeyPathComponents.Component>) throws -> Any? {
    var object = object
    for index in path.indices {
        guard let current = object else { return nil }
        switch path[index] {
        case .itself:
            continue
        case .key(let key):
            object = try keyValue(of: current, key)
        case .collectionOperator(let operation):
            let rest = path[(index + 1)...]
            guard let result = try operation.apply(to: current, rest) else { return nil }
            // @count uses no key. A key path after it is applied to the number.
            if operation != .count { return result }
            object = result
        }
    }
    return object
}

/// The value for one key.
package func keyValue(of object: Any, _ key: String) throws -> Any? {
    if let coded = object as? any KeyValueCoding { return coded.value(forKey: key) }
    if Swift.type(of: object) is AnyClass {
        let instance = object as AnyObject
        switch instance {
        case is NSNull: return nil
        case let dictionary as NSDictionary: return dictionary.object(forKey: key)
        case let array as NSArray: return try array.map { try memberValue(of: $0, key) }
        case let set as NSSet:
            return uniqueMembers(of: try set.map { try memberValue(of: $0, key) })
        case let set as NSOrderedSet:
            return orderedUniqueMembers(of: try set.map { try memberValue(of: $0, key) })
        default: break
        }
    } else if let container = try containerValue(of: object, key) {
        return container.unwrapped
    }
    if let intrinsic = IntrinsicKeys.value(of: object, key) { return intrinsic }
    if Swift.type(of: object) is AnyClass,
        let value = GeneratedKeyNames.value(of: object as AnyObject, forKey: key)
    {
        return value
    }
    return try reflectedValue(of: object, key)
}

/// The answer of Swift's own collections; nil if the value is none.
private func containerValue(of value: Any, _ key: String) throws -> Any?? {
    switch value {
    case let dictionary as [String: Any]: return .some(dictionary[key])
    case let dictionary as [AnyHashable: Any]: return .some(dictionary[key])
    case let array as [Any]: return try array.map { try memberValue(of: $0, key) }
    case let set as Set<AnyHashable>:
        return uniqueMembers(of: try set.map { try memberValue(of: $0.base, key) })
    case let optional as any AnyOptional:
        return .some(try optional.unwrapped.flatMap { try keyValue(of: $0, key) })
    default: return nil
    }
}

private func memberValue(of member: Any, _ key: String) throws -> Any {
    try keyValue(of: member, key) ?? NSNull()
}

/// A stored property by reflection, also those of superclasses, also with the names a property
/// wrapper (`_key`) uses.
func reflectedValue(of object: Any, _ key: String) throws -> Any? {
    var mirror: Mirror? = Mirror(reflecting: object)
    let stored = "_" + key
    while let current = mirror {
        for child in current.children where child.label == key || child.label == stored {
            if let optional = child.value as? any AnyOptional { return optional.unwrapped }
            return child.value
        }
        mirror = current.superclassMirror
    }
    if key == "description" { return String(describing: object) }
    throw UndefinedKey(type: Swift.type(of: object), key: key)
}

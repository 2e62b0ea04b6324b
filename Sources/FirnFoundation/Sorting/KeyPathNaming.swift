/// A class that gives the keys of its Swift key paths.
///
/// Swift names stored properties in a key path's description, but not computed ones, and the properties of a managed
/// object are computed.
package protocol KeyPathNaming: AnyObject {
    /// The key path of key-value coding for a Swift key path whose root is this class; nil if it has none.
    static func keyValueCodingKeyPath(for keyPath: AnyKeyPath) -> String?
}

/// The key-value coding key path of a Swift key path: `"name"` for `\Person.name`.
///
/// - Returns: nil for a path with a computed property or a subscript in it whose class is not `KeyPathNaming`.
package func keyValueCodingKeyPath(for keyPath: AnyKeyPath) -> String? {
    if let root = Swift.type(of: keyPath).rootType as? any KeyPathNaming.Type,
        let name = root.keyValueCodingKeyPath(for: keyPath)
    {
        return name
    }
    // "\Person.department?.name": the root's name, then the components.
    let description = String(describing: keyPath)
    guard !description.contains("<"), !description.contains("["),
        let dot = description.firstIndex(of: ".")
    else { return nil }
    let parts = description[dot...].split(separator: ".").map { $0.trimmingSuffix(["?", "!"]) }
    return parts.isEmpty ? nil : parts.joined(separator: ".")
}

extension Substring {
    fileprivate func trimmingSuffix(_ characters: Set<Character>) -> Substring {
        var rest = self
        while let last = rest.last, characters.contains(last) { rest.removeLast() }
        return rest
    }
}

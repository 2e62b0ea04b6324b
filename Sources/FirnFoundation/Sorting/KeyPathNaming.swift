import FirnRuntime
import Synchronization

/// A class that gives the keys of its Swift key paths.
///
/// Swift names stored properties in a key path's description, but not computed ones, and the properties of a managed
/// object are computed.
package protocol KeyPathNaming: AnyObject {
    /// The key path of key-value coding for a Swift key path whose root is this class; nil if it has none.
    static func keyValueCodingKeyPath(for keyPath: AnyKeyPath) -> String?
}

/// Names for the key paths, and forms for the constants, of a front above this module.
package enum PredicateFront {
    /// A source of names for key paths. An empty name is that of the value itself.
    package protocol Source: Sendable {
        func keyValueCodingKeyPath(for keyPath: AnyKeyPath) -> String?
        /// The value that stands in a predicate for a constant, if it is another value.
        func predicateConstant(for value: Any) -> Any?
        /// The key of a text's size.
        var sizeKeyOfTexts: String { get }
        /// The names of the columns of a structure that has one for each of its parts; nil for another type.
        func parts(of type: Any.Type) -> [String]?
        /// The values of the columns of such a structure.
        func parts(of value: Any) -> [String: Any]
        /// The entities of a class's objects, its own first; nil for a class that has none.
        func entities(of type: Any.Type) -> [Any]?
    }

    private static let source = Mutex<(any Source)?>(nil)

    /// Asks `source` for names from now on, before all else.
    package static func use(_ source: any Source) { Self.source.withLock { $0 = source } }

    static func name(of keyPath: AnyKeyPath) -> String? {
        source.withLock { $0 }?.keyValueCodingKeyPath(for: keyPath)
    }

    static func constant(for value: Any) -> Any? { source.withLock { $0 }?.predicateConstant(for: value) }
    static var sizeKeyOfTexts: String { source.withLock { $0 }?.sizeKeyOfTexts ?? "length" }
    static func parts(of type: Any.Type) -> [String]? { source.withLock { $0 }?.parts(of: type) }
    static func parts(of value: Any) -> [String: Any] { source.withLock { $0 }?.parts(of: value) ?? [:] }
    static func entities(of type: Any.Type) -> [Any]? { source.withLock { $0 }?.entities(of: type) }
}

/// The key-value coding key path of a Swift key path: `"name"` for `\Person.name`.
///
/// - Returns: nil for a path with a computed property or a subscript in it whose class is not `KeyPathNaming`.
package func keyValueCodingKeyPath(for keyPath: AnyKeyPath) -> String? {
    if let name = PredicateFront.name(of: keyPath) { return name }
    // Finding out that a class is `KeyPathNaming` takes longer than all else.
    if let step = KeyPathStep.only(of: keyPath), let name = AccessorTables.name(of: step) { return name }
    if let root = Swift.type(of: keyPath).rootType as? any KeyPathNaming.Type,
        let name = root.keyValueCodingKeyPath(for: keyPath)
    {
        return name
    }
    if let names = KeyPathStep.all(of: keyPath)?.map(GeneratedKeyNames.name), !names.contains(nil) {
        return names.compactMap(\.self).joined(separator: ".")
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

extension AnyKeyPath {
    /// The key-value coding key path of a Swift key path, as on Apple's systems: `"customer.name"` for
    /// `\Order.customer?.name`. Nil if a property of the path has no name in key-value coding.
    ///
    /// The standard library declares the property too. On Linux its value is always nil, because no property is known
    /// to Objective-C. A declaration of an imported module takes precedence over the standard library's.
    public var _kvcKeyPathString: String? { keyValueCodingKeyPath(for: self) }
}

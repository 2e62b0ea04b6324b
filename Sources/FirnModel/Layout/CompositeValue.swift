/// The value of a composite attribute: a dictionary of its elements. An element that is composite is a dictionary in
/// it.
///
/// Columns, predicates and histories name an element by its path, `place.geo.latitude`; here it is what follows the
/// composite's own name, `geo.latitude`. A dictionary may also have an element under its whole path.
package enum CompositeValue {
    /// The element at a path; nil if there is none.
    package static func element(at path: some StringProtocol, of elements: [String: Any]) -> Any? {
        if let value = elements[String(path)] { return value }
        guard let dot = path.firstIndex(of: "."), let inner = elements[String(path[..<dot])] as? [String: Any] else {
            return nil
        }
        return element(at: path[path.index(after: dot)...], of: inner)
    }

    /// Sets the element at a path. Nil takes it out, and a dictionary that has nothing left.
    package static func set(_ value: Any?, at path: some StringProtocol, in elements: inout [String: Any]) {
        guard let dot = path.firstIndex(of: ".") else {
            elements[String(path)] = value
            return
        }
        let name = String(path[..<dot])
        var inner = elements[name] as? [String: Any] ?? [:]
        set(value, at: path[path.index(after: dot)...], in: &inner)
        elements[name] = inner.isEmpty ? nil : inner
    }
}

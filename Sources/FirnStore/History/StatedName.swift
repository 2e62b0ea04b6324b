import FirnModel

/// The name of a value that a change states: of a property, or `place.city` for an element of a composite attribute.
package struct StatedName {
    /// The property.
    package let property: String
    /// The path in the composite attribute's dictionary; nil for the property's value as a whole.
    private let element: String?

    package init(_ name: String) {
        let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
        property = parts[0]
        element = parts.count > 1 ? parts[1] : nil
    }

    /// The value that is named, of the property's value.
    package func value(in whole: Any?) -> Any? {
        guard let element else { return whole }
        return (whole as? [String: Any]).flatMap { CompositeValue.element(at: element, of: $0) }
    }

    /// The property's value with another value where this names one; nil if a composite has no element any more.
    package func set(_ value: Any?, in whole: Any?) -> Any? {
        guard let element else { return value }
        var elements = whole as? [String: Any] ?? [:]
        CompositeValue.set(value, at: element, in: &elements)
        return elements.isEmpty ? nil : elements
    }
}

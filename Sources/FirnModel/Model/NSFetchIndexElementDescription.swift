package import FirnRuntime
public import Foundation

import func FirnFoundation.misuse

/// One column of a fetch index: a property, or an expression.
///
/// https://developer.apple.com/documentation/coredata/nsfetchindexelementdescription
open class NSFetchIndexElementDescription: NSObject, NSCopying, NSSecureCoding {
    /// An attribute or to-one relationship, or an expression description.
    open private(set) var property: NSPropertyDescription?

    /// The name of `property`.
    open var propertyName: String? { property?.name }

    /// Whether the element is ordered, or spatial.
    open var collationType: NSFetchIndexElementType { willSet { requireMutable() } }

    /// Whether the smallest comes first.
    open var isAscending: Bool = true { willSet { requireMutable() } }

    /// The index that this is an element of.
    public final var indexDescription: NSFetchIndexDescription? { index }

    @WeaklyReferenced package var index: NSFetchIndexDescription?

    /// An element for a property.
    public init(property: NSPropertyDescription, collationType: NSFetchIndexElementType) {
        self.property = property
        self.collationType = collationType
        super.init()
    }

    public class var supportsSecureCoding: Bool { true }

    /// The element that was encoded, with a property of its own; nil if the archive holds none.
    public required convenience init?(coder: NSCoder) {
        guard let property = coder.decodeObject(of: NSPropertyDescription.self, forKey: "NSProperty"),
            let type = NSFetchIndexElementType(
                rawValue: UInt(bitPattern: coder.decodeInteger(forKey: "NSCollationType")))
        else { return nil }
        self.init(property: property, collationType: type)
        isAscending = coder.decodeBool(forKey: "NSIsAscending")
    }

    open func encode(with coder: NSCoder) {
        coder.encode(property, forKey: "NSProperty")
        coder.encode(Int(collationType.rawValue), forKey: "NSCollationType")
        coder.encode(isAscending, forKey: "NSIsAscending")
    }

    open func copy(with zone: NSZone? = nil) -> Any {
        guard let property else { misuse("An index element without a property cannot be copied.") }
        return copy(of: property)
    }

    package func copy(of property: NSPropertyDescription) -> NSFetchIndexElementDescription {
        let copy = NSFetchIndexElementDescription(property: property, collationType: collationType)
        copy.isAscending = isAscending
        return copy
    }

    private func requireMutable() { index?.requireMutable() }
}

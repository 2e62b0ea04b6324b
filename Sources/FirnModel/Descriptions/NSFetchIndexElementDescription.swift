public import Foundation

/// One column of a fetch index: a property, or an expression.
///
/// https://developer.apple.com/documentation/coredata/nsfetchindexelementdescription
open class NSFetchIndexElementDescription: NSObject, NSCopying, @unchecked Sendable {
    /// An attribute or to-one relationship, or an expression description.
    open private(set) var property: NSPropertyDescription?

    /// The name of `property`.
    open var propertyName: String? { property?.name }

    open var collationType: NSFetchIndexElementType { willSet { requireMutable() } }

    open var isAscending: Bool = true { willSet { requireMutable() } }

    /// The index that this is an element of.
    public final var indexDescription: NSFetchIndexDescription? { index }

    package weak var index: NSFetchIndexDescription?

    public init(property: NSPropertyDescription, collationType: NSFetchIndexElementType) {
        self.property = property
        self.collationType = collationType
        super.init()
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

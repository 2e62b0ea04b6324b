package import FirnRuntime
public import Foundation
public import class FirnFoundation.NSPredicate
public import func FirnFoundation.misuse

/// An index that makes a store's fetches faster.
///
/// https://developer.apple.com/documentation/coredata/nsfetchindexdescription
open class NSFetchIndexDescription: NSObject, NSCopying, NSSecureCoding {
    /// The name of the index.
    open var name: String { willSet { requireMutable() } }

    /// The columns, most significant first.
    open var elements: [NSFetchIndexElementDescription] {
        willSet { requireMutable() }
        didSet { adoptElements() }
    }

    /// If set, only objects that fulfil it are in the index.
    open var partialIndexPredicate: NSPredicate? { willSet { requireMutable() } }

    /// The entity that has this index.
    public final var entity: NSEntityDescription? { indexedEntity }

    @WeaklyReferenced package var indexedEntity: NSEntityDescription?

    /// An index of these elements.
    public init(name: String, elements: [NSFetchIndexElementDescription]?) {
        self.name = name
        self.elements = elements ?? []
        super.init()
        adoptElements()
    }

    public class var supportsSecureCoding: Bool { true }

    /// The index that was encoded, of no entity; nil if the archive holds none.
    public required convenience init?(coder: NSCoder) {
        let classes: [AnyClass] = [NSArray.self, NSFetchIndexElementDescription.self]
        guard let name = coder.text(forKey: "NSName"),
            let elements = coder.decodeObject(of: classes, forKey: "NSElements") as? [NSFetchIndexElementDescription]
        else { return nil }
        self.init(name: name, elements: elements)
        partialIndexPredicate = coder.decodeObject(of: NSPredicate.self, forKey: "NSPartialIndexPredicate")
    }

    open func encode(with coder: NSCoder) {
        coder.encode(text: name, forKey: "NSName")
        coder.encode(elements as NSArray, forKey: "NSElements")
        coder.encode(partialIndexPredicate, forKey: "NSPartialIndexPredicate")
    }

    open func copy(with zone: NSZone? = nil) -> Any { copy { $0 } }

    package func copy(
        mapping property: (NSPropertyDescription) -> NSPropertyDescription
    ) -> NSFetchIndexDescription {
        let copies = elements.compactMap { element in
            element.property.map { element.copy(of: property($0)) }
        }
        let copy = NSFetchIndexDescription(name: name, elements: copies)
        copy.partialIndexPredicate = partialIndexPredicate
        return copy
    }

    package func requireMutable() {
        if indexedEntity?.isFrozen == true {
            misuse(
                "Can't modify an immutable model. (The index '\(name)' is in use by a coordinator; change a copy.)"
            )
        }
    }

    private func adoptElements() {
        for element in elements { element.index = self }
    }
}

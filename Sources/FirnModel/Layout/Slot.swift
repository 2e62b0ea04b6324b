import FirnRuntime
import Foundation

/// One value of an entity's objects: its place, and what the object graph needs to know about it.
///
/// References are not retained, because the model owns their targets. A class, so that reading a slot copies one
/// reference.
package final class Slot: Sendable {
    /// The content of a slot.
    package enum Content: Sendable {
        case attribute(NSAttributeType)
        case toOne(ToOne)
        case toMany(ToMany)
        /// The object's position in the ordered relationship whose inverse is the to-one at the slot `toOne`.
        case position(toOne: Int)
        /// No value of its own: the values are in the slots of the composite's leaves.
        case composite(leaves: Range<Int>)
        case fetched
    }

    /// A relationship to one object.
    package struct ToOne: Sendable {
        package unowned(unsafe) let destination: NSEntityDescription
        /// The inverse's slot in the destination's layout; nil for a one-sided relationship.
        package let inverseSlot: Int?
        package let inverseIsToMany: Bool
        /// Whether objects of the relationship may be of more than one entity.
        package let destinationHasSubentities: Bool
        /// The slot of the position, if the inverse is an ordered to-many.
        package let positionSlot: Int?
    }

    /// A relationship to many objects.
    package struct ToMany: Sendable {
        package unowned(unsafe) let destination: NSEntityDescription
        /// The inverse's slot in the destination's layout; nil for a one-sided relationship.
        package let inverseSlot: Int?
        package let inverseIsToMany: Bool
        /// Whether the inverse is in memory only, so that the members must be stored as links.
        package let inverseIsTransient: Bool
        package let isOrdered: Bool
        /// Whether objects of the relationship may be of more than one entity.
        package let destinationHasSubentities: Bool
        /// Of two to-many relationships that are each other's inverse one is canonical: its names name the links.
        /// A one-sided one is canonical itself; one with a to-one inverse has no links, and is not.
        package let isCanonical: Bool

        /// The slot of the to-one inverse in the destination's layout; nil where the members are in links.
        package var toOneInverseSlot: Int? { inverseIsToMany || inverseIsTransient ? nil : inverseSlot }
        /// Whether the members are stored as links, and not by a to-one at the destination.
        package var hasLinks: Bool { toOneInverseSlot == nil }
    }

    package let name: String
    package let index: Int
    /// The slots of the property that is this value or has it: a composite's leaves, or this one alone.
    package let unit: Range<Int>
    package let kind: Content
    package let isOptional: Bool
    package let isTransient: Bool
    /// Whether the slot's value is stored: attributes, to-ones and positions that are not transient.
    package let isStored: Bool
    /// Whether the value is computed when the object is saved.
    package let isDerived: Bool
    /// The value of a new object.
    package let defaultValue: DefaultValue
    /// The property; of a leaf its attribute, of a position the to-one relationship.
    package var property: NSPropertyDescription { propertyReference.value.object }
    /// Transferred: the model is frozen before a slot is made, so of a property only the user info changes, which has a
    /// lock.
    private let propertyReference: Transferred<UncountedReference<NSPropertyDescription>>
    /// Whether the property has validation predicates.
    package let hasValidationPredicates: Bool
    /// Whether the slot is a to-one relationship whose inverse is one too: both are stored.
    package let isOneToOne: Bool
    /// Whether the value is a whole number, and of no other type than that.
    package let keepsIntegers: Bool
    /// Whether large values may be kept in files of their own.
    package let allowsExternalStorage: Bool
    /// Nil for what is no relationship.
    package let deleteRule: NSDeleteRule?

    init(
        name: String, index: Int, unit: Range<Int>, kind: Content, isOptional: Bool, isTransient: Bool, isStored: Bool,
        isDerived: Bool, defaultValue: DefaultValue, property: NSPropertyDescription
    ) {
        self.name = name
        self.index = index
        self.unit = unit
        self.kind = kind
        self.isOptional = isOptional
        self.isTransient = isTransient
        self.isStored = isStored
        self.isDerived = isDerived
        self.defaultValue = defaultValue
        propertyReference = Transferred(UncountedReference(property))
        hasValidationPredicates = !property.validationPredicates.isEmpty
        allowsExternalStorage =
            switch kind {
            case .attribute(.binaryDataAttributeType), .attribute(.transformableAttributeType):
                (property as? NSAttributeDescription)?.allowsExternalBinaryDataStorage == true
            default: false
            }
        switch kind {
        case .attribute(.integer16AttributeType), .attribute(.integer32AttributeType),
            .attribute(.integer64AttributeType):
            keepsIntegers = true
        default: keepsIntegers = false
        }
        switch kind {
        case .toOne, .toMany: deleteRule = (property as? NSRelationshipDescription)?.deleteRule
        default: deleteRule = nil
        }
        if case .toOne(let toOne) = kind {
            isOneToOne = toOne.inverseSlot != nil && !toOne.inverseIsToMany
        } else {
            isOneToOne = false
        }
    }

    /// The destination, of a relationship.
    package var destination: NSEntityDescription? {
        switch kind {
        case .toOne(let toOne): toOne.destination
        case .toMany(let toMany): toMany.destination
        default: nil
        }
    }

    /// The inverse's slot in the destination's layout, of a relationship that has one.
    package var inverseSlot: Int? {
        switch kind {
        case .toOne(let toOne): toOne.inverseSlot
        case .toMany(let toMany): toMany.inverseSlot
        default: nil
        }
    }

    /// Whether the slot is a property by its own name, and not a leaf of a composite or a position.
    package var isPublicProperty: Bool {
        if case .position = kind { return false }
        return !isCompositeLeaf
    }

    /// The name of the property that is this value or has it.
    package var propertyName: String { isCompositeLeaf ? String(name.prefix { $0 != "." }) : name }

    package var isCompositeLeaf: Bool { name.utf8.contains(UInt8(ascii: ".")) }

    /// Whether validation may refuse a value or its absence.
    var asksOfValues: Bool {
        switch kind {
        case .fetched, .position: return false
        case .toMany:
            guard let relationship = property as? NSRelationshipDescription else { return false }
            return relationship.minCount > 0 || relationship.maxCount > 0
        default: return hasValidationPredicates || !isOptional
        }
    }

    package var isToMany: Bool { if case .toMany = kind { true } else { false } }
    package var isToOne: Bool { if case .toOne = kind { true } else { false } }

    /// The details of a to-many relationship.
    package var toMany: ToMany? { if case .toMany(let toMany) = kind { toMany } else { nil } }

    /// The attribute's type; nil for all that is not an attribute with a value of its own.
    package var attributeType: NSAttributeType? {
        if case .attribute(let type) = kind { type } else { nil }
    }
}

/// Where an object stores the values of its slots, as byte offsets from the start of its values.
///
///     │ places │ slot 0 │ slot 1      │ slot 2 │ … │ kind 0 │ kind 1 │ …
///     0        8        16            32           kinds
///
/// A slot for a text or for data has two words, any other has one. The kind of each value has one byte; the kinds are
/// padded to whole words.
///
/// Unchecked for the pointer, to numbers that nobody changes.
package struct SlotPlaces: @unchecked Sendable {
    /// The count of slots, where their kinds begin, and where each slot does. The entity's layout owns it.
    package let numbers: UnsafePointer<Int32>

    private static let wordSize: Int32 = 8

    init(_ slots: [Slot]) {
        let numbers = UnsafeMutablePointer<Int32>.allocate(capacity: slots.count + 2)
        var end = Self.wordSize
        for slot in slots {
            (numbers + slot.index + 2).initialize(to: end)
            end += slot.keepsTwoWords ? 2 * Self.wordSize : Self.wordSize
        }
        numbers.initialize(to: Int32(slots.count))
        (numbers + 1).initialize(to: end)
        self.numbers = UnsafePointer(numbers)
    }

    func deallocate() { numbers.deallocate() }
}

extension Slot {
    fileprivate var keepsTwoWords: Bool {
        switch attributeType {
        case .stringAttributeType, .binaryDataAttributeType: true
        default: false
        }
    }
}

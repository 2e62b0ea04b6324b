import Foundation
import Synchronization

/// The layout of an entity's values: every value has a numbered slot.
///
///     ┌ superentity's slots ┬ own properties, by name ┬ leaves of composites ┬ positions ┐
///
/// A subentity's slots begin with its superentity's, so that a slot number holds for all objects of an entity and of
/// its subentities. Names are ordered by their UTF-8 bytes; leaves are named `composite.leaf`, positions
/// `Z_ORD_<to-one>`. Built once when the model is frozen, immutable from then on. The model owns it.
package final class EntityLayout: Sendable {
    /// A unique number of the layout within the program, from 1 on.
    package let number = EntityLayout.numbers.add(1, ordering: .relaxed).newValue
    private static let numbers = Atomic<UInt32>(0)
    package let name: String
    /// The entity's place when the model's entities are listed hierarchy by hierarchy, superentities first.
    package let modelIndex: Int
    /// `modelIndex` of this entity and all that inherit from it.
    package let descendantRange: Range<Int>
    package unowned(unsafe) let entity: NSEntityDescription
    package unowned(unsafe) let rootEntity: NSEntityDescription
    package let isAbstract: Bool
    package let hasSubentities: Bool
    package let slots: [Slot]
    /// Where an object stores the values of its slots.
    package let places: SlotPlaces
    /// Slots whose values are stored, in order.
    package let storedSlots: [Int]
    /// Slots of to-one and to-many relationships, in order.
    package let relationshipSlots: [Int]
    package let toOneSlots: [Int]
    /// The `toOneSlots` whose inverse is to-one too.
    package let oneToOneSlots: [Int]
    package let toManySlots: [Int]
    /// To-many relationships whose members are in links, in order. Transient ones have no links.
    package let linkSlots: [Slot]
    /// Ordered relationships whose inverse is to-one: the members store the owner and their position.
    package let orderedSlots: [Slot]
    /// Whether all values of an object are in its row: there is neither a to-many relationship nor a transient value.
    package let isAllStored: Bool
    /// Slots of derived attributes, in order.
    package let derivedSlots: [Int]
    /// Slots of transient attributes and relationships, in order.
    package let transientSlots: [Int]
    /// Slots whose default is a value, in order.
    package let defaultedSlots: [Int]
    /// Slots that are properties by their own name, and no leaves of composites or positions, in order.
    package let publicSlots: [Int]
    /// The `publicSlots` whose values must be validated.
    package let checkedSlots: [Int]
    /// Whether validating those means only to check that a value is there, and none of them is to-many.
    package let asksOnlyForPresence: Bool
    /// The slots that together are unique among the objects of `constrainedEntity`, superentity's first.
    package let uniquenessConstraints: [UniquenessConstraint]

    /// A uniqueness constraint, and the entity that declares it: it applies to objects of its subentities too.
    package struct UniquenessConstraint: Sendable {
        package unowned(unsafe) let constrainedEntity: NSEntityDescription
        package let slots: [Int]
    }

    private let slotsByName: [String: Int]

    init(
        entity: NSEntityDescription, rootEntity: NSEntityDescription, descendantRange: Range<Int>, slots: [Slot],
        uniquenessConstraints: [UniquenessConstraint]
    ) {
        self.entity = entity
        self.rootEntity = rootEntity
        self.descendantRange = descendantRange
        self.slots = slots
        places = SlotPlaces(slots)
        self.uniquenessConstraints = uniquenessConstraints
        name = entity.name ?? ""
        modelIndex = descendantRange.lowerBound
        isAbstract = entity.isAbstract
        hasSubentities = !entity.subentities.isEmpty
        func indices(_ isIncluded: (Slot) -> Bool) -> [Int] { slots.filter(isIncluded).map(\.index) }
        storedSlots = indices(\.isStored)
        toOneSlots = indices(\.isToOne)
        oneToOneSlots = indices(\.isOneToOne)
        toManySlots = indices(\.isToMany)
        relationshipSlots = indices { $0.isToOne || $0.isToMany }
        derivedSlots = indices(\.isDerived)
        transientSlots = indices(\.isTransient)
        linkSlots = slots.filter { !$0.isTransient && $0.toMany?.hasLinks ?? false }
        orderedSlots = slots.filter { !$0.isTransient && $0.toMany.map { $0.isOrdered && !$0.hasLinks } ?? false }
        isAllStored = slots.allSatisfy(\.isStored)
        defaultedSlots = indices { if case .none = $0.defaultValue { false } else { true } }
        publicSlots = indices(\.isPublicProperty)
        checkedSlots = indices { $0.isPublicProperty && $0.asksOfValues }
        asksOnlyForPresence = checkedSlots.allSatisfy { index in
            if slots[index].hasValidationPredicates { return false }
            return switch slots[index].kind {
            case .attribute, .toOne: true
            default: false
            }
        }
        slotsByName = Dictionary(slots.map { ($0.name, $0.index) }) { first, _ in first }
    }

    deinit { places.deallocate() }

    /// The slot of a property, a leaf or a position. O(1).
    package func slot(named name: String) -> Int? { slotsByName[name] }

    /// Whether this entity is `other` or inherits from it; both of one model. O(1).
    @inline(__always)
    package func isKind(of other: EntityLayout) -> Bool { other.descendantRange.contains(modelIndex) }
}

/// The look-up tables of a frozen entity.
final class FrozenEntity {
    let layout: EntityLayout
    let propertiesByName: [String: NSPropertyDescription]
    let attributesByName: [String: NSAttributeDescription]
    let relationshipsByName: [String: NSRelationshipDescription]

    init(layout: EntityLayout, properties: [String: NSPropertyDescription]) {
        self.layout = layout
        propertiesByName = properties
        attributesByName = properties.compactMapValues { $0 as? NSAttributeDescription }
        relationshipsByName = properties.compactMapValues { $0 as? NSRelationshipDescription }
    }
}

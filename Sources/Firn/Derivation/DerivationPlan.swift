import FirnModel

/// The derived attributes of a store's model, and whose changes they follow. Immutable; made when a store is opened.
final class DerivationPlan: @unchecked Sendable {
    /// A change of an object concerns the objects that it leads to through `inverse`.
    struct Dependent {
        let inverse: Int
        /// The attribute that matters; nil where only who is related matters.
        let attribute: Int?
    }

    private var own: [ObjectIdentifier: [Derivation]] = [:]
    private var dependents: [ObjectIdentifier: [Dependent]] = [:]

    init(_ entities: [NSEntityDescription]) {
        for entity in entities {
            let layout = entity.layout
            let found = layout.derivedSlots.compactMap { Derivation(layout.slots[$0], of: layout) }
            if found.isEmpty { continue }
            own[ObjectIdentifier(layout)] = found
            for derivation in found {
                guard let slot = derivation.relationship, let inverse = layout.slots[slot].inverseSlot,
                    let destination = layout.slots[slot].destination
                else { continue }
                for member in entities where member.layout.isKind(of: destination.layout) {
                    dependents[ObjectIdentifier(member.layout), default: []].append(
                        Dependent(inverse: inverse, attribute: derivation.attribute))
                }
            }
        }
    }

    /// Whether the model has no derived attributes: then nobody need ask more.
    var isEmpty: Bool { own.isEmpty }

    func derivations(of object: NSManagedObject) -> [Derivation] { own[ObjectIdentifier(object.layout)] ?? [] }

    func dependents(of object: NSManagedObject) -> [Dependent] { dependents[ObjectIdentifier(object.layout)] ?? [] }
}

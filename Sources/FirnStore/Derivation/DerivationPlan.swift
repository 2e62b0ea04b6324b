import FirnLog
import FirnModel

/// The derived attributes of a store's model, and whose changes they follow. Immutable; made when a store is opened.
final class DerivationPlan: @unchecked Sendable {
    /// A change of an object concerns the objects from which a path leads to it.
    struct Dependent {
        /// The derived attribute of those objects.
        let slot: Int
        let path: DerivationPath
        /// How many steps of the path lead to the object.
        let depth: Int

        /// The slots whose change matters: the way back, and the way on.
        func isConcerned(_ changed: (Int) -> Bool) -> Bool {
            if let inverse = path.steps[depth - 1].inverse, changed(inverse) { return true }
            if depth < path.steps.count { return changed(path.steps[depth].slot) }
            return path.attribute.map { changed($0.index) } ?? false
        }
    }

    private var own: [ObjectIdentifier: [Derivation]] = [:]
    private var dependents: [ObjectIdentifier: [Dependent]] = [:]

    init(_ entities: [NSEntityDescription]) {
        for entity in entities {
            let layout = entity.layout
            let found = layout.derivedSlots.compactMap { Derivation(layout.slots[$0], of: layout) }
            if found.isEmpty { continue }
            own[ObjectIdentifier(layout)] = found
            // The superentity's are those of its subentities too.
            let inherited = entity.superentity?.layout.slots.count ?? 0
            for derivation in found where derivation.slot >= inherited {
                for path in derivation.paths.values { follow(path, derivation.slot, entities) }
            }
        }
    }

    private func follow(_ path: DerivationPath, _ slot: Int, _ entities: [NSEntityDescription]) {
        for (index, step) in path.steps.enumerated() {
            if step.inverse == nil { return }
            for member in entities where member.layout.isKind(of: step.destination) {
                dependents[ObjectIdentifier(member.layout), default: []].append(
                    Dependent(slot: slot, path: path, depth: index + 1))
            }
        }
    }

    /// Whether the model has no derived attributes: then nobody need ask more.
    var isEmpty: Bool { own.isEmpty }

    func derivations(of layout: EntityLayout) -> [Derivation] { own[ObjectIdentifier(layout)] ?? [] }

    func dependents(of layout: EntityLayout) -> [Dependent] { dependents[ObjectIdentifier(layout)] ?? [] }
}

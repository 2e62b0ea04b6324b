import FirnLog
import FirnModel

/// The derived attributes of a store's model, and whose changes they follow. Immutable; made when a store is opened.
final class DerivationPlan: Sendable {
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

    private let own: [ObjectIdentifier: [Derivation]]
    private let dependents: [ObjectIdentifier: [Dependent]]

    init(_ entities: [NSEntityDescription]) {
        var own: [ObjectIdentifier: [Derivation]] = [:]
        var dependents: [ObjectIdentifier: [Dependent]] = [:]
        for entity in entities {
            let layout = entity.layout
            let found = layout.derivedSlots.compactMap { Derivation(layout.slots[$0], of: layout) }
            if found.isEmpty { continue }
            own[ObjectIdentifier(layout)] = found
            // The superentity's are those of its subentities too.
            let inherited = entity.superentity?.layout.slots.count ?? 0
            for derivation in found where derivation.slot >= inherited {
                for path in derivation.paths.values {
                    for (layout, dependent) in Self.dependents(path, derivation.slot, entities) {
                        dependents[layout, default: []].append(dependent)
                    }
                }
            }
        }
        self.own = own
        self.dependents = dependents
    }

    /// A derived attribute's dependents through one path, with their layouts.
    private static func dependents(
        _ path: DerivationPath, _ slot: Int, _ entities: [NSEntityDescription]
    ) -> [(layout: ObjectIdentifier, Dependent)] {
        path.steps.enumerated().prefix { $1.inverse != nil }.flatMap { index, step in
            entities.filter { $0.layout.isKind(of: step.destination) }.map {
                (ObjectIdentifier($0.layout), Dependent(slot: slot, path: path, depth: index + 1))
            }
        }
    }

    /// Whether the model has no derived attributes: then nobody need ask more.
    var isEmpty: Bool { own.isEmpty }

    func derivations(of layout: EntityLayout) -> [Derivation] { own[ObjectIdentifier(layout)] ?? [] }

    func dependents(of layout: EntityLayout) -> [Dependent] { dependents[ObjectIdentifier(layout)] ?? [] }
}

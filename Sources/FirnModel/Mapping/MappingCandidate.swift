import Foundation

/// The entity mappings of a file, and whether they lead from one model to another.
struct MappingCandidate {
    var entityMappings: [NSEntityMapping]

    /// Whether the file was made for both models: the entities have the version hashes of the mappings.
    ///
    /// Hashes that Apple's compiler computed are compared with those of models that it compiled. Of other models such
    /// a mapping must name every entity and every stored property, and an entity must have changed where its hash did.
    func leads(from source: NSManagedObjectModel, to destination: NSManagedObjectModel) -> Bool {
        let (old, new) = (source.entitiesByName, destination.entitiesByName)
        let leads = entityMappings.allSatisfy { mapping in
            let (before, after) = (mapping.sourceEntityName, mapping.destinationEntityName)
            let (from, to) = (before.flatMap { old[$0] }, after.flatMap { new[$0] })
            if before != nil && from == nil || after != nil && to == nil { return false }
            return Self.leads(mapping, from, to)
        }
        let mapped = Set(entityMappings.compactMap(\.destinationEntityName))
        let hasHashes = entityMappings.contains { $0.destinationEntityVersionHash != nil }
        return leads && !entityMappings.isEmpty
            && (hasHashes || new.values.allSatisfy { $0.isAbstract || mapped.contains($0.name ?? "") })
    }

    private static func leads(
        _ mapping: NSEntityMapping, _ source: NSEntityDescription?, _ destination: NSEntityDescription?
    ) -> Bool {
        func isSame(_ hash: Data?, _ known: Data?) -> Bool { hash == nil || known == nil || hash == known }
        guard isSame(mapping.sourceEntityVersionHash, source?.versionHash),
            isSame(mapping.destinationEntityVersionHash, destination?.versionHash),
            isSame(mapping.compiledHashes.source, source?.compiledVersionHash),
            isSame(mapping.compiledHashes.destination, destination?.compiledVersionHash)
        else { return false }
        if mapping.destinationEntityVersionHash != nil { return true }
        if let source, let destination, let old = mapping.compiledHashes.source,
            let new = mapping.compiledHashes.destination,
            (old == new) != (source.versionHash == destination.versionHash)
        {
            return false
        }
        return destination.map { hasProperties(mapping, $0) } ?? true
    }

    private static func hasProperties(_ mapping: NSEntityMapping, _ entity: NSEntityDescription) -> Bool {
        let mapped = Set(((mapping.attributeMappings ?? []) + (mapping.relationshipMappings ?? [])).compactMap(\.name))
        let stored = entity.properties.filter { !$0.isTransient && !($0 is NSDerivedAttributeDescription) }
        return mapped.isSubset(of: entity.properties.map(\.name)) && mapped.isSuperset(of: stored.map(\.name))
    }

    /// Gives the mappings the version hashes of the models that they lead from and to.
    func setHashes(from source: NSManagedObjectModel, to destination: NSManagedObjectModel) {
        let (old, new) = (source.entitiesByName, destination.entitiesByName)
        for mapping in entityMappings {
            mapping.sourceEntityVersionHash = mapping.sourceEntityName.flatMap { old[$0]?.versionHash }
            mapping.destinationEntityVersionHash = mapping.destinationEntityName.flatMap { new[$0]?.versionHash }
        }
    }
}

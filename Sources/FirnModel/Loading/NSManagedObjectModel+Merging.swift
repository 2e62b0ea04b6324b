public import Foundation

import func FirnFoundation.misuse

extension NSManagedObjectModel {
    /// A model with copies of all entities, configurations and templates of several models.
    ///
    /// Entities of one name must be equal. Two that differ stop the program, where Core Data raises an exception. Nil
    /// for no models.
    public convenience init?(byMerging models: [NSManagedObjectModel]?) {
        guard let models, !models.isEmpty else { return nil }
        self.init()
        merge(models, accepting: { _ in true })
    }

    /// A model with copies of those entities whose version is the one that a store was written with. Nil if the
    /// models do not have all entities of the store.
    public convenience init?(
        byMerging models: [NSManagedObjectModel], forStoreMetadata metadata: [String: Any]
    ) {
        guard let stored = Self.versionHashes(in: metadata) else { return nil }
        self.init()
        merge(models, accepting: { entity in stored[entity.name ?? ""] == entity.versionHash })
        guard Set(entitiesByName.keys) == Set(stored.keys) else { return nil }
    }

    /// A model merged of all models in bundles. Nil means the main bundle and the resource bundle of the program's
    /// target; bundles of other targets are not included.
    public class func mergedModel(from bundles: [Bundle]?) -> NSManagedObjectModel? {
        NSManagedObjectModel(byMerging: ModelSearch.currentModels(in: bundles ?? ModelSearch.programBundles))
    }

    /// A model of the versions, among all in the bundles, that a store was written with; nil if they are not there.
    public class func mergedModel(
        from bundles: [Bundle]?, forStoreMetadata metadata: [String: Any]
    ) -> NSManagedObjectModel? {
        var models: [NSManagedObjectModel] = []
        for model in ModelSearch.allVersions(in: bundles ?? ModelSearch.programBundles) {
            if model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata) { return model }
            models.append(model)
        }
        return NSManagedObjectModel(byMerging: models, forStoreMetadata: metadata)
    }

    private func merge(_ models: [NSManagedObjectModel], accepting: (NSEntityDescription) -> Bool) {
        var merged: [NSEntityDescription] = []
        var seen: [String: NSEntityDescription] = [:]
        var configurations: [String: [NSEntityDescription]] = [:]
        for model in models {
            guard let copy = model.copy() as? NSManagedObjectModel else { continue }
            for entity in copy.entities where accepting(entity) {
                if let other = seen[entity.name ?? ""] {
                    requireEqual(other, entity)
                } else {
                    seen[entity.name ?? ""] = entity
                    merged.append(entity)
                }
            }
            for (name, members) in copy.configurationEntities {
                configurations[name, default: []] += members
            }
            for (name, template) in copy.templates {
                setFetchRequestTemplate(template, forName: name)
            }
            versionIdentifiers.formUnion(copy.versionIdentifiers)
            copy.entities = []
        }
        MergedReferences(entities: seen).redirect()
        entities = merged
        for (name, members) in configurations {
            let names = Set(members.compactMap(\.name))
            setEntities(merged.filter { names.contains($0.name ?? "") }, forConfigurationName: name)
        }
    }

    private func requireEqual(_ first: NSEntityDescription, _ second: NSEntityDescription) {
        if first.versionHash != second.versionHash {
            misuse(
                "The models to be merged have two different entities '\(first.name ?? "")'; "
                    + "rename one, or merge models of one version each.")
        }
    }
}

/// Redirects references between entities of merged models to the one entity that was kept of each name.
private struct MergedReferences {
    let entities: [String: NSEntityDescription]

    func redirect() {
        for entity in entities.values {
            entity.subentities = entity.subentities.filter { entities[$0.name ?? ""] === $0 }
            for case let relationship as NSRelationshipDescription in entity.ownProperties {
                let destination = relationship.destinationEntity.flatMap { entities[$0.name ?? ""] }
                let inverse = relationship.inverseRelationship.flatMap { inverse in
                    entities[inverse.declaringEntity?.name ?? ""]?.ownRelationship(inverse.name)
                }
                relationship.destinationEntity = destination
                relationship.inverseRelationship = inverse
            }
        }
    }
}

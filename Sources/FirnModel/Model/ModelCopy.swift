import Foundation

/// Makes a deep copy: copies all entities, then redirects every reference from old to new.
struct ModelCopy {
    private let source: NSManagedObjectModel
    private let copies: [ObjectIdentifier: NSEntityDescription]

    init(of source: NSManagedObjectModel) {
        self.source = source
        let pairs = source.entities.compactMap { entity in
            (entity.copy() as? NSEntityDescription).map { (ObjectIdentifier(entity), $0) }
        }
        copies = Dictionary(uniqueKeysWithValues: pairs)
    }

    func fill(_ copy: NSManagedObjectModel) {
        for entity in source.entities {
            guard let new = self[entity] else { continue }
            new.subentities = entity.subentities.compactMap { self[$0] }
        }
        for entity in source.entities {
            for property in self[entity]?.ownProperties ?? [] { redirect(property) }
        }
        copy.entities = source.entities.compactMap { self[$0] }
        copy.versionIdentifiers = source.versionIdentifiers
        copy.localizationDictionary = source.localizationDictionary
        copy.sourceAttributes = source.sourceAttributes
        copy.sourceElements = source.sourceElements
        for (name, members) in source.configurationEntities {
            copy.setEntities(members.compactMap { self[$0] }, forConfigurationName: name)
        }
        for (name, template) in source.templates {
            copy.setFetchRequestTemplate(redirected(template), forName: name)
        }
    }

    private subscript(entity: NSEntityDescription?) -> NSEntityDescription? {
        entity.flatMap { copies[ObjectIdentifier($0)] }
    }

    private func redirect(_ property: NSPropertyDescription) {
        if let relationship = property as? NSRelationshipDescription {
            let inverse = relationship.inverseRelationship
            let newOwner = self[inverse?.declaringEntity]
            relationship.destinationEntity = self[relationship.destinationEntity]
            relationship.inverseRelationship =
                newOwner?.ownProperties.first { $0.name == inverse?.name }
                as? NSRelationshipDescription
        } else if let fetched = property as? NSFetchedPropertyDescription {
            fetched.fetchRequest = fetched.fetchRequest.map(redirected)
        }
    }

    private func redirected(
        _ request: NSFetchRequest<any NSFetchRequestResult>
    ) -> NSFetchRequest<any NSFetchRequestResult> {
        let copy = request.withResultType((any NSFetchRequestResult).self)
        if let entity = self[copy.entity] { copy.entity = entity }
        return copy
    }
}

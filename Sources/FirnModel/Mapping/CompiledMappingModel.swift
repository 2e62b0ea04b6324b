import Foundation

/// Reads a `.cdm`: the keyed archive of a mapping model that Xcode's compiler writes.
///
/// Its version hashes are Apple's, which differ from ours: see `MappingCandidate.leads(from:to:)`.
struct CompiledMappingModel {
    private let archive: KeyedArchive

    /// Nil for an archive of something else.
    init?(_ archive: KeyedArchive) {
        guard archive.root.className == "NSMappingModel" else { return nil }
        self.archive = archive
    }

    /// In the order in which they run.
    var entityMappings: [NSEntityMapping] {
        archive.members("NSEntityMappings", of: archive.root).map { object in
            let mapping = NSEntityMapping()
            mapping.name = archive.text("NSMappingName", of: object)
            let type = archive.integer("NSMappingType", of: object).flatMap { UInt(exactly: $0) }
            mapping.mappingType = type.flatMap { NSEntityMappingType(rawValue: $0) } ?? .undefinedEntityMappingType
            mapping.sourceEntityName = archive.text("NSSourceEntityName", of: object)
            mapping.destinationEntityName = archive.text("NSDestinationEntityName", of: object)
            mapping.entityMigrationPolicyClassName = archive.text("NSEntityMigrationPolicyClassName", of: object)
            mapping.userInfo = archive.value(of: "NSUserInfo", in: object) as? [AnyHashable: Any]
            mapping.attributeMappings = properties("NSAttributeMappings", of: object)
            mapping.relationshipMappings = properties("NSRelationshipMappings", of: object)
            mapping.sourceExpression = archive.object("NSSourceExpression", of: object)
                .flatMap { ArchivedPredicate(archive).expression($0) }
            mapping.compiledHashes = (
                archive.value(of: "NSSourceEntityVersionHash", in: object) as? Data,
                archive.value(of: "NSDestinationEntityVersionHash", in: object) as? Data
            )
            return mapping
        }
    }

    private func properties(_ field: String, of object: KeyedArchive.Record) -> [NSPropertyMapping] {
        archive.members(field, of: object).map { property in
            let mapping = NSPropertyMapping()
            mapping.name = archive.text("NSDestinationPropertyName", of: property)
            mapping.valueExpression = archive.object("NSValueExpression", of: property)
                .flatMap { ArchivedPredicate(archive).expression($0) }
            mapping.userInfo = archive.value(of: "NSUserInfo", in: property) as? [AnyHashable: Any]
            return mapping
        }
    }
}

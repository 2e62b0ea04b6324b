public import Foundation
import Synchronization

/// In a store's metadata: the version hashes of the entities of its model, `Data` by entity name.
///
/// https://developer.apple.com/documentation/coredata/nsstoremodelversionhasheskey
public let NSStoreModelVersionHashesKey = "NSStoreModelVersionHashes"

/// In a store's metadata: the version identifiers of its model. A hint for people.
///
/// https://developer.apple.com/documentation/coredata/nsstoremodelversionidentifierskey
public let NSStoreModelVersionIdentifiersKey = "NSStoreModelVersionIdentifiers"

extension NSManagedObjectModel {
    /// The version hash of every entity, by name.
    public var entityVersionHashesByName: [String: Data] { entitiesByName.mapValues(\.versionHash) }

    /// The version hashes of all entities in one: 32 bytes in Base64. Equal for models that read each other's stores.
    public var versionChecksum: String {
        var parts = HashedParts()
        let hashes = entityVersionHashesByName.sorted { $0.key.precedesInUTF8($1.key) }
        parts.add(hashes.map { Array($0.key.utf8) })
        parts.add(hashes.map { [UInt8]($0.value) })
        return parts.digest.base64EncodedString()
    }

    /// Whether a store with this metadata holds exactly the entities of a configuration (nil for all entities),
    /// each of the same version. A store of all entities, which a migration manager makes, is compatible too.
    public func isConfiguration(
        withName configuration: String?, compatibleWithStoreMetadata metadata: [String: Any]
    ) -> Bool {
        guard let stored = Self.versionHashes(in: metadata),
            let entities = entities(forConfigurationName: configuration)
        else { return false }
        let hashes = entities.map { ($0.name ?? "", $0.versionHash) }
        return stored == Dictionary(hashes) { first, _ in first } || stored == entityVersionHashesByName
    }

    /// The entities' version hashes in a store's metadata; nil if there are none.
    package static func versionHashes(in metadata: [String: Any]) -> [String: Data]? {
        switch metadata[NSStoreModelVersionHashesKey] {
        case let hashes as [String: Data]: hashes
        case let hashes as NSDictionary: hashes as? [String: Data]
        default: nil
        }
    }
}

extension NSEntityDescription {
    /// 32 bytes that change when, and only when, a store of the old version needs a migration. They cover name,
    /// superentity, whether abstract, properties, uniqueness constraints and `versionHashModifier`. Its model computes
    /// it once, until something in the model changes.
    public var versionHash: Data {
        model?.versionHashes.withLock { VersionHashing.hash(of: self, known: &$0) } ?? VersionHashing.hash(of: self)
    }

    /// Whether both have equal contents, with the properties that each declares.
    final func hasSameAspects(as other: NSEntityDescription) -> Bool {
        ModelAspects(of: self).places == ModelAspects(of: other).places
    }
}

extension NSPropertyDescription {
    /// The version hash of the property's contents. `versionHash` returns it unless a subclass overrides that.
    final var computedVersionHash: Data { VersionHashing.hash(of: self) }

    /// Whether both have equal contents, whatever entities they are part of.
    final func hasSameAspects(as other: NSPropertyDescription) -> Bool {
        ModelAspects(of: self).places == ModelAspects(of: other).places
    }
}

extension NSManagedObjectModel {
    /// Whether both have equal entities, configurations and fetch requests.
    final func hasSameAspects(as other: NSManagedObjectModel) -> Bool {
        ModelAspects(of: self).places == ModelAspects(of: other).places
    }
}

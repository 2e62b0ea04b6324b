public import Foundation

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
    /// each of the same version.
    public func isConfiguration(
        withName configuration: String?, compatibleWithStoreMetadata metadata: [String: Any]
    ) -> Bool {
        guard let stored = Self.versionHashes(in: metadata),
            let entities = entities(forConfigurationName: configuration)
        else { return false }
        let hashes = entities.map { ($0.name ?? "", $0.versionHash) }
        return stored == Dictionary(hashes) { first, _ in first }
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

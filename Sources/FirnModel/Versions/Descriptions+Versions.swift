public import Foundation
import Synchronization

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

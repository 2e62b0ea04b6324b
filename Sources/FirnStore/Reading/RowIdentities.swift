package import FirnLog
package import FirnModel
package import FirnProjection

/// Makes the object IDs of a store's rows.
package struct RowIdentities {
    private let schema: StoreSchema
    private let identity: StoreIdentity

    package init(_ schema: StoreSchema, _ identity: StoreIdentity) {
        self.schema = schema
        self.identity = identity
    }

    /// Nil if the store does not know the key's entity.
    package func id(for key: ObjectKey) -> NSManagedObjectID? {
        schema.entity(key.entity).map { id(for: key, $0.layout) }
    }

    /// The ID of an object whose entity has this layout.
    package func id(for key: ObjectKey, _ layout: EntityLayout) -> NSManagedObjectID {
        let root = layout.rootEntity === layout.entity ? key.entity : schema.number(of: layout.rootEntity)
        return id(layout.entity, key, root: root)
    }

    /// The IDs of many objects, without those of unknown entities: what they share is looked up once for each run of
    /// one entity.
    package func ids(for keys: [ObjectKey]) -> [NSManagedObjectID] {
        var ids: [NSManagedObjectID] = []
        ids.reserveCapacity(keys.count)
        var current: (number: EntityNumber, entity: NSEntityDescription, root: EntityNumber)?
        for key in keys {
            if current?.number != key.entity {
                current = schema.entity(key.entity).map { (key.entity, $0, schema.number(of: $0.layout.rootEntity)) }
            }
            if let current { ids.append(id(current.entity, key, root: current.root)) }
        }
        return ids
    }

    private func id(_ entity: NSEntityDescription, _ key: ObjectKey, root: EntityNumber) -> NSManagedObjectID {
        NSManagedObjectID(
            entity: entity, entityNumber: key.entity.rawValue, rootNumber: root.rawValue, primaryKey: key.primaryKey,
            store: identity)
    }
}

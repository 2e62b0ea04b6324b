import FirnRuntime
import FirnStore
import FirnProjection
import FirnLog
import FirnModel
import Foundation

/// Finds the objects of a save that others have changed since this context read them.
struct ConflictFinder<Rows: RowLookup> {
    let session: Rows

    /// `checked` are objects that `detectConflicts(for:)` was called with: they conflict without a change of their own.
    func conflicts(
        updated: [NSManagedObject], deleted: [NSManagedObject], checked: [NSManagedObject]
    ) throws -> [NSMergeConflict] {
        var result: [NSMergeConflict] = []
        try updated.forEachUnretained { object in
            guard !object.layout.storedChanges(object.changed).isEmpty else { return }
            if let conflict = try conflict(object) { result.append(conflict) }
        }
        try deleted.forEachUnretained { object in
            if let conflict = try conflict(object), conflict.current != nil { result.append(conflict) }
        }
        for object in checked where !object.hasChanges {
            if let conflict = try conflict(object) { result.append(conflict) }
        }
        return result
    }

    private func conflict(_ object: NSManagedObject) throws -> NSMergeConflict? {
        guard let known = object.snapshot else { return nil }
        let current = try session.snapshot(object.key)
        if current?.version == known.version { return nil }
        return NSMergeConflict(
            source: object, current: current, isInStore: session.isRemote(object.key), session: session)
    }
}

/// Finds violations of uniqueness constraints, among the objects of a save and against the store.
struct ConstraintFinder {
    let session: any RowLookup
    let context: NSManagedObjectContext

    func conflicts(inserted: [NSManagedObject], updated: [NSManagedObject]) throws -> [NSConstraintConflict] {
        var result: [NSConstraintConflict] = []
        var groups: [ConstraintKey: [NSManagedObject]] = [:]
        var order: [ConstraintKey] = []
        let lists = [inserted, updated]
        if lists.allSatisfy({ $0.all { $0.layout.uniquenessConstraints.isEmpty } }) { return [] }
        for object in lists.joined() where !object.layout.uniquenessConstraints.isEmpty {
            for constraint in object.layout.uniquenessConstraints {
                guard
                    object.state.contains(.inserted)
                        || constraint.slots.contains(where: { object.changed.contains($0) }),
                    let values = try values(object, constraint.slots)
                else { continue }
                let key = ConstraintKey(
                    entity: ObjectIdentifier(constraint.constrainedEntity), slots: constraint.slots,
                    exact: BytewiseValues(values: values))
                if groups[key] == nil { order.append(key) }
                groups[key, default: []].append(object)
            }
        }
        for key in order {
            guard let objects = groups[key] else { continue }
            if let conflict = try conflict(key, objects) { result.append(conflict) }
        }
        return result
    }

    private struct ConstraintKey: Hashable {
        let entity: ObjectIdentifier
        let slots: [Int]
        let exact: BytewiseValues

        var values: [PropertyValue] { exact.values }
    }

    /// The values under a constraint, or nil if one of them is null: nulls are never equal.
    private func values(_ object: NSManagedObject, _ slots: [Int]) throws -> [PropertyValue]? {
        var result: [PropertyValue] = []
        for slot in slots {
            let value: PropertyValue
            if case .toOne(let destination) = object.read(slot) {
                value = .reference(destination.key)
            } else {
                value = try AttributeCoding.stored(object.read(slot), object.layout.slots[slot])
            }
            if value.isNull { return nil }
            result.append(value)
        }
        return result
    }

    private func conflict(_ key: ConstraintKey, _ objects: [NSManagedObject]) throws -> NSConstraintConflict? {
        guard let layout = objects.first?.layout,
            let constraint = layout.uniquenessConstraints.first(where: {
                ObjectIdentifier($0.constrainedEntity) == key.entity && $0.slots == key.slots
            })
        else { return nil }
        let names = constraint.slots.map { layout.slots[$0].name }
        let stored = try session.keys(
            entity: session.schema.number(of: constraint.constrainedEntity), slots: constraint.slots,
            values: key.values)
        let saved = Set(objects.filter { $0.key.primaryKey > 0 }.map(\.key))
        let database = stored.lazy.filter { !saved.contains($0) }.compactMap { key -> NSManagedObject? in
            guard let store = objects.first?.store, let id = store.objectID(for: key) else { return nil }
            let object = context.object(with: id)
            // The context may read an older state than the one that is written to.
            if object.isFault, let row = (try? session.snapshot(key)) ?? nil { object.realize(row) }
            if object.isDeleted { return nil }
            return object.hasChanges && object.changed.slots.contains(where: constraint.slots.contains) ? nil : object
        }.first
        guard database != nil || objects.count > 1 else { return nil }
        return NSConstraintConflict(
            constraint: names, database: database,
            databaseSnapshot: try database.flatMap { object in
                try session.snapshot(object.key).map(object.dictionary(of:))
            },
            conflicting: objects,
            conflictingSnapshots: objects.map { $0.snapshot.map($0.dictionary(of:)) ?? NSNull() as Any })
    }
}

import FirnRuntime
import FirnStore
import FirnProjection
import FirnLog
import FirnModel
import Foundation

/// Finds the objects of a save that others have changed since this context read them.
struct ConflictFinder {
    let rows: ConflictRows
    /// The reader that knows which rows were changed by saves of which this program hears only now; nil if none are.
    let remote: TransactionReader?

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
        for object in checked where !object.isDeleted {
            if object.isUpdated, !object.layout.storedChanges(object.changed).isEmpty { continue }
            if let conflict = try conflict(object) { result.append(conflict) }
        }
        return result
    }

    private func conflict(_ object: NSManagedObject) throws -> NSMergeConflict? {
        guard let known = object.snapshot else { return nil }
        let current = try rows.row(object)
        if current?.version == known.version { return nil }
        return NSMergeConflict(
            source: object, current: current, isInStore: remote?.isRemote(object.key) ?? false, rows: rows)
    }
}

/// Finds violations of uniqueness constraints, among the objects of a save and against the store.
struct ConstraintFinder {
    let reader: TransactionReader
    let context: NSManagedObjectContext

    func conflicts(inserted: [NSManagedObject], updated: [NSManagedObject]) throws -> [NSConstraintConflict] {
        let lists = [inserted, updated]
        if lists.allSatisfy({ $0.all { $0.layout.uniquenessConstraints.isEmpty } }) { return [] }
        var claims = UniqueClaims<NSManagedObject>(capacity: inserted.count)
        for object in lists.joined() {
            for constraint in object.layout.uniquenessConstraints {
                guard object.state.contains(.inserted) || constraint.slots.contains(where: object.changed.contains),
                    let claim = try UniqueClaim(constraint, value: { try Self.value(object, $0) })
                else { continue }
                claims.add(claim, of: object)
            }
        }
        let stored = try reader.owners(of: claims.all)
        return try claims.all.indices.compactMap { place in
            if stored[place].isEmpty, !claims.isShared(at: place) { return nil }
            return try conflict(claims.all[place], claims.owners(at: place), stored[place])
        }
    }

    private static func value(_ object: NSManagedObject, _ slot: Int) throws -> PropertyValue {
        if case .toOne(let destination) = object.read(slot) { return .reference(destination.key) }
        return try AttributeCoding.stored(object.read(slot), object.layout.slots[slot])
    }

    private func conflict(
        _ claim: UniqueClaim, _ objects: [NSManagedObject], _ stored: [ObjectKey]
    ) throws -> NSConstraintConflict? {
        let constraint = claim.constraint
        let saved = Set(objects.filter { $0.key.primaryKey > 0 }.map(\.key))
        let database = stored.lazy.filter { !saved.contains($0) }.compactMap { key -> NSManagedObject? in
            guard let store = objects.first?.store, let id = store.objectID(for: key) else { return nil }
            let object = context.object(with: id)
            // The context may read an older state than the one that is written to.
            if object.isFault, let row = (try? reader.snapshot(key)) ?? nil { object.realize(row) }
            if object.isDeleted { return nil }
            return object.hasChanges && object.changed.slots.contains(where: constraint.slots.contains) ? nil : object
        }.first
        guard database != nil || objects.count > 1 else { return nil }
        return NSConstraintConflict(
            constraint: claim.names(objects[0].layout), database: database,
            databaseSnapshot: try database.flatMap { object in
                try reader.snapshot(object.key).map(object.dictionary(of:))
            },
            conflicting: objects,
            conflictingSnapshots: objects.map { object -> Any in
                if let row = object.snapshot { object.dictionary(of: row) } else { NSNull() }
            })
    }
}

#if SwiftData
import Firn
import FirnFoundation
import class FirnFoundation.NSPredicate
import FirnModel
import Foundation

/// The merge policy of model contexts. Unique values are settled by the policies of their constraints; of other
/// conflicts the context wins, property by property.
final class ModelMergePolicy: NSMergePolicy, @unchecked Sendable {
    static let shared = ModelMergePolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)

    override func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
        let context = (list.first?.conflictingObjects.first?.managedObjectContext as? ModelManagedContext)?.owner
        guard let context, try context.insertions?.resolve() == true else {
            return try super.resolve(constraintConflicts: list)
        }
        context.savedChanges = SavedChanges(context)
    }
}

/// Models of a save with unique values that another model has.
///
/// By the policy of the constraint, the values of an inserted model go over to the other one, the other one stays as it
/// is, or the save throws. The inserted object goes, and its model stands for the other one from then on. Two saved
/// models never become one: a save throws if an inserted model has unique values of both, or if a changed one has those
/// of the other.
struct UniqueInsertions {
    private struct Constraint {
        let entity: NSEntityDescription
        let names: [String]
        let policy: UniqueConflictPolicy

        var hasRelationship: Bool { names.contains { entity.relationshipsByName[$0] != nil } }
    }

    private let context: ModelContext
    /// The models that stand for other objects now, with those that they had.
    private var replaced: [(model: any PersistentModel, object: ModelObject, owner: ModelObject)] = []

    init(_ context: ModelContext) { self.context = context }

    /// Resolves the conflicts, which are added to the context's `uniqueConflicts`. False if there are none.
    mutating func resolve() throws -> Bool {
        let constraints = constraints()
        if constraints.isEmpty { return false }
        let count = context.uniqueConflicts.count
        let inserted = objects(context.managed.insertedList)
        let updated = objects(context.managed.updatedList)
        for constraint in constraints {
            // A structure changes as a whole.
            let own = Set(constraint.names.map { String($0.prefix { $0 != "." }) })
            let changed = concerned(updated, constraint).filter { $0.hasChanges(of: own) }
            try refuse(constraint.policy == .throw ? inserted + changed : changed, updated, constraint)
        }
        let resolved = constraints.filter { $0.policy != .throw }
        // One that leads to a model which stands for another now may have the values of a third.
        while try resolve(inserted, updated, resolved), resolved.contains(where: \.hasRelationship) {}
        // It is a part of the save, which the undo manager does not take back.
        let manager = context.managed.undoManager
        let contents = manager?.contents
        context.managed.processPendingChanges()
        if let contents { manager?.restore(contents) }
        return context.uniqueConflicts.count > count
    }

    /// The models have their own objects again: the save failed.
    func revert() {
        context.uniqueConflicts = []
        for (model, object, owner) in replaced.reversed() {
            owner.remove(model)
            model.storage.replaceObject(with: object, of: model)
        }
    }

    private func objects(_ objects: [NSManagedObject]) -> [ModelObject] {
        objects.compactMap { $0 as? ModelObject }.sorted { $0.precedes($1) }
    }

    /// The constraints of the entities that have unsaved objects, and of their superentities.
    private func constraints() -> [Constraint] {
        let entities = context.container.coordinator.managedObjectModel.entities
        guard entities.contains(where: { !$0.uniquenessConstraints.isEmpty }) else { return [] }
        let unsaved = context.managed.insertedList + context.managed.updatedList
        var seen: Set<ObjectIdentifier> = []
        var found: [Constraint] = []
        for object in unsaved {
            for entity in sequence(first: object.entity, next: \.superentity)
            where seen.insert(ObjectIdentifier(entity)).inserted {
                for constraint in entity.uniquenessConstraints {
                    let names = constraint.compactMap { $0 as? String }
                    let policy = context.container.shape(of: entity)?.uniquePolicies[names] ?? .upsert
                    found.append(Constraint(entity: entity, names: names, policy: policy))
                }
            }
        }
        return found
    }

    /// The objects of the constraint's entity that are still there.
    private func concerned(_ objects: [ModelObject], _ constraint: Constraint) -> [ModelObject] {
        objects.filter {
            !$0.isDeleted && $0.managedObjectContext != nil && $0.entity.isKindOf(entity: constraint.entity)
        }
    }

    /// Throws if one of the objects has the values of another one.
    private func refuse(_ objects: [ModelObject], _ updated: [ModelObject], _ constraint: Constraint) throws {
        let objects = concerned(objects, constraint)
        var owners = try owners(objects, updated, constraint)
        for object in objects {
            guard let key = key(object, constraint) else { continue }
            if let owner = owners[key], owner !== object {
                let conflict = conflict(object, owner, constraint)
                throw SwiftDataError.modelValidationFailure.because(conflict.description, conflict)
            }
            owners[key] = object
        }
    }

    /// Resolves the conflicts of inserted objects, one after the other, as if each was saved by itself. False if there
    /// are none.
    private mutating func resolve(
        _ inserted: [ModelObject], _ updated: [ModelObject], _ constraints: [Constraint]
    ) throws -> Bool {
        let count = context.uniqueConflicts.count
        var known = try constraints.map { try owners(concerned(inserted, $0), updated, $0) }
        func own(_ object: ModelObject, _ value: ModelObject?) {
            for (index, constraint) in constraints.enumerated() {
                if let key = key(object, constraint) { known[index][key] = value }
            }
        }
        for object in inserted where !object.isDeleted && object.managedObjectContext != nil {
            guard let (owner, conflict) = try owner(of: object, known, constraints) else {
                own(object, object)
                continue
            }
            guard owner.entity.isKindOf(entity: object.entity) else {
                throw SwiftDataError.modelValidationFailure.because(
                    "\(conflict): a \(object.entity.name ?? "?") cannot become a \(owner.entity.name ?? "?")", conflict)
            }
            context.uniqueConflicts.append(conflict)
            if conflict.policy == .upsert {
                own(owner, nil)
                copy(object, to: owner)
                own(owner, owner)
            }
            replace(object, by: owner)
        }
        return context.uniqueConflicts.count > count
    }

    /// The object that has unique values of an inserted one. Throws if there are two.
    private func owner(
        of object: ModelObject, _ owners: [[AnyHashable: ModelObject]], _ constraints: [Constraint]
    ) throws -> (ModelObject, UniqueConflict)? {
        var found: (owner: ModelObject, conflict: UniqueConflict)?
        for (constraint, owners) in zip(constraints, owners) {
            guard let key = key(object, constraint), let owner = owners[key], owner !== found?.owner else { continue }
            let conflict = conflict(object, owner, constraint)
            if let found {
                throw SwiftDataError.modelValidationFailure.because(
                    "\(found.conflict), and \(conflict): two models cannot become one", conflict)
            }
            found = (owner, conflict)
        }
        return found
    }

    private func conflict(_ object: ModelObject, _ owner: ModelObject, _ constraint: Constraint) -> UniqueConflict {
        UniqueConflict(
            entityName: constraint.entity.name ?? "", properties: constraint.names, policy: constraint.policy,
            identifier: context.model(of: object).persistentModelID,
            existing: context.model(of: owner).persistentModelID)
    }

    /// The saved objects that may have the values of one of the objects, by their values.
    private func owners(
        _ objects: [ModelObject], _ updated: [ModelObject], _ constraint: Constraint
    ) throws -> [AnyHashable: ModelObject] {
        if objects.isEmpty { return [:] }
        let own = Set(objects.map { ObjectIdentifier($0) })
        var owners: [AnyHashable: ModelObject] = [:]
        for object in try saved(objects, constraint) + concerned(updated, constraint)
        where !object.isInserted && !object.isDeleted && !own.contains(ObjectIdentifier(object)) {
            if let key = key(object, constraint) { owners[key] = object }
        }
        return owners
    }

    /// Of the store. What the context changed is not asked: each statement would look at all of it.
    private func saved(_ objects: [ModelObject], _ constraint: Constraint) throws -> [ModelObject] {
        guard let name = constraint.names.first, try hasSaved(constraint.entity) else { return [] }
        let values = objects.compactMap { $0.value(forKey: name) }
        var found: [ModelObject] = []
        // SQLite takes 32,766 values in a statement.
        for start in stride(from: 0, to: values.count, by: 10_000) {
            let part = Array(values[start..<min(start + 10_000, values.count)])
            let request = NSFetchRequest<ModelObject>(entityName: constraint.entity.name ?? "")
            request.predicate = NSPredicate(format: "%K IN %@", name, part as NSArray)
            request.includesPendingChanges = false
            found += try context.managed.fetch(request)
        }
        return found
    }

    /// Whether a store has an object of the entity: a new one is asked for no values.
    private func hasSaved(_ entity: NSEntityDescription) throws -> Bool {
        let request = NSFetchRequest<NSManagedObjectID>(entityName: entity.name ?? "")
        request.resultType = .managedObjectIDResultType
        request.includesPendingChanges = false
        request.fetchLimit = 1
        return try !context.managed.fetch(request).isEmpty
    }

    /// Nil for an object of another entity, or if one of the values is nil: nils are not equal.
    private func key(_ object: ModelObject, _ constraint: Constraint) -> AnyHashable? {
        guard object.entity.isKindOf(entity: constraint.entity) else { return nil }
        var key: [AnyHashable] = []
        for name in constraint.names {
            switch object.value(forKey: name) {
            case let object as NSManagedObject: key.append(object.objectID)
            case let value as AnyHashable: key.append(value)
            default: return nil
            }
        }
        return key.count == 1 ? key[0] : AnyHashable(key)
    }

    private func copy(_ object: ModelObject, to owner: ModelObject) {
        for (name, attribute) in object.entity.attributesByName
        where !attribute.isTransient && owner.entity.attributesByName[name] != nil {
            owner.setValue(object.value(forKey: name), forKey: name)
        }
        for (name, relationship) in object.entity.relationshipsByName
        where owner.entity.relationshipsByName[name] != nil {
            if relationship.isToMany {
                // Members of the other one stay, as with Core Data's policies.
                let place = SlotLookup(name)
                let members = object.mapMembers(at: place) { $0 }.filter { !$0.isDeleted }
                if !members.isEmpty { owner.addMembers(members, at: place) }
            } else if let other = object.value(forKey: name) {
                owner.setValue(other, forKey: name)
            }
        }
    }

    private mutating func replace(_ object: ModelObject, by owner: ModelObject) {
        for name in object.entity.relationshipsByName.keys { object.setValue(nil, forKey: name) }
        for model in object.models {
            replaced.append((model, object, owner))
            object.remove(model)
            model.storage.replaceObject(with: owner, of: model)
        }
        context.managed.delete(object)
    }
}

extension ModelObject {
    /// Whether one of some properties has another value than the saved one. Reads no members of relationships.
    fileprivate func hasChanges(of names: Set<String>) -> Bool {
        let saved = committedValues(forKeys: Array(names))
        return names.contains { name in
            let old = saved[name].flatMap { $0 is NSNull ? nil : $0 }
            return !ObservedValues.isEqual(old, value(forKey: name))
        }
    }
}
#endif

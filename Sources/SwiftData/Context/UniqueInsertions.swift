#if SwiftData
import Firn
import FirnFoundation
import class FirnFoundation.NSPredicate
import FirnModel
import Foundation

/// Inserted models with unique values that another model has: the values go over to that one, and the inserted object
/// goes. The inserted model stands for the other from then on.
struct UniqueInsertions {
    private let context: ModelContext

    init(_ context: ModelContext) { self.context = context }

    func resolve() throws {
        let entities = context.container.coordinator.managedObjectModel.entities
        guard entities.contains(where: { !$0.uniquenessConstraints.isEmpty }) else { return }
        let inserted = context.managed.insertedList.compactMap { $0 as? ModelObject }
            .sorted { $0.objectID.precedes($1.objectID) }
        for (entity, objects) in Dictionary(grouping: inserted, by: \.entity) {
            for constraint in constraints(of: entity) {
                try resolve(objects.filter { !$0.isDeleted && $0.managedObjectContext != nil }, constraint)
            }
        }
        context.managed.processPendingChanges()
    }

    private func constraints(of entity: NSEntityDescription) -> [[String]] {
        sequence(first: entity, next: \.superentity).flatMap {
            $0.uniquenessConstraints.map { $0.compactMap { $0 as? String } }
        }
    }

    private func resolve(_ objects: [ModelObject], _ names: [String]) throws {
        guard let entity = objects.first?.entity else { return }
        var owners: [[AnyHashable]: ModelObject] = [:]
        for object in try saved(objects, names, entity) {
            if let key = key(object, names) { owners[key] = object }
        }
        for object in objects {
            guard let key = key(object, names) else { continue }
            guard let owner = owners[key], owner !== object else {
                owners[key] = object
                continue
            }
            move(object, to: owner)
        }
    }

    /// Saved objects that may have the same values.
    private func saved(
        _ objects: [ModelObject], _ names: [String], _ entity: NSEntityDescription
    ) throws -> [ModelObject] {
        guard let name = names.first else { return [] }
        let values = objects.compactMap { $0.value(forKey: name) }
        var found: [ModelObject] = []
        // SQLite takes 32,766 values in a statement.
        for start in stride(from: 0, to: values.count, by: 10_000) {
            let part = Array(values[start..<min(start + 10_000, values.count)])
            let request = NSFetchRequest<ModelObject>(entityName: entity.name ?? "")
            request.predicate = NSPredicate(format: "%K IN %@", name, part as NSArray)
            found += try context.managed.fetch(request).filter { !$0.isInserted && !$0.isDeleted }
        }
        return found
    }

    /// Nil if one of the values is nil: nils are not equal.
    private func key(_ object: ModelObject, _ names: [String]) -> [AnyHashable]? {
        var key: [AnyHashable] = []
        for name in names {
            switch object.value(forKey: name) {
            case let object as NSManagedObject: key.append(object.objectID)
            case let value as AnyHashable: key.append(value)
            default: return nil
            }
        }
        return key
    }

    private func move(_ object: ModelObject, to owner: ModelObject) {
        for (name, attribute) in object.entity.attributesByName where !attribute.isTransient {
            owner.setValue(object.value(forKey: name), forKey: name)
        }
        for name in object.entity.relationshipsByName.keys {
            let value = object.value(forKey: name)
            let isEmpty = (value as? NSSet)?.count == 0 || (value as? NSOrderedSet)?.count == 0
            if value != nil, !isEmpty { owner.setValue(value, forKey: name) }
        }
        let model = object.model
        for name in object.entity.relationshipsByName.keys { object.setValue(nil, forKey: name) }
        context.managed.delete(object)
        model?.storage.replaceObject(with: owner)
    }
}
#endif

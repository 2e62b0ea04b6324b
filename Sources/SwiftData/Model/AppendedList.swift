#if SwiftData
import Firn
import FirnRuntime
import Foundation

/// The models of a to-many relationship after models were appended to it: the next one that is appended needs none of
/// them. Valid until the members change, and dropped by the save.
///
/// Only where the inverse leads to one model, so that two models do not keep each other alive.
struct AppendedList {
    let version: MembersVersion
    /// `[Model]` of the relationship's class.
    let models: Any
}

extension ModelStorage {
    /// The models, if all that happened to the relationship is known.
    func appendedModels<Model: PersistentModel>(
        _ property: ModelShape.Property, of object: ModelObject, as type: Model.Type
    ) -> [Model]? {
        guard !appendedLists.isEmpty, let list = appendedLists[property.index],
            list.version == object.membersVersion(at: property.place)
        else { return nil }
        return list.models as? [Model]
    }

    /// Sets a to-many relationship. Models that come after the old ones are added without a look at these.
    func setMembers<Model: PersistentModel>(
        _ models: [Model], _ property: ModelShape.Property, of object: ModelObject, in context: ModelContext
    ) {
        if let old = appendedModels(property, of: object, as: Model.self), models.begins(with: old) {
            let objects = models.dropFirst(old.count).map { context.managedObject(of: $0.storage, for: self) }
            object.addMembers(objects, at: property.place)
            keep(models, property, of: object, in: context, isInOrder: isInOrder(models, from: old.count, property))
        } else {
            let objects = models.map { context.managedObject(of: $0.storage, for: self) }
            object.setMembers(objects, at: property.place)
            keep(models, property, of: object, in: context, isInOrder: isInOrder(models, from: 0, property))
        }
        context.scheduleSave()
    }

    /// Whether the models are in the order in which they will be read: that of an ordered relationship, or the one in
    /// which they were made. Those before `start` are.
    private func isInOrder<Model: PersistentModel>(
        _ models: [Model], from start: Int, _ property: ModelShape.Property
    ) -> Bool {
        if property.isOrdered { return true }
        let tail = models.dropFirst(max(start - 1, 0))
        return zip(tail, tail.dropFirst()).allSatisfy { left, right in
            guard let left = left.storage.object, let right = right.storage.object else { return false }
            return left.precedes(right)
        }
    }

    private func keep<Model: PersistentModel>(
        _ models: [Model], _ property: ModelShape.Property, of object: ModelObject, in context: ModelContext,
        isInOrder: Bool
    ) {
        let version = object.membersVersion(at: property.place)
        guard isInOrder, version.count == models.count, shape.inverse(of: property)?.relationship?.isToMany == false
        else {
            appendedLists[property.index] = nil
            return
        }
        if appendedLists.isEmpty { context.appended.append(WeakReference(self)) }
        appendedLists[property.index] = AppendedList(version: version, models: models)
    }
}

extension Array where Element: AnyObject {
    /// Whether the array begins with the same objects. Compared as words, many at a time.
    fileprivate func begins(with other: [Element]) -> Bool {
        guard count >= other.count else { return false }
        return withUnsafeBytes { own in
            other.withUnsafeBytes { other in
                guard let first = own.baseAddress, let second = other.baseAddress else { return true }
                return memcmp(first, second, other.count) == 0
            }
        }
    }
}
#endif

#if SwiftData
import Firn
import FirnRuntime
import Foundation

/// The models of a to-many relationship as they were set last, with which the next ones are compared: to append or
/// remove a model looks up no other one. Valid until the members change otherwise, and dropped by the save.
final class RelatedList<Model: PersistentModel>: CountedList {
    /// That of the managed object's members; nil outside of a context.
    fileprivate var version: MembersVersion?
    private(set) var models: [Model]
    /// A second list of the models, in memory of its own: an accessor changes it in place. Nil meanwhile.
    private var spare: [Model]?

    fileprivate init(_ models: [Model]) {
        self.models = models
        spare = models
    }

    var count: Int { models.count }

    fileprivate func removeSpare() -> [Model] {
        defer { spare = nil }
        return spare ?? models
    }

    fileprivate func replace(_ change: ListChange, with new: [Model]) {
        models.replaceSubrange(change.removed, with: new[change.added])
        spare = new
    }
}

/// A list of models of any class.
protocol CountedList: AnyObject {
    var count: Int { get }
}

/// The places from the first to the last in which two lists differ.
struct ListChange {
    /// In the old list.
    let removed: Range<Int>
    /// In the new one.
    let added: Range<Int>
    /// Whether the members that are in both stay in their order without a look at it.
    let isPlain: Bool

    /// Compares words, many at a time where nothing differs.
    init<Model: AnyObject>(from old: [Model], to new: [Model]) {
        let common = min(old.count, new.count)
        let (start, rest) = old.withUnsafeBytes { old in
            new.withUnsafeBytes { new in
                let (old, new) = (old.bindMemory(to: UInt.self), new.bindMemory(to: UInt.self))
                var start = 0
                if let first = old.baseAddress, let second = new.baseAddress,
                    memcmp(first, second, common * MemoryLayout<UInt>.stride) == 0
                {
                    start = common
                }
                while start < common, old[start] == new[start] { start += 1 }
                var rest = 0
                while rest < common - start, old[old.count - 1 - rest] == new[new.count - 1 - rest] { rest += 1 }
                return (start, rest)
            }
        }
        removed = start..<old.count - rest
        added = start..<new.count - rest
        isPlain = added.isEmpty || removed.isEmpty && rest == 0
    }
}

extension ModelStorage {
    /// The list that was set last, if it is what the relationship has now.
    func relatedList<Model: PersistentModel>(
        _ property: ModelShape.Property, as type: Model.Type
    ) -> RelatedList<Model>? {
        guard !relatedLists.isEmpty, let list = relatedLists[property.index] as? RelatedList<Model>,
            list.version == object?.membersVersion(at: property.place)
        else { return nil }
        return list
    }

    /// The models of a to-many relationship, to be changed in place and then set.
    func editableModels<Value: RelationshipCollection>(_ keyPath: KeyPath<some Any, Value>) -> Value {
        let list = relatedList(property(keyPath), as: Value.PersistentElement.self)
        guard let list else { return models(keyPath) }
        recordRead(property(keyPath))
        return Value(relatedModels: list.removeSpare())
    }

    /// Sets a to-many relationship of a model in a context.
    func setMembers<Model: PersistentModel>(
        _ models: [Model], _ property: ModelShape.Property, of object: ModelObject, in context: ModelContext
    ) {
        let list = relatedList(property, as: Model.self)
        let change = ListChange(from: list?.models ?? [], to: models)
        if let list, change.isPlain {
            let removed = list.models[change.removed].map { context.managedObject(of: $0.storage, for: self) }
            let added = models[change.added].map { context.managedObject(of: $0.storage, for: self) }
            notifyingInverses(property, { removed }, added) {
                if !removed.isEmpty { object.removeMembers(removed, at: property.place) }
                if removed.isEmpty { object.addMembers(added, at: property.place) }
            }
        } else {
            let objects = models.map { context.managedObject(of: $0.storage, for: self) }
            notifyingInverses(property, { others(of: object, property) }, objects) {
                object.setMembers(objects, at: property.place)
            }
        }
        let version = object.membersVersion(at: property.place)
        let start = list == nil || !change.isPlain ? 0 : change.added.lowerBound
        let isRead = version.count == models.count && isInOrder(models, from: start, property)
        keep(isRead && dropInverseLists(models[start...], property) ? models : [], property, list, change, version)
        context.scheduleSave()
    }

    /// Below this count, to make the models again takes less time than to keep them.
    private static let keptCountMin = 16

    /// Keeps what a to-many relationship was set to. `list` is what it had before `change`.
    func keep<Model: PersistentModel>(
        _ models: [Model], _ property: ModelShape.Property, _ list: RelatedList<Model>?, _ change: ListChange,
        _ version: MembersVersion?
    ) {
        guard models.count >= Self.keptCountMin else {
            if !relatedLists.isEmpty { relatedLists[property.index] = nil }
            return
        }
        if relatedLists.isEmpty, let context { context.changedLists.append(WeakReference(self)) }
        let kept = list ?? RelatedList(models)
        if list != nil { kept.replace(change, with: models) }
        kept.version = version
        relatedLists[property.index] = kept
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

    /// Drops the lists by which new members would keep this model alive, as it will them. False for a longer one.
    private func dropInverseLists(_ models: ArraySlice<some PersistentModel>, _ property: ModelShape.Property) -> Bool {
        guard let inverse = shape.inverse(of: property), inverse.relationship?.isToMany == true else { return true }
        for model in models {
            let storage = model.storage
            guard let list = storage.relatedLists[inverse.index] else { continue }
            if list.count > models.endIndex { return false }
            storage.relatedLists[inverse.index] = nil
        }
        return true
    }
}
#endif

import FirnFoundation
import FirnLog
import FirnModel
import FirnStore
import Foundation

extension NSManagedObjectContext {
    /// Undoes what a transaction did, as unsaved changes of this context: what it inserted is deleted, what it updated
    /// gets its old values, what it deleted is inserted again, under a new object ID. Saving validates and writes them
    /// as a transaction of their own; history keeps both.
    ///
    /// Throws `HistoryConflicts`, and changes nothing, where the objects are no longer as the transaction left them.
    /// Throws too if an object or a large old value cannot be read. Members that come back into an ordered relationship
    /// come at its end, and a new order stays. To be called on the context's queue.
    public func revert(_ transaction: NSPersistentHistoryTransaction) throws {
        _ = try objects(reverting: transaction)
    }

    /// Undoes what a transaction did. Returns the objects that came back, by the IDs that they had.
    package func objects(
        reverting transaction: NSPersistentHistoryTransaction
    ) throws -> [NSManagedObjectID: NSManagedObject] {
        // Also if the request asked for transactions only.
        let changes = NSPersistentHistoryChange.all(of: transaction.source)
        // Objects that were looked at stay in memory until they are changed: their saves conflict with what others save
        // from here on, while an object that is read once more would have it and overwrite it.
        var seen: [NSManagedObject] = []
        let old = try changes.map { $0.changeType == .insert ? [:] : try $0.readOldValues() }
        // Objects that are led to again have to be there, unless they come back too, or were gone before.
        let members = transaction.memberChanges.filter { !$0.isAdded }.flatMap { [$0.owner, $0.member] }
        let gone = try Set(old.flatMap { $0.values.compactMap { $0 as? NSManagedObjectID } } + members)
            .subtracting(changes.map(\.changedObjectID)).filter { try objectInStore($0)?.isDeleted ?? true }
        let lost = gone.isEmpty ? [] : try transaction.existing(gone)
            .sorted { $0.uriRepresentation().absoluteString < $1.uriRepresentation().absoluteString }
        let found = try lost.map { HistoryConflict(objectID: $0, reason: .deleted) }
            + changes.flatMap { try conflicts($0, &seen) } + laterMembers(transaction, changes)
        guard found.isEmpty else { throw HistoryConflicts(conflicts: found) }
        return withExtendedLifetime(seen) { undo(transaction, changes, old, gone) }
    }

    private func undo(
        _ transaction: NSPersistentHistoryTransaction, _ changes: [NSPersistentHistoryChange], _ old: [[String: Any]],
        _ gone: Set<NSManagedObjectID>
    ) -> [NSManagedObjectID: NSManagedObject] {
        var restored: [NSManagedObjectID: NSManagedObject] = [:]
        for change in changes where change.changeType == .delete {
            guard let name = change.changedObjectID.entity.name else { continue }
            let object = NSEntityDescription.insertNewObject(forEntityName: name, into: self)
            let stores = persistentStoreCoordinator?.persistentStores ?? []
            if let store = stores.first(where: { $0.identifier == transaction.storeID }) { assign(object, to: store) }
            restored[change.changedObjectID] = object
        }
        func object(_ id: NSManagedObjectID) -> NSManagedObject { restored[id] ?? self.object(with: id) }
        for (change, old) in zip(changes, old) where change.changeType != .insert {
            let target = object(change.changedObjectID)
            for name in change.statedNames {
                let id = old[name] as? NSManagedObjectID
                let value = id.map { gone.contains($0) ? nil : object($0) } ?? old[name]
                target.setStatedValue(value, StatedName(name))
            }
        }
        for change in transaction.memberChanges where gone.isDisjoint(with: [change.owner, change.member]) {
            object(change.owner).change(change.relationship, object(change.member), isAdded: !change.isAdded)
        }
        for change in changes where change.changeType == .insert { delete(object(change.changedObjectID)) }
        return restored
    }

    /// Finds the relationships of what was inserted to which later transactions added: these members would be deleted
    /// with it, or lose it. At first it had those that the transaction gave it.
    private func laterMembers(
        _ transaction: NSPersistentHistoryTransaction, _ changes: [NSPersistentHistoryChange]
    ) throws -> [HistoryConflict] {
        var first = Set<Membership>()
        for change in transaction.memberChanges where change.isAdded {
            first.insert(Membership(change.owner, change.relationship, change.member))
            guard let inverse = change.owner.entity.relationshipsByName[change.relationship]?.inverseRelationship
            else { continue }
            first.insert(Membership(change.member, inverse.name, change.owner))
        }
        for change in changes where change.changeType != .delete {
            for (name, value) in change.newValues {
                guard let owner = value as? NSManagedObjectID,
                    let inverse = change.changedObjectID.entity.relationshipsByName[name]?.inverseRelationship
                else { continue }
                first.insert(Membership(owner, inverse.name, change.changedObjectID))
            }
        }
        return try changes.filter { $0.changeType == .insert }.flatMap { change in
            let id = change.changedObjectID
            guard let object = try objectInStore(id), !object.isDeleted else { return [HistoryConflict]() }
            return object.entity.relationshipsByName.values.filter(\.isToMany).compactMap { relationship in
                let isLater = object.members(of: relationship).contains { member in
                    !member.isDeleted && !first.contains(Membership(id, relationship.name, member.objectID))
                }
                return isLater ? HistoryConflict(objectID: id, reason: .changed(property: relationship.name)) : nil
            }
        }
    }

    /// - Parameter seen: gets the object that was compared.
    private func conflicts(
        _ change: NSPersistentHistoryChange, _ seen: inout [NSManagedObject]
    ) throws -> [HistoryConflict] {
        let id = change.changedObjectID
        if change.changeType == .delete { return [] }
        guard let object = try objectInStore(id), !object.isDeleted else {
            return [HistoryConflict(objectID: id, reason: .deleted)]
        }
        seen.append(object)
        let new = change.newValues
        return change.statedNames.compactMap { name in
            ValueComparison.equal(object.statedValue(StatedName(name)), new[name])
                ? nil : HistoryConflict(objectID: id, reason: .changed(property: name))
        }
    }
}

/// A member of a relationship. Keys are the same whichever coordinator gave an ID.
private struct Membership: Hashable {
    private let owner: ObjectKey
    private let relationship: String
    private let member: ObjectKey

    init(_ owner: NSManagedObjectID, _ relationship: String, _ member: NSManagedObjectID) {
        (self.owner, self.relationship, self.member) = (owner.key, relationship, member.key)
    }
}

extension NSManagedObject {
    fileprivate func members(of relationship: NSRelationshipDescription) -> [NSManagedObject] {
        let value = value(forKey: relationship.name)
        let members = (value as? NSOrderedSet)?.array ?? (value as? NSSet)?.allObjects ?? []
        return members.compactMap { $0 as? NSManagedObject }
    }

    fileprivate func statedValue(_ name: StatedName) -> Any? { name.value(in: value(forKey: name.property)) }

    fileprivate func setStatedValue(_ value: Any?, _ name: StatedName) {
        setValue(name.set(value, in: self.value(forKey: name.property)), forKey: name.property)
    }

    /// Adds a member to a to-many relationship, or removes it.
    fileprivate func change(_ relationship: String, _ member: NSManagedObject, isAdded: Bool) {
        if entity.relationshipsByName[relationship]?.isOrdered == true {
            let present = value(forKey: relationship) as? NSOrderedSet ?? NSOrderedSet()
            let members = NSMutableOrderedSet(orderedSet: present)
            if isAdded { members.add(member) } else { members.remove(member) }
            setValue(members, forKey: relationship)
        } else {
            var members = value(forKey: relationship) as? Set<NSManagedObject> ?? []
            if isAdded { members.insert(member) } else { members.remove(member) }
            setValue(members, forKey: relationship)
        }
    }
}

package import Firn
import FirnFoundation
package import FirnLog
import FirnModel
import Foundation

/// The changes of the objects of the present that put back a record's changes, an object or a property.
package struct Reversal: Sendable {
    /// The thing to put back.
    package enum Target: Sendable {
        /// The changes of a record, as `NSManagedObjectContext.revert(_:)` puts them back.
        case record(LogRecord)
        /// An object as it was after a record, or one of its properties.
        case object(ObjectName, property: String?, sequence: SequenceNumber)
    }

    /// The change of one object.
    package struct Change: Sendable {
        package enum Kind: Sendable { case insert, update, delete }

        package struct Property: Sendable {
            package let name: String
            package let old: String?
            package let new: String?
            /// The members that come and go, of a to-many relationship.
            package let members: MemberChange?
        }

        package struct MemberChange: Sendable {
            package let oldCount: Int
            package let newCount: Int
            package let added: [String]
            package let removed: [String]
        }

        package let kind: Kind
        package let entity: String
        package let object: String
        package let properties: [Property]
    }

    /// A reason why it cannot be done.
    package struct Obstacle: Sendable {
        package let text: String
        /// The object in the way, which the text names, and its property.
        package var object: String?
        package var property: String?
    }

    package private(set) var changes: [Change] = []
    /// Why it cannot be done; nothing is changed then.
    package private(set) var obstacles: [Obstacle] = []

    /// Makes the changes in a context of their own, and calls `body` with what they are, if there are any, and with the
    /// context, to save them.
    ///
    /// - Parameters:
    ///   - name: the context's name, which the record of a save carries.
    package init(
        _ target: Target, in store: NSPersistentStore, of coordinator: NSPersistentStoreCoordinator, author: String,
        name: String, _ body: (Reversal, NSManagedObjectContext) throws -> Void
    ) throws {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        context.transactionAuthor = author
        context.name = name
        self = try context.performAndWait {
            var reversal = Reversal()
            do {
                switch target {
                case .record(let record):
                    let transaction = try NSPersistentHistoryTransaction(record, store: store)
                    context.transactionMetadata = EarlierReversals.metadata(ofRecord: transaction.transactionNumber)
                    let earlier = try Self.earlier(transaction, store, coordinator)
                    reversal.obstacles = try earlier?.obstacle(in: context).map { [Obstacle(text: $0)] } ?? []
                    guard reversal.obstacles.isEmpty else { return reversal }
                    let lists = try Reordering.lists(transaction, context, store)
                    let restored = try context.objects(reverting: transaction)
                    context.processPendingChanges()
                    for list in lists { list.putBack(in: context, restored) }
                case .object(let object, let property, let sequence):
                    let past = try PastStore(store, at: sequence)
                    let restoring = Restoring(object, property, at: sequence, from: past, to: context, store)
                    reversal.obstacles = try past.context.performAndWait {
                        try past.checkingLargeValues { try restoring.run().map { Obstacle(text: $0) } }
                    }
                }
                context.processPendingChanges()
                guard reversal.obstacles.isEmpty else { return reversal }
                reversal.changes = Self.changes(in: context)
                if context.hasChanges { try body(reversal, context) }
            } catch let conflicts as HistoryConflicts {
                reversal.obstacles = conflicts.conflicts.map(Self.obstacle)
                if case .record(let record) = target, let words = try Self.undone(record, store, coordinator) {
                    reversal.obstacles.insert(Obstacle(text: words), at: 0)
                }
            } catch let error as NSError where error.domain == NSCocoaErrorDomain {
                reversal.obstacles = [Obstacle(text: error.localizedDescription)]
            }
            return reversal
        }
    }

    private init() {}

    /// The saves that brought back what a transaction deleted; nil for one that deleted nothing.
    private static func earlier(
        _ transaction: NSPersistentHistoryTransaction, _ store: NSPersistentStore,
        _ coordinator: NSPersistentStoreCoordinator
    ) throws -> EarlierReversals? {
        let deleted = (transaction.changes ?? []).filter { $0.changeType == .delete }.map { name($0.changedObjectID) }
        if deleted.isEmpty { return nil }
        let number = transaction.transactionNumber
        return try EarlierReversals(of: Set(deleted), deletedBy: number, after: number, in: store, of: coordinator)
    }

    /// The words for a record that was undone; nil for one that was not.
    private static func undone(
        _ record: LogRecord, _ store: NSPersistentStore, _ coordinator: NSPersistentStoreCoordinator
    ) throws -> String? {
        let number = Int64(record.sequence.rawValue)
        return try EarlierReversals(of: [], deletedBy: number, after: number, in: store, of: coordinator).words
    }

    private static func changes(in context: NSManagedObjectContext) -> [Change] {
        let kinds: [(Change.Kind, Set<NSManagedObject>)] = [
            (.insert, context.insertedObjects), (.update, context.updatedObjects), (.delete, context.deletedObjects),
        ]
        return kinds.flatMap { kind, objects in
            objects.map { change($0, kind) }.filter { $0.kind != .update || !$0.properties.isEmpty }
                .sorted { $0.object < $1.object }
        }
    }

    private static func change(_ object: NSManagedObject, _ kind: Change.Kind) -> Change {
        let names = object.entity.properties.filter { !$0.isTransient }.map(\.name).sorted()
        let changed = object.changedValues()
        let committed = kind == .insert ? [:] : object.committedValues(forKeys: names)
        let properties = names.compactMap { name -> Change.Property? in
            let old = kind == .insert ? nil : text(committed[name])
            let new = kind == .delete ? nil : text(kind == .update ? changed[name] : object.value(forKey: name))
            if kind == .update, ValueComparison.equal(committed[name], changed[name] ?? committed[name]) { return nil }
            if old == nil, new == nil { return nil }
            let isToMany = object.entity.relationshipsByName[name]?.isToMany ?? false
            let members = isToMany
                ? members(committed[name], kind == .update ? changed[name] : object.value(forKey: name), kind) : nil
            return Change.Property(name: name, old: old, new: new, members: members)
        }
        return Change(
            kind: kind, entity: object.entity.name ?? "", object: name(object.objectID), properties: properties)
    }

    /// The members of a relationship that come and go; of an object that is deleted none go.
    private static func members(_ old: Any?, _ new: Any?, _ kind: Change.Kind) -> Change.MemberChange {
        let (old, new) = (objects(old), kind == .delete ? [] : objects(new))
        let (before, after) = (Set(old), Set(new))
        return Change.MemberChange(
            oldCount: old.count, newCount: new.count, added: names(new.filter { !before.contains($0) }),
            removed: kind == .delete ? [] : names(old.filter { !after.contains($0) }))
    }

    /// The members of a relationship, in their order if they have one; of one to a single object, that.
    fileprivate static func objects(_ value: Any?) -> [NSManagedObject] {
        switch value {
        case let object as NSManagedObject: [object]
        case let objects as Set<NSManagedObject>: Array(objects)
        case let objects as NSOrderedSet: objects.array.compactMap { $0 as? NSManagedObject }
        default: []
        }
    }

    static func name(_ id: NSManagedObjectID) -> String {
        let entity = id.entity.name ?? ""
        if id.isTemporaryID { return "a new \(entity)" }
        return entity + "/" + id.uriRepresentation().lastPathComponent.drop { !$0.isNumber }
    }

    /// Nil for nil.
    private static func text(_ value: Any?) -> String? {
        switch value {
        case nil, is NSNull: nil
        case let object as NSManagedObject: name(object.objectID)
        case let members as NSOrderedSet where members.count > 0:
            objects(members).map { name($0.objectID) }.joined(separator: ", ")
        case is Set<NSManagedObject>, is NSOrderedSet: members(objects(value))
        case let date as Date:
            Int64(exactly: (date.timeIntervalSince1970 * 1e6).rounded()).map { LogDate($0).iso8601 } ?? "\(date)"
        case let data as Data: ValueText.hexadecimal(data)
        case let elements as [String: Any]:
            elements.sorted { $0.key < $1.key }.map { "\($0.key): \(text($0.value) ?? "")" }.joined(separator: ", ")
        case let value?: "\(value)"
        }
    }

    private static func members(_ objects: [NSManagedObject]) -> String? {
        objects.isEmpty ? nil : names(objects).joined(separator: ", ")
    }

    /// The names of objects; several new ones of an entity are a number.
    private static func names(_ objects: [NSManagedObject]) -> [String] {
        let new = objects.filter(\.objectID.isTemporaryID)
        let named = new.count > 1 ? objects.filter { !$0.objectID.isTemporaryID } : objects
        let others = Dictionary(grouping: new.count > 1 ? new : []) { $0.entity.name ?? "" }
        return named.map { name($0.objectID) }.sorted() + others.map { "\($0.value.count) new \($0.key)" }.sorted()
    }

    private static func obstacle(_ conflict: HistoryConflict) -> Obstacle {
        let object = name(conflict.objectID)
        return switch conflict.reason {
        case .changed(let property):
            Obstacle(text: "\(property) of \(object) was changed later", object: object, property: property)
        case .deleted: Obstacle(text: "\(object) was deleted later", object: object)
        }
    }
}

/// An ordered relationship whose members, or their order, a record changed, and no later one did.
private struct Reordering {
    let owner: NSManagedObjectID
    let property: String
    /// The members as they were before the record.
    let members: [NSManagedObjectID]

    /// Finds the lists of the objects that a record updated or deleted; none where the state before it was trimmed.
    static func lists(
        _ transaction: NSPersistentHistoryTransaction, _ present: NSManagedObjectContext, _ store: NSPersistentStore
    ) throws -> [Reordering] {
        let lists = (transaction.changes ?? []).filter { $0.changeType != .insert }.flatMap { change in
            change.changedObjectID.entity.relationshipsByName.values.filter(\.isOrdered).map { (change, $0.name) }
        }
        guard !lists.isEmpty else { return [] }
        let number = UInt64(transaction.transactionNumber)
        let states: [PastStore]
        do {
            states = try [number - 1, number].map { try PastStore(store, at: SequenceNumber($0)) }
        } catch let error as NSError where error.code == NSPersistentHistoryTokenExpiredError { return [] }
        return try lists.compactMap { change, property in
            let owner = change.changedObjectID
            func list(_ past: PastStore) throws -> [NSManagedObjectID] {
                try past.context.performAndWait {
                    try members(past.object(owner), property).compactMap { past.presentID(of: $0) }
                }
            }
            let before = try list(states[0])
            guard before.count > 1 else { return nil }
            if change.changeType == .update {
                let after = try list(states[1])
                let now = try members(present.objectInStore(owner), property).map(\.objectID)
                guard before != after, after == now else { return nil }
            }
            return Reordering(owner: owner, property: property, members: before)
        }
    }

    private static func members(_ owner: NSManagedObject?, _ property: String) -> [NSManagedObject] {
        guard let owner, owner.entity.relationshipsByName[property]?.isOrdered == true else { return [] }
        return Reversal.objects(owner.value(forKey: property))
    }

    /// - Parameter restored: the objects that came back, by the IDs that they had.
    func putBack(in context: NSManagedObjectContext, _ restored: [NSManagedObjectID: NSManagedObject]) {
        func object(_ id: NSManagedObjectID) -> NSManagedObject { restored[id] ?? context.object(with: id) }
        let owner = object(owner)
        let now = Reversal.objects(owner.value(forKey: property))
        let places = Dictionary(members.enumerated().map { (object($1), $0) }) { first, _ in first }
        func place(_ member: NSManagedObject) -> Int { places[member] ?? .max }
        let sorted = now.sorted { place($0) < place($1) }
        if sorted != now { owner.setValue(NSOrderedSet(array: sorted), forKey: property) }
    }
}

/// One object that gets the values that it had.
private struct Restoring {
    private let object: ObjectName
    private let property: String?
    private let sequence: SequenceNumber
    private let past: PastStore
    private let present: NSManagedObjectContext
    private let store: NSPersistentStore

    init(
        _ object: ObjectName, _ property: String?, at sequence: SequenceNumber, from past: PastStore,
        to present: NSManagedObjectContext, _ store: NSPersistentStore
    ) {
        self.object = object
        self.property = property
        self.sequence = sequence
        self.past = past
        self.present = present
        self.store = store
    }

    /// Says why it cannot be done; then something may be changed.
    func run() throws -> [String] {
        let url = URL(string: "x-coredata://\(store.identifier ?? "")/\(object.entity)/p\(object.key)")
        guard let id = url.flatMap({ present.persistentStoreCoordinator?.managedObjectID(forURIRepresentation: $0) })
        else { return ["there is no entity “\(object.entity)” any more"] }
        guard let then = try past.object(id) else {
            return ["\(object.text) was not there then; firn history shows when it was"]
        }
        let own = past.presentID(of: then)
        present.transactionMetadata = EarlierReversals.metadata(ofObject: own.map(Reversal.name) ?? object.text)
        var now = try present.objectInStore(id)
        if now == nil, property == nil, let own {
            if let obstacle = try earlier(own)?.obstacle(in: present) { return [obstacle] }
            now = inserted(own.entity)
        }
        guard let now else { return ["\(object.text) is not there any more; name it without the property"] }
        let found = { try self.found($0, id, now) }
        if let property, past.name(of: property, of: now.entity, then) == nil {
            return ["\(object.entity) has no property “\(property)” now, or had none then"]
        }
        var obstacles: [String] = []
        for (name, described) in now.entity.propertiesByName where name == property ?? name {
            guard let old = past.name(of: name, of: now.entity, then), !described.isTransient else { continue }
            if let relationship = described as? NSRelationshipDescription {
                obstacles += try set(relationship, of: now, to: then.value(forKey: old), found)
            } else if described is NSAttributeDescription, !(described is NSDerivedAttributeDescription) {
                let value = then.value(forKey: old)
                if !ValueComparison.equal(now.value(forKey: name), value) { now.setValue(value, forKey: name) }
            }
        }
        return obstacles.sorted()
    }

    /// The members of a relationship that a to-one relationship of theirs tells stay where they are, unless they were
    /// asked for.
    private func set(
        _ relationship: NSRelationshipDescription, of now: NSManagedObject, to value: @autoclosure () -> Any?,
        _ found: (NSManagedObject) throws -> NSManagedObject?
    ) throws -> [String] {
        let name = relationship.name
        if relationship.isToMany {
            guard property != nil || relationship.inverseRelationship?.isToMany ?? true else { return [] }
            let old = try Reversal.objects(value()).filter(wasThere)
            let members = try old.map { (self.name($0), try found($0)) }
            let lost = members.filter { $0.1 == nil }.map { "\(name) had \($0.0), which was deleted" }
            let (new, current) = (members.compactMap(\.1), Reversal.objects(now.value(forKey: name)))
            if relationship.isOrdered {
                if new != current { now.setValue(NSOrderedSet(array: new), forKey: name) }
            } else if Set(new) != Set(current) {
                now.setValue(Set(new), forKey: name)
            }
            return lost
        }
        guard let destination = value() as? NSManagedObject, try wasThere(destination) else {
            if now.value(forKey: name) != nil { now.setValue(nil, forKey: name) }
            return []
        }
        guard let found = try found(destination) else {
            return ["\(name) was \(self.name(destination)), which was deleted: undo the record that deleted it"]
        }
        if now.value(forKey: name) as? NSManagedObject !== found { now.setValue(found, forKey: name) }
        return []
    }

    /// Whether an object that another one led to was there then.
    private func wasThere(_ object: NSManagedObject) throws -> Bool {
        try past.context.objectInStore(object.objectID) != nil
    }

    /// The object of the present that is one of the past; `restored` for the one with `id`, also under a new key.
    private func found(
        _ object: NSManagedObject, _ id: NSManagedObjectID, _ restored: NSManagedObject
    ) throws -> NSManagedObject? {
        guard let other = past.presentID(of: object) else { return nil }
        return other == id ? restored : try present.objectInStore(other)
    }

    /// The saves that brought the object back.
    private func earlier(_ own: NSManagedObjectID) throws -> EarlierReversals? {
        guard let coordinator = present.persistentStoreCoordinator else { return nil }
        return try EarlierReversals(
            of: [Reversal.name(own)], deletedBy: nil, after: Int64(sequence.rawValue), in: store, of: coordinator)
    }

    private func inserted(_ entity: NSEntityDescription) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity.name ?? "", into: present)
        present.assign(object, to: store)
        return object
    }

    private func name(_ object: NSManagedObject) -> String {
        Reversal.name(past.presentID(of: object) ?? object.objectID)
    }
}

#if SwiftData
import Firn
import FirnModel
import Foundation

/// Observers of a relationship hear of what changes it from its other side: `book.author = other` changes the books of
/// two authors.
extension ModelStorage {
    /// Records that a relationship was read: somebody may observe it from now on.
    func recordRead(_ property: ModelShape.Property) {
        if readRelationships & property.mark != 0 { return }
        readRelationships |= property.mark
        context?.observeDeletions()
    }

    /// Notifies the observers of a relationship that was read. They read it again if they wait for another change.
    func notifyReaders(of property: ModelShape.Property, _ model: (any PersistentModel)?) {
        guard readRelationships & property.mark != 0, let model else { return }
        readRelationships &= ~property.mark
        ModelObservers(model).notify([property.name])
    }

    /// Changes a relationship of a model in a context, and notifies the observers of the other sides.
    ///
    /// - Parameters:
    ///   - old: Returns the members before.
    ///   - new: The members after it.
    func notifyingInverses(
        _ property: ModelShape.Property, _ old: () -> [ModelObject], _ new: [ModelObject], _ change: () -> Void
    ) {
        guard context?.deletionObserver != nil, let inverse = shape.inverse(of: property) else { return change() }
        let old = old()
        let (before, after) = (Set(old.map(ObjectIdentifier.init)), Set(new.map(ObjectIdentifier.init)))
        let added = new.filter { !before.contains(ObjectIdentifier($0)) }
        var affected = (old.filter { !after.contains(ObjectIdentifier($0)) } + added).map { ($0, inverse) }
        if inverse.relationship?.isToMany == false {
            // They leave those that had them.
            affected += added.compactMap { $0.destination(at: inverse.place) as? ModelObject }.map { ($0, property) }
        }
        change()
        for (object, property) in affected { object.notifyReaders(of: property) }
    }
}

extension ModelObject {
    fileprivate func notifyReaders(of property: ModelShape.Property) {
        for model in models { model.storage.notifyReaders(of: property, model) }
    }

    /// Notifies the observers of relationships that the present event changed.
    fileprivate func notifyReadersOfEvent() {
        for model in models where model.storage.readRelationships != 0 {
            let changed = changedValuesForCurrentEvent()
            for property in model.storage.shape.properties
            where property.relationship != nil && changed[property.name] != nil {
                model.storage.notifyReaders(of: property, model)
            }
        }
    }
}

/// Relationships that may be observed, before a rollback or a merge of others' saves: these change sides that they do
/// not name.
struct ReadRelationships {
    private struct Entry {
        let object: ModelObject
        let storage: ModelStorage
        let property: ModelShape.Property
        let others: Set<NSManagedObjectID>

        /// Whether it leads to the same. Reads it again, but not for a fault.
        var isUnchanged: Bool { !object.isFault && ReadRelationships.others(of: object, property, storage) == others }
    }

    private var entries: [Entry] = []

    init(of context: ModelContext) {
        guard context.deletionObserver != nil else { return }
        for case let object as ModelObject in context.managed.registeredObjects where !object.isFault {
            guard let storage = object.model?.storage else { continue }
            let read = object.models.reduce(0) { $0 | $1.storage.readRelationships }
            if read == 0 { continue }
            for property in storage.shape.properties
            where property.relationship != nil && read & property.mark != 0 {
                if property.relationship?.isToMany == true, object.hasFault(forRelationshipNamed: property.name) {
                    continue
                }
                let others = Self.others(of: object, property, storage)
                entries.append(Entry(object: object, storage: storage, property: property, others: others))
            }
        }
    }

    private static func others(
        of object: ModelObject, _ property: ModelShape.Property, _ storage: ModelStorage
    ) -> Set<NSManagedObjectID> { Set(storage.others(of: object, property).map(\.objectID)) }

    func notifyOfChanges() {
        for entry in entries where entry.object.managedObjectContext != nil && !entry.object.isDeleted {
            if !entry.isUnchanged { entry.object.notifyReaders(of: entry.property) }
        }
    }
}

extension ModelShape.Property {
    /// The bit of the property among those of its model; the last one is that of all from the 64th on.
    fileprivate var mark: UInt64 { 1 << UInt64(min(index, 63)) }
}

extension ModelContext {
    /// Follows deletions, whose rules change the relationships of others when the event ends.
    func observeDeletions() {
        if deletionObserver != nil { return }
        let observer = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextObjectsDidChange, object: managed, queue: nil
        ) { note in
            guard let context = (note.object as? ModelManagedContext)?.owner, context.hasDeletions else { return }
            context.hasDeletions = false
            for case let object as ModelObject in note.userInfo?[NSUpdatedObjectsKey] as? Set<NSManagedObject> ?? [] {
                object.notifyReadersOfEvent()
            }
        }
        deletionObserver = observer
    }
}
#endif

import FirnRuntime
import FirnStore
import FirnLog
import FirnModel
import FirnProjection
import Foundation

/// The saving of one context's changes into one store.
///
///     without any lock     conflicts are found and resolved → keys → change set
///     by the store         does what was read still hold? → log → row cache and tables → durable
///     then                 objects take what was written as their snapshots
///
/// If a row has changed that was read, all of it is done again, with the row as it is now.
final class SaveOperation: StoreSaving {
    let context: NSManagedObjectContext
    let store: NSPersistentStore
    let engine: StoreEngine
    private let participant: (any SaveParticipant)?
    private var inserted: [NSManagedObject]
    private var updated: [NSManagedObject]
    private var deleted: [NSManagedObject]
    private var builder: ChangeSetBuilder
    /// Objects whose changes a merge policy dropped: they are what the store has, and reported as refreshed.
    private(set) var refreshed: [NSManagedObject] = []
    /// What was written, with the objects that it is of.
    private var written: [(RowBatch, [UncountedReference<NSManagedObject>])] = []
    private var derived: DerivedChanges?
    /// The record that was written, if there was anything to write.
    private(set) var sequence: SequenceNumber?
    /// Members of ordered relationships that are part of the save only for their positions.
    private var moved: [NSManagedObject] = []
    /// Whether keys that were given are those of another program's objects.
    private var hasRemoteKeys = false
    /// Of objects that got permanent IDs in this save, for the case that it fails.
    private var temporary = TemporaryIdentities()

    init(
        _ change: ObjectChange, context: NSManagedObjectContext, store: NSPersistentStore, engine: StoreEngine
    ) {
        self.context = context
        self.store = store
        self.engine = engine
        participant = store.participant
        inserted = change.inserted
        updated = change.updated
        deleted = change.deleted
        builder = ChangeSetBuilder(schema: engine.schema)
    }

    /// Writes the changes. On an error nothing was written, and the objects are as they were, but for what a merge
    /// policy resolved.
    func run() throws {
        let header = context.transactionHeader(engine)
        var tries = CommitTries(engine)
        var remote: [LogRecord] = []
        do {
            while true {
                switch try commit(header, remote, isLocked: tries.count >= Self.triesMax) {
                case .committed(let number):
                    sequence = number
                    return applySnapshots()
                case .empty: return clearUnstoredChanges()
                case .conflict(let records):
                    remote += records
                    discardAttempt()
                    try tries.failed()
                }
            }
        } catch {
            rollBack()
            if let save = IndeterminateSave(error, storeIdentifier: store.identifier) {
                context.indeterminateSaves.append(save)
            }
            throw StoreError.saving(IndeterminateSave.advising(error), path: store.placeName)
        }
    }

    /// A save that lost as often is made while nobody else may write.
    private static let triesMax = 3

    private func commit(
        _ header: TransactionHeader, _ remote: [LogRecord], isLocked: Bool
    ) throws -> CommitResult {
        if !isLocked, !needsLock {
            if !inserted.isEmpty { try engine.refreshForKeys() }
            let reader = engine.transactionReader(remote: remote)
            let changes = try changeSet(reader)
            if hasRemoteKeys { return .conflict(records: []) }
            // A merge policy may have brought such values in.
            if !storesLargeValues {
                return try engine.commit(Transaction(header, changes, basis: reader.basis, rows: rows))
            }
            discardAttempt()
        }
        return try engine.commit(remote: remote) { session in
            try IndeterminateSave.check(
                &self.context.indeterminateSaves, of: self.store.identifier, path: self.store.placeName, session)
            let changes = try self.changeSet(session, session)
            try self.participant?.write(inserted: self.inserted, updated: self.updated, deleted: self.deleted)
            return changes.isEmpty ? nil : Transaction(header, changes, rows: self.rows)
        }
    }

    /// Whether it is made while nobody else may write: it has values that are kept in files, computes others, or
    /// somebody else has a part in it.
    private var needsLock: Bool {
        engine.hasDerivations || storesLargeValues || participant?.hasPart == true
            || !context.indeterminateSaves.isEmpty || (!inserted.isEmpty && !engine.knowsKeys)
    }

    private var storesLargeValues: Bool {
        if engine.largeValues == nil { return false }
        var last: EntityLayout?
        return ![inserted, updated].allSatisfy { list in
            list.all { object in
                if object.layout === last { return true }
                last = object.layout
                return !object.layout.slots.contains { $0.storage == .blob && $0.allowsExternalStorage }
            }
        }
    }

    /// Settles everything that the store and the context disagree on, and makes the change set. `session` is that of
    /// the lock, if it is held.
    private func changeSet(_ reader: some SaveReader, _ session: WriteSession? = nil) throws -> ChangeSet {
        try resolveConflicts(reader)
        try assignPositions(reader)
        // From here on no object is registered: should the keys turn out to be another program's, none has met them.
        try assignKeys(reader, isLocked: session != nil)
        if hasRemoteKeys { return ChangeSet(model: engine.modelSequence) }
        if let session { try derive(session) }
        return try build(reader, movesLargeValues: session != nil)
    }

    /// New objects have temporary IDs again; the keys that they had are given to nobody.
    private func rollBack() {
        participant?.rollBack()
        derived?.rollBack()
        context.makeTemporary(temporary)
    }

    /// Others were faster than an earlier try: that is taken back, and what is saved is what it began with.
    private func discardAttempt() {
        rollBack()
        let followed = Set(((derived?.added ?? []) + moved).map(ObjectReference.init))
        updated.removeAll { followed.contains(ObjectReference($0)) }
        derived = nil
        temporary = TemporaryIdentities()
        written = []
        builder = ChangeSetBuilder(schema: engine.schema)
    }

    private func resolveConflicts(_ session: some SaveReader) throws {
        if isIndependent { return }
        var attempts = 0
        while true {
            let conflicts = try ConflictFinder(session: session).conflicts(
                updated: updated, deleted: deleted, checked: share(of: context.checked))
            let constraintConflicts = try ConstraintFinder(session: session, context: context).conflicts(
                inserted: inserted, updated: updated)
            let isDisputed = !conflicts.isEmpty || !constraintConflicts.isEmpty
            if isDisputed {
                attempts += 1
                try ConflictResolver(context: context, session: session, attempt: attempts)
                    .resolve(conflicts, constraintConflicts)
                try applyResolution(session)
            }
            var maintenance = InverseMaintenance(context: context) { try session.snapshot($0.key) }
            try maintenance.restore([inserted, updated], isDisputed: isDisputed)
            try maintenance.restore(deleted: deleted)
            if maintenance.hasChanged { try applyResolution(session) }
            if !isDisputed && !maintenance.hasChanged { break }
        }
        if attempts > 0 { try DanglingReferences.checkOrphans([inserted, updated]) }
        try DanglingReferences(rows: session).end(in: [inserted, updated])
    }

    /// Whether nothing that others saved, or that the context holds otherwise, has to do with this save: its objects
    /// are new, lead to none and share no constraint.
    private var isIndependent: Bool {
        guard updated.isEmpty, deleted.isEmpty, context.checked.isEmpty else { return false }
        var isSo = true
        inserted.forEachUnretained { object in
            let layout = object.layout
            if !layout.relationshipSlots.isEmpty || !layout.uniquenessConstraints.isEmpty { isSo = false }
        }
        return isSo
    }

    /// A policy drops changes, deletes objects and brings deleted ones back, and each of these has consequences for
    /// related objects: from now on what is saved is what the context holds.
    private func applyResolution(_ session: some SaveReader) throws {
        let before = updated + deleted
        let known = Set(before.map(ObjectReference.init))
        inserted = share(of: context.inserted)
        updated = share(of: context.updated).filter(\.isUpdated)
        // What is changed only now is brought up to date, so that nothing else of it is in conflict.
        // What another save deleted is gone: nothing was changed here that could win over that.
        for object in updated where !known.contains(ObjectReference(object)) && object.snapshot != nil {
            guard let now = try session.snapshot(object.key) else {
                context.applyDeletion(of: object)
                continue
            }
            if now.version != object.snapshot?.version { object.rebase(onto: now) }
        }
        updated.removeAll { !$0.isUpdated }
        deleted = share(of: context.deleted).filter { $0.snapshot != nil }
        refreshed += before.filter { $0.state.isDisjoint(with: [.inserted, .updated, .deleted, .deletedRemotely]) }
    }

    /// The objects of a list that are in this store. Those of no store, which a policy inserted, come into this one if
    /// it holds their entity.
    private func share(of list: ObjectList) -> [NSManagedObject] {
        list.objects.filterUnretained { object in
            if !object.hasStore, engine.schema.stores(object.entity) { object.store = store }
            return object.isIn(store)
        }
    }

    /// New objects get the keys under which they will be known for ever. None do if the context knows objects with such
    /// keys already: another program gave them.
    private func assignKeys(_ reader: some SaveReader, isLocked: Bool) throws {
        hasRemoteKeys = false
        for (root, objects) in freshObjects() {
            let keys = try reader.nextPrimaryKeys(root: engine.schema.number(of: root), count: objects.count)
            if !isLocked, context.knows(keys, root: root, schema: engine.schema, in: store) {
                hasRemoteKeys = true
                return
            }
            participant?.willAssign(keys.lowerBound, to: objects)
            context.makePermanent(
                objects, firstKey: keys.lowerBound, schema: engine.schema, store: store, old: &temporary)
        }
    }

    /// The objects without a permanent key, by their root entities.
    private func freshObjects() -> [(root: NSEntityDescription, objects: [NSManagedObject])] {
        guard let first = inserted.first?.layout.rootEntity else { return [] }
        // Nearly always: then the list does as it is.
        if inserted.all({ $0.key.isTemporary && $0.layout.rootEntity === first }) { return [(first, inserted)] }
        var byRoot: [(root: NSEntityDescription, objects: [NSManagedObject])] = []
        var last = 0
        inserted.forEachUnretained { object in
            guard object.key.isTemporary else { return }
            let root = object.layout.rootEntity
            if last >= byRoot.count || byRoot[last].root !== root {
                last = byRoot.firstIndex { $0.root === root } ?? byRoot.count
                if last == byRoot.count { byRoot.append((root, [])) }
            }
            byRoot[last].objects.append(object)
        }
        return byRoot
    }

    /// Derived attributes become part of the save, and with them objects that it would not touch otherwise. They follow
    /// from what the save does in addition to them.
    private func derive(_ session: WriteSession) throws {
        guard engine.hasDerivations else { return }
        try collect(session)
        let changes = try builder.changeSet(
            model: engine.modelSequence, positionBase: OrderKeys.base(sequence: session.sequence.rawValue),
            stored: session.link)
        builder = ChangeSetBuilder(schema: engine.schema)
        let values = try session.derivedValues(after: changes)
        let derived = DerivedChanges(context, saved: inserted + updated, deleted: deleted)
        self.derived = derived
        try derived.apply(values, session)
        updated += derived.added
    }

    /// Members of ordered relationships get their places, some of them without a change of their own.
    private func assignPositions(_ session: some SaveReader) throws {
        let isUnordered = [inserted, updated].allSatisfy { $0.all { $0.layout.orderedSlots.isEmpty } }
        if isUnordered, moved.isEmpty { return }
        var next = OrderKeys.base(sequence: session.sequence.rawValue)
        var known = Set<ObjectReference>()
        for object in updated { known.insert(ObjectReference(object)) }
        // Those of an earlier try have their new positions already.
        for member in moved where known.insert(ObjectReference(member)).inserted {
            if try bringUpToDate(member, session) { updated.append(member) }
        }
        for list in [inserted, updated] {
            try list.forEachUnretained { object in
                if object.layout.orderedSlots.isEmpty { return }
                try OrderKeys.assign(object, next: &next) { member in
                    guard !member.state.contains(.inserted), !member.state.contains(.deleted),
                        known.insert(ObjectReference(member)).inserted, try bringUpToDate(member, session)
                    else { return }
                    updated.append(member)
                    moved.append(member)
                }
            }
        }
    }

    /// A member is moved over the row that it has now: what it gets by its move becomes a whole row in the row cache.
    /// Says whether there is one.
    private func bringUpToDate(_ member: NSManagedObject, _ session: some SaveReader) throws -> Bool {
        guard let now = try session.snapshot(member.key) else { return false }
        if now.version != member.snapshot?.version { member.rebase(onto: now) }
        return true
    }

    /// What the save does, as a change set has it.
    private func collect(_ session: some SaveReader) throws {
        builder.expect(inserted)
        try inserted.forEachUnretained { try builder.insert($0) }
        try updated.forEachUnretained { object in
            let slots = object.layout.storedChanges(object.changed)
            if !slots.isEmpty { try builder.update(object, slots: slots) }
        }
        try deleted.forEachUnretained { object in
            // Another save may have deleted it first: then there is no row to tell of.
            if let last = try session.snapshot(object.key) { try builder.delete(object, last: last) }
        }
        try builder.appendValues()
    }

    private func build(_ session: some SaveReader, movesLargeValues: Bool) throws -> ChangeSet {
        try collect(session)
        if movesLargeValues, var values = engine.largeValues {
            try builder.move(&values)
            try values.finish()
        }
        if !builder.groups.isEmpty { addRefreshed() }
        return try builder.changeSet(
            model: engine.modelSequence, positionBase: OrderKeys.base(sequence: session.sequence.rawValue),
            stored: session.link)
    }

    /// A change set also names the objects that the save set to what the store had. They alone are no reason to
    /// write one.
    private func addRefreshed() {
        var told: Set<ObjectReference> = []
        for object in refreshed
        where object.snapshot != nil && !object.hasChanges && told.insert(ObjectReference(object)).inserted {
            builder.refresh(object)
        }
    }

    /// What the row cache gets before anyone else can save over it.
    private func rows(_ sequence: SequenceNumber, _ changes: ChangeSet) -> WrittenRows {
        var result = WrittenRows()
        for (index, group) in builder.groups.enumerated() {
            let objects = builder.objects[index]
            switch group.operation {
            case .insert, .update:
                let slotCount = objects[0].with { $0.layout.slots.count }
                let batch =
                    group.operation == .insert
                    ? RowBatch.inserted(group, slotCount: slotCount, version: sequence)
                    : RowBatch.updated(group, objects: objects, version: sequence)
                result.batches.append(batch)
                written.append((batch, objects))
            case .delete: result.removed.append((group.entity, group.primaryKeys))
            case .refresh: break
            }
        }
        return result
    }

    /// Objects take their new snapshots.
    private func applySnapshots() {
        for (batch, objects) in written {
            var row = 0
            objects.forEachUnretained { object in
                object.apply(Snapshot(batch: batch, row: row))
                row += 1
            }
        }
        clearUnstoredChanges()
        // Their rows are others than before: contexts that have them must hear of it.
        for object in (derived?.added ?? []) + moved {
            refreshed.append(object)
            context.pending.refreshed.insert(object)
        }
    }

    /// Objects whose changes the store does not keep, such as transient ones, are clean too.
    private func clearUnstoredChanges() {
        for object in updated where !object.changed.isEmpty {
            if let snapshot = object.snapshot { object.apply(snapshot) }
        }
    }
}

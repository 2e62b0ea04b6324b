import FirnFoundation
import FirnRuntime
import FirnStore
import FirnLog
import FirnModel
import FirnProjection
import Foundation

/// The saving of one context's changes into one store.
///
///     without any lock     conflicts are found and resolved → keys → change set
///     by the store         derived attributes → does what was read still hold? → log → row cache and tables → durable
///     then                 objects take what was written as their snapshots
///
/// If a row has changed that was read, all of it is done again, with the row as it is now.
class SaveOperation: StoreSaving {
    let context: NSManagedObjectContext
    let store: NSPersistentStore
    let engine: StoreEngine
    private(set) final var inserted: [NSManagedObject]
    private(set) final var updated: [NSManagedObject]
    private(set) final var deleted: [NSManagedObject]
    /// Objects whose changes a merge policy dropped: they are what the store has, and reported as refreshed.
    private(set) var refreshed: [NSManagedObject] = []
    /// The objects of each group that the save made, in the order of the groups.
    private var grouped: [[UncountedReference<NSManagedObject>]] = []
    /// The objects of each group that is written, in the order of the groups.
    private var written: [[UncountedReference<NSManagedObject>]] = []
    /// The objects of the store's own groups: others whose derived values follow from this save.
    private var derivedOnly: [ObjectKey] = []
    /// The objects that are saved, by key, where the store may put them into other groups.
    private var objectsByKey: [ObjectKey: UncountedReference<NSManagedObject>] = [:]
    /// The record that was written, if there was anything to write.
    private(set) var sequence: SequenceNumber?
    /// Members of ordered relationships that are part of the save only for their positions.
    private var moved: [NSManagedObject] = []
    private(set) var outcome = OperationOutcome()
    /// Whether a try was made.
    private var isAttempted = false
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
        inserted = change.inserted
        updated = change.updated
        deleted = change.deleted
    }

    /// Writes the changes. On an error nothing was written, and the objects are as they were, but for what a merge
    /// policy resolved.
    final func run() throws {
        var metadata: [UInt8]?
        do {
            metadata = store.isReadOnly ? nil : try store.dequeueMetadata()
            let transaction = try transaction(metadata)
            var remote: [LogRecord] = []
            for tries in 0... {
                try engine.check(transaction.unanswered)
                // A save that lost as often is tried while nobody else writes.
                let (result, prepared) =
                    tries < Self.triesMax && !isTriedAlone
                    ? try write(transaction, remote)
                    : try engine.exclusively { try write(transaction, remote + $0) }
                switch result {
                case .committed(let sequence):
                    (outcome.record, outcome.changeSize) = (sequence.rawValue, prepared.size)
                    return didCommit(prepared, sequence)
                case .empty: return clearUnstoredChanges()
                case .conflict(let records): remote += records
                }
            }
        } catch {
            rollBack()
            if metadata != nil { store.hasUnsavedMetadata = true }
            if let save = IndeterminateSave(error, storeIdentifier: store.identifier) {
                context.indeterminateSaves.append(save)
            }
            throw StoreError.saving(IndeterminateSave.advising(error), path: store.placeName)
        }
    }

    private static let triesMax = 3

    /// Whether every try is one while nobody else writes.
    var isTriedAlone: Bool { false }

    /// The parts of a transaction that every try shares.
    private func transaction(_ metadata: [UInt8]?) throws -> Transaction {
        var transaction = Transaction(context.transactionHeader(engine), ChangeSet(model: engine.modelSequence))
        transaction.metadata = metadata
        transaction.unanswered = context.indeterminateSaves.filter { $0.storeIdentifier == store.identifier }
        return transaction
    }

    /// Makes a change set and has it committed. Begins from the beginning if an earlier try came to nothing.
    private func write(
        _ common: Transaction, _ remote: [LogRecord]
    ) throws -> (CommitResult, PreparedTransaction) {
        if isAttempted { discardAttempt() }
        isAttempted = true
        if !inserted.isEmpty { try engine.refreshForKeys() }
        // No commit looks for what others wrote into a store that is read only.
        if store.isReadOnly { try engine.refresh() }
        let reader = engine.transactionReader(remote: remote)
        let changes = try changeSet(reader)
        let prepared = try engine.prepare(common.with(changes, basis: reader.basis))
        if hasRemoteKeys { return (.conflict(records: []), prepared) }
        if store.isReadOnly {
            // A merge policy may have changed what was only checked.
            if let object = (updated + inserted).first { throw store.readOnlyError(object) }
            return (.empty, prepared)
        }
        try willCommit(prepared)
        prepared.rows = rows(prepared.changes)
        return (try engine.commit(prepared), prepared)
    }

    /// Called before the change set is committed.
    func willCommit(_ prepared: PreparedTransaction) throws {}

    private func didCommit(_ prepared: PreparedTransaction, _ sequence: SequenceNumber) {
        self.sequence = sequence
        if temporary.becomePermanent() { context.announcePermanentIDs() }
        context.indeterminateSaves.removeAll { $0.isDecided(by: sequence, of: store.identifier) }
        var batches = prepared.batches
        if batches.isEmpty {
            // The store computed the changes once more than the rows.
            batches = rows(prepared.changes).map { $0.map { RowBatch($0, version: sequence) } }
        }
        applySnapshots(batches)
    }

    /// Settles everything that the store and the context disagree on, and makes the change set.
    private final func changeSet(_ reader: TransactionReader) throws -> ChangeSet {
        try resolveConflicts(reader)
        try assignPositions(reader)
        // From here on no object is registered: should the keys turn out to be another program's, none has met them.
        try assignKeys(reader)
        if hasRemoteKeys { return ChangeSet(model: engine.modelSequence) }
        return try build(reader)
    }

    /// New objects have temporary IDs again; the keys that they had are given to nobody. Nor has any store the places
    /// of members that were moved.
    func rollBack() {
        context.makeTemporary(temporary)
        for object in moved where !object.hasChanges {
            object.layout.toOneSlots.compactMap(object.layout.positionSlot(besides:)).forEach(object.dropChange)
        }
    }

    /// Takes an earlier try back: what is saved is what it began with.
    private final func discardAttempt() {
        rollBack()
        updated.removeAll { !$0.isUpdated }
        moved = []
        derivedOnly = []
        objectsByKey = [:]
        temporary = TemporaryIdentities()
    }

    private func resolveConflicts(_ reader: TransactionReader) throws {
        if isIndependent { return }
        try rebaseReturned(reader)
        let rows = ConflictRows { try reader.snapshot($0.key) }
        var attempts = 0
        while true {
            let conflicts = try ConflictFinder(rows: rows, remote: reader).conflicts(
                updated: updated, deleted: deleted, checked: share(of: context.checked))
            let constraintConflicts = try ConstraintFinder(reader: reader, context: context).conflicts(
                inserted: inserted, updated: updated)
            let isDisputed = !conflicts.isEmpty || !constraintConflicts.isEmpty
            if isDisputed {
                attempts += 1
                outcome.conflictCount += conflicts.count + constraintConflicts.count
                try ConflictResolver(context: context, rows: rows, attempt: attempts)
                    .resolve(conflicts, constraintConflicts)
                if conflicts.isEmpty { try context.repeatWillSaveHooks() }
                try applyResolution(reader)
            }
            var maintenance = InverseMaintenance(context: context) { try reader.snapshot($0.key) }
            try maintenance.restore([inserted, updated], isDisputed: isDisputed)
            try maintenance.restore(deleted: deleted)
            if maintenance.hasChanged { try applyResolution(reader) }
            if !isDisputed && !maintenance.hasChanged { break }
        }
        if attempts > 0 { try DanglingReferences.checkOrphans([inserted, updated], deleted: deleted) }
        try DanglingReferences(rows: reader, successors: rows.successors).end(in: [inserted, updated])
    }

    /// An object that is written again after its deletion may be in the store by another save: it is changed then.
    private func rebaseReturned(_ reader: TransactionReader) throws {
        if inserted.all({ $0.key.isTemporary }) { return }
        for object in inserted where !object.key.isTemporary {
            guard let now = try reader.snapshot(object.key) else { continue }
            context.inserted.remove(object)
            context.updated.insert(object)
            object.rebase(onto: now)
            updated.append(object)
        }
        inserted.removeAll { !$0.isInserted }
    }

    /// Whether nothing that others saved, or that the context holds otherwise, has to do with this save: its objects
    /// are new, lead to none and share no constraint.
    private var isIndependent: Bool {
        guard updated.isEmpty, deleted.isEmpty, context.checked.isEmpty else { return false }
        return inserted.all {
            $0.key.isTemporary && $0.layout.relationshipSlots.isEmpty && $0.layout.uniquenessConstraints.isEmpty
        }
    }

    /// A policy drops changes, deletes objects and brings deleted ones back, and each of these has consequences for
    /// related objects: from now on what is saved is what the context holds.
    private func applyResolution(_ reader: TransactionReader) throws {
        let before = updated + deleted
        let known = Set(before.map(ObjectReference.init))
        inserted = share(of: context.inserted)
        updated = share(of: context.updated).filter(\.isUpdated)
        // What is changed only now is brought up to date, so that nothing else of it is in conflict.
        // What another save deleted is gone: nothing was changed here that could win over that.
        for object in updated where !known.contains(ObjectReference(object)) && object.snapshot != nil {
            if try !bringUpToDate(object, reader) { context.applyDeletion(of: object) }
        }
        updated.removeAll { !$0.isUpdated }
        deleted = share(of: context.deleted).filter { $0.snapshot != nil }
        refreshed += before.filter { $0.state.isDisjoint(with: [.inserted, .updated, .deleted, .deletedRemotely]) }
    }

    private func share(of list: ObjectList) -> [NSManagedObject] { list.share(of: store, engine.schema) }

    /// New objects get the keys under which they will be known for ever. None do if the context knows objects with such
    /// keys already: another program gave them.
    private func assignKeys(_ reader: TransactionReader) throws {
        hasRemoteKeys = false
        for (root, objects) in freshObjects() {
            let keys = try reader.nextPrimaryKeys(root: engine.schema.number(of: root), count: objects.count)
            if context.knows(keys, root: root, schema: engine.schema, in: store) {
                hasRemoteKeys = true
                return
            }
            store.willAssign(keys.lowerBound, to: objects)
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

    /// Members of ordered relationships get their places, some of them without a change of their own.
    private func assignPositions(_ reader: TransactionReader) throws {
        if [inserted, updated].allSatisfy({ $0.all { $0.layout.orderedSlots.isEmpty } }) { return }
        var next = OrderKeys.base(sequence: reader.sequence.rawValue)
        var known = Set<ObjectReference>()
        for object in updated { known.insert(ObjectReference(object)) }
        for list in [inserted, updated] {
            try list.forEachUnretained { object in
                if object.layout.orderedSlots.isEmpty { return }
                try OrderKeys.assign(object, next: &next) { member in
                    guard !member.state.contains(.inserted), !member.state.contains(.deleted),
                        known.insert(ObjectReference(member)).inserted, try bringUpToDate(member, reader)
                    else { return }
                    updated.append(member)
                    moved.append(member)
                }
            }
        }
    }

    /// An object is changed over the row that it has now: that becomes a whole row in the row cache. Says whether there
    /// is one.
    private func bringUpToDate(_ object: NSManagedObject, _ reader: TransactionReader) throws -> Bool {
        guard let now = try reader.snapshot(object.key) else { return false }
        if now.version != object.snapshot?.version { object.rebase(onto: now) }
        return true
    }

    /// Collects what the save does into the form of a change set.
    private func build(_ reader: TransactionReader) throws -> ChangeSet {
        var builder = ChangeSetBuilder(schema: engine.schema)
        builder.expect(inserted)
        try inserted.forEachUnretained { try builder.insert($0) }
        try updated.forEachUnretained { object in
            let slots = object.layout.storedChanges(object.changed)
            if !slots.isEmpty { try builder.update(object, slots: slots) }
        }
        try deleted.forEachUnretained { object in
            // Another save may have deleted it first: then there is no row to tell of.
            if let last = try reader.snapshot(object.key) { try builder.delete(object, last: last) }
        }
        try builder.appendValues()
        if !builder.groups.isEmpty { addRefreshed(to: &builder) }
        grouped = builder.objects
        return try builder.changeSet(
            model: engine.modelSequence, positionBase: OrderKeys.base(sequence: reader.sequence.rawValue),
            stored: reader.link)
    }

    /// A change set also names the objects that the save set to what the store had. They alone are no reason to
    /// write one.
    private func addRefreshed(to builder: inout ChangeSetBuilder) {
        var told: Set<ObjectReference> = []
        for object in refreshed
        where object.snapshot != nil && !object.hasChanges && told.insert(ObjectReference(object)).inserted {
            builder.refresh(object)
        }
    }

    /// The rows of each group of the change set, as they are once it is committed: nil for those that are deleted, or
    /// that the store added. Notes the objects of the groups.
    private func rows(_ changes: ChangeSet) -> [RowColumns?] {
        derivedOnly = []
        written = engine.hasDerivations ? changes.groups.map(objects) : grouped
        return zip(changes.groups, written).map { group, objects in
            guard group.operation == .insert || group.operation == .update else { return nil }
            guard let first = objects.first else {
                derivedOnly += group.primaryKeys.map { ObjectKey(entity: group.entity, primaryKey: $0) }
                return nil
            }
            return group.operation == .insert
                ? .inserted(group, slotCount: first.with { $0.layout.slots.count })
                : .updated(group, objects: objects)
        }
    }

    /// The objects of a group that has rows; none if the store added it.
    private func objects(of group: ChangeGroup) -> [UncountedReference<NSManagedObject>] {
        guard group.operation == .insert || group.operation == .update else { return [] }
        if objectsByKey.isEmpty {
            for objects in grouped {
                objects.forEachUnretained { objectsByKey[$0.key] = UncountedReference($0) }
            }
        }
        return group.primaryKeys.compactMap { objectsByKey[ObjectKey(entity: group.entity, primaryKey: $0)] }
    }

    /// Objects take their new snapshots.
    private func applySnapshots(_ batches: [RowBatch?]) {
        for case (let batch?, let objects) in zip(batches, written) {
            var row = 0
            objects.forEachUnretained { object in
                object.apply(Snapshot(batch: batch, row: row))
                row += 1
            }
        }
        applyFollowers()
        clearUnstoredChanges()
        for object in moved { refresh(object) }
    }

    /// Objects that are part of the save only for their derived values.
    private func applyFollowers() {
        guard !derivedOnly.isEmpty, let first = inserted.first ?? updated.first ?? deleted.first else { return }
        for key in derivedOnly {
            // What cannot be read now is the next reader's to report.
            guard let row = (try? engine.snapshot(key)) ?? nil else { continue }
            let object = context.object(for: key, inStoreOf: first)
            if object.isDeleted { continue }
            if object.isFault { object.realize(row) } else { object.apply(row) }
            refresh(object)
        }
    }

    /// Its row is another one than before: contexts that have it must hear of it.
    private func refresh(_ object: NSManagedObject) {
        refreshed.append(object)
        context.pending.refreshed.insert(object)
    }

    /// Objects whose changes the store does not keep, such as transient ones, are clean too.
    private func clearUnstoredChanges() {
        for object in updated where !object.changed.isEmpty {
            if let snapshot = object.snapshot { object.apply(snapshot) }
        }
    }
}

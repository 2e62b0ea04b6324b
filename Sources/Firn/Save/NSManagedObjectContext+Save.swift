import FirnFoundation
import FirnRuntime
import FirnStore
import FirnModel
import Foundation

/// Saving.
extension NSManagedObjectContext {
    func writeChanges() throws {
        checkQueue()
        guard !isSaving else {
            fatalError(
                "save() was called from within a save of the same context: save after it, from didSave() say, and use "
                    + "perform or performAndWait where another thread saves")
        }
        if hasNewFaults {
            hasNewFaults = false
            inserted.objects.forEachUnretained { if $0.isFault { $0.fulfill(for: nil) } }
        }
        notifiedSets.isKeeping = true
        defer { (isSaving, notifiedSets.isKeeping) = (false, false) }
        adoptPermanentIDs()
        // Its observers may save: then this save finds less to do.
        processPendingChanges()
        isSaving = true
        if !propagatesDeletesAtEndOfEvent {
            propagateDeletes()
            processPendingChanges()
        }
        try runWillSaveHooks()
        post(.NSManagedObjectContextWillSave, nil)
        processPendingChanges()
        try validateUntilStable()
        var change = unsavedChange
        if let parent {
            var maintenance = InverseMaintenance(context: self, row: \.snapshot)
            try maintenance.restore([change.inserted, change.updated], isDisputed: false)
            try maintenance.restore(deleted: change.deleted)
            if try resolveLost(parent, change.updated) || maintenance.hasChanged {
                processPendingChangesWithoutUndo()
                change = unsavedChange
            }
            let edited = try saveIntoParent(parent, change)
            change = change.filter { $0.context === self }
            if !edited.isEmpty { return finishSave(change) { edited.contains(ObjectReference($0)) } }
        } else {
            let refreshed = try saveIntoStores(change)
            // A merge policy may have moved objects from one set to another.
            change = unsavedChange
            change.refreshed = refreshed
        }
        finishSave(change)
    }

    private var unsavedChange: ObjectChange {
        ObjectChange(
            inserted: inserted.objects, updated: objectsToUpdate, deleted: deleted.objects)
    }

    private var objectsToUpdate: [NSManagedObject] { updated.objects.filterUnretained { $0.isUpdated } }

    /// `willSave` may change objects, which then get it again. A hook that changes its object every time is stopped.
    private func runWillSaveHooks() throws {
        // The first round is everybody's, and mostly the only one.
        let first = unsavedChange
        let (arrivals, before) = (listArrivals, valueChanges)
        first.forEachUnretained { object in
            object.changedInEvent = SlotSet()
            object.willSave()
        }
        if valueChanges == before, listArrivals == arrivals { return processPendingChanges() }
        let hasChanged = processPendingChangesDuringSave()
        guard hasChanged || listArrivals != arrivals else { return }
        var rounds = 1
        var told = Set<ObjectReference>()
        first.forEachUnretained { told.insert(ObjectReference($0)) }
        repeat {
            rounds += 1
            try checkRounds(rounds)
            let round = (inserted.objects + updated.objects + deleted.objects).filter {
                !$0.changedInEvent.isEmpty || !told.contains(ObjectReference($0))
            }
            if round.isEmpty { break }
            for object in round {
                told.insert(ObjectReference(object))
                object.changedInEvent = SlotSet()
                object.willSave()
            }
            processPendingChangesDuringSave()
        } while true
    }

    private func checkRounds(_ rounds: Int) throws {
        guard rounds > 1000 else { return }
        throw CoreDataError.make(
            .persistentStoreSave,
            "willSave() changed its object 1,000 times: compare before you set, or use primitive values")
    }

    /// The hooks of the objects that a merge policy changed for a uniqueness constraint, while the save is written.
    func repeatWillSaveHooks() throws {
        processPendingChanges()
        var rounds = 0
        while !changedWhileWriting.isEmpty {
            rounds += 1
            try checkRounds(rounds)
            let round = changedWhileWriting
            changedWhileWriting = []
            var told = Set<ObjectReference>()
            for object in round where object.hasChanges && told.insert(ObjectReference(object)).inserted {
                object.willSave()
            }
            processPendingChanges()
        }
    }

    /// Changes when an object comes into one of the lists that are saved.
    private var listArrivals: Int { inserted.arrivals + updated.arrivals + deleted.arrivals }

    /// Whether a new or updated object was changed by its hook.
    @discardableResult
    private func processPendingChangesDuringSave() -> Bool {
        var again: [NSManagedObject] = []
        visitWritten { if !$0.changedInEvent.isEmpty { again.append($0) } }
        processPendingChanges()
        // Processing clears what the hooks changed; the next round has to know of it.
        for object in again { object.changedInEvent = object.changed }
        return !again.isEmpty
    }

    /// Validation may replace values. Then the hooks and the validation run again, as the changes are part of the save.
    package func validateUntilStable() throws {
        for _ in 0..<1000 {
            visitWritten { $0.changedInEvent = SlotSet() }
            let (arrivals, before) = (listArrivals, valueChanges)
            try validateChanges()
            var hasChanged = listArrivals != arrivals
            if !hasChanged, valueChanges == before { return processPendingChanges() }
            visitWritten { if !$0.changedInEvent.isEmpty { hasChanged = true } }
            guard hasChanged else { return processPendingChanges() }
            processPendingChangesDuringSave()
            try runWillSaveHooks()
        }
        throw CoreDataError.make(
            .persistentStoreSave,
            "validation changed values 1,000 times: replace a value only with one that is then accepted as it is")
    }

    /// Calls `body` with each object that is new or changed.
    private func visitWritten(_ body: (NSManagedObject) -> Void) {
        inserted.objects.forEachUnretained(body)
        updated.objects.forEachUnretained(body)
    }

    private func validateChanges() throws {
        guard checksValidation else { return }
        var failures: [any Error] = []
        func check(_ objects: [NSManagedObject], _ validate: (NSManagedObject) throws -> Void) {
            objects.forEachUnretained { object in
                do { try validate(object) } catch { failures.append(error) }
            }
        }
        check(inserted.objects) { try $0.validateForInsert() }
        check(objectsToUpdate) { try $0.validateForUpdate() }
        check(deleted.objects) { try $0.validateForDelete() }
        failures += strayFailures()
        try CoreDataError.throwAll(failures)
    }

    /// Saves each store's share. Gives the objects that a merge policy set to what the store has.
    private func saveIntoStores(_ change: ObjectChange) throws -> [NSManagedObject] {
        if change.isEmpty, checked.isEmpty {
            try saveMetadata(besides: [], isEmpty: true)
            return []
        }
        guard let coordinator else {
            throw CoreDataError.make(
                .persistentStoreSave,
                "the context has no persistent store coordinator: set one before saving")
        }
        var refreshed: [NSManagedObject] = []
        let shares = try coordinator.shares(of: change, checking: checked.objects)
        if coordinator.persistentStores.count > 1 { try StoreBoundary.check(change) }
        try saveMetadata(besides: shares, isEmpty: change.isEmpty)
        for (index, share) in shares.enumerated() {
            // A merge policy of one before may have changed more of it.
            let change = index == 0 ? share.change : unsavedChange.filter { $0.isIn(share.store) }
            let operation = share.store.saving(change, in: self)
            do {
                isWriting = true
                defer { (isWriting, changedWhileWriting) = (false, []) }
                if let instrument = Instruments.current {
                    try instrument.run(.save) { outcome in
                        defer { outcome = operation.outcome }
                        try operation.run()
                    }
                } else {
                    try operation.run()
                }
            } catch {
                if shares[..<index].allSatisfy(\.change.isEmpty) { throw error }
                throw endPartialSave(shares[..<index].map(\.store), shares[index...].map(\.store), refreshed, error)
            }
            if let sequence = operation.sequence {
                pin?.advance(to: [share.store.identifier: share.store.position(of: sequence)])
                coordinator.postRemoteChange(sequence, in: share.store)
            }
            refreshed += operation.refreshed
        }
        return refreshed
    }

    /// Writes the metadata of stores whose objects are not saved now: a save without changes is theirs too.
    private func saveMetadata(besides saved: [NSPersistentStoreCoordinator.Share], isEmpty: Bool) throws {
        for store in coordinator?.persistentStores ?? []
        where !store.isReadOnly && !saved.contains(where: { $0.store === store }) {
            isWriting = true
            defer { isWriting = false }
            try store.saveMetadata(in: self, isEmpty: isEmpty)
        }
    }

    /// Some stores have their part of the save when another one fails: that part is done, and the rest stays unsaved.
    private func endPartialSave(
        _ done: [NSPersistentStore], _ failed: [NSPersistentStore], _ refreshed: [NSManagedObject], _ error: any Error
    ) -> NSError {
        func isLeft(_ object: NSManagedObject) -> Bool { !done.contains { $0 === object.store } }
        let rest = unsavedChange.filter(isLeft)
        var change = unsavedChange.filter { !isLeft($0) }
        change.refreshed = refreshed
        finishSave(change, leaving: isLeft)
        return CoreDataError.make(
            .persistentStoreIncompleteSave,
            "\(done.count) of \(done.count + failed.count) stores were saved, then one failed: "
                + "\((error as NSError).localizedDescription). What was not saved is still unsaved",
            [NSAffectedStoresErrorKey: failed, NSAffectedObjectsErrorKey: rest.inserted + rest.updated + rest.deleted],
            underlying: error)
    }

    /// Ends what loads of members have noted about objects that are not changed themselves, but for those that are
    /// left.
    func forEachOwnerWithRemovedMembers(
        leaving isLeft: ((NSManagedObject) -> Bool)? = nil, _ end: (NSManagedObject, Members) -> Void
    ) {
        let left = isLeft.map { ownersWithRemovedMembers.filter($0) } ?? []
        for object in ownersWithRemovedMembers where !object.isFault && isLeft?(object) != true {
            for slot in 0..<object.values.count {
                if case .toMany(let members) = object.values[slot] { end(object, members) }
            }
        }
        ownersWithRemovedMembers = left
    }

    /// The objects are clean now, except those that a save has left. Observers are notified.
    private func finishSave(
        _ change: ObjectChange, leaving isLeft: ((NSManagedObject) -> Bool)? = nil
    ) {
        var change = change
        change.inserted = change.inserted.filterUnretained { !$0.state.contains(.gone) }
        // What left a deleted owner returns with it.
        forEachOwnerWithRemovedMembers(leaving: isLeft) { owner, members in
            if !owner.isDeleted { members.acceptChanges() }
        }
        inserted.removeAll(leaving: isLeft)
        updated.removeAll(leaving: isLeft)
        deleted.removeAll(leaving: isLeft)
        checked.removeAll(leaving: isLeft)
        strays.removeAll { isLeft?($0.object) != true }
        if undoManager != nil { for object in change.deleted { object.holdDestinations() } }
        // What a merge policy did to objects is an event of its own.
        processPendingChangesWithoutUndo()
        releaseUnsavedDeletions()
        change.deleted.forEachUnretained { object in
            registry.remove(object)
            object.state.insert(.gone)
            object.context = nil
        }
        // The save is over: hooks and observers may change objects, and save them.
        isSaving = false
        change.forEachUnretained { $0.didSave() }
        let generation = parent == nil && coordinator?.hasStoreOnDisk == true ? coordinator?.currentGeneration : nil
        let isTracked = generation != nil && coordinator?.persistentStores.contains(where: \.tracksHistory) == true
        let userInfo = change.userInfo(&notifiedSets, generation, isTracked: isTracked)
        notifiedSets.isKeeping = false
        let identities = change.idUserInfo()
        // Contexts that follow have their merge on the way when observers hear of the save.
        if parent != nil {
            childrenMerge(change, identities)
        } else {
            coordinator?.contextDidSave(self, change, identities)
        }
        post(.NSManagedObjectContextDidSave, userInfo)
        post(.NSManagedObjectContextDidSaveObjectIDs, identities)
    }
}

import FirnLog
import FirnStore
import Foundation

/// Reading from one state of the stores, whatever is saved meanwhile.
extension NSManagedObjectContext {
    func pinToGeneration(_ generation: NSQueryGenerationToken?) throws {
        checkQueue()
        guard parent == nil else {
            throw CoreDataError.make(
                .persistentStoreOperation,
                "a child context reads what its parent reads: set the query generation of the context at the root")
        }
        guard let generation else {
            pin = nil
            return
        }
        guard let coordinator else {
            throw CoreDataError.make(
                .persistentStoreOperation, "the context has no persistent store coordinator: set one first")
        }
        if let token = generation.token {
            guard !automaticallyMergesChangesFromParent else {
                throw CoreDataError.make(
                    .persistentStoreOperation,
                    "the context merges changes by itself and cannot stay at one generation: turn "
                        + "automaticallyMergesChangesFromParent off, or use NSQueryGenerationToken.current")
            }
            try coordinator.require(token)
        }
        pin = GenerationPin(generation, of: coordinator, for: self)
    }

    /// A context that merges what others saved shows it, so its pin goes along.
    func advancePinToCurrent() {
        guard let coordinator, let pin, let now = coordinator.currentGeneration.token else { return }
        pin.advance(to: now.positions)
    }
}

extension NSPersistentStoreCoordinator {
    /// Throws if a token names a state that no store of the coordinator has.
    fileprivate func require(_ token: NSPersistentHistoryToken) throws {
        followRemoteRecords()
        for (store, position) in token.positions {
            let engine = persistentStores.first { $0.identifier == store }?.tables?.engine
            guard let engine, position.sequence <= engine.observedSequence, engine.log.agrees(with: position) else {
                throw CoreDataError.make(
                    .persistentStoreOperation,
                    "the query generation \(token) is of a store that is not open, of a later state of it or of "
                        + "another history, as before a backup was put back: use a token of a context on this "
                        + "coordinator")
            }
        }
    }
}

package import FirnLog
import FirnProjection
import Synchronization

extension StoreEngine {
    /// Call when a save begins, and `endSave()` when it has ended. Returns whether other saves run at the same time, or
    /// did a moment ago: a save that runs alone is faster when it is made with the writer's lock held.
    package func beginSave() -> Bool {
        if savesNow.add(1, ordering: .relaxed).oldValue > 0 {
            savesTogether.store(Self.savesTogetherMax, ordering: .relaxed)
            return true
        }
        guard savesTogether.load(ordering: .relaxed) > 0 else { return false }
        savesTogether.subtract(1, ordering: .relaxed)
        return true
    }

    package func endSave() { savesNow.subtract(1, ordering: .relaxed) }

    /// Where the keys come from that a save may be given before it has the writer's lock; nil if it is to be made
    /// with the lock held: the keys are not known, the tables are not left behind, or it came to nothing a moment ago.
    package func epochForPreparing() -> Int? {
        guard projector.isDeferring, !log.isCopy, derivations.isEmpty else { return nil }
        if savesUntilPreparing.load(ordering: .relaxed) > 0 {
            savesUntilPreparing.subtract(1, ordering: .relaxed)
            return nil
        }
        return keyAllocator.epoch
    }

    /// Writes a change set that was made without the writer's lock, together with those of other threads.
    ///
    /// `committed` says what the row cache is to take once the log has the change set; it is called with the lock
    /// held, by whichever thread has it.
    ///
    /// - Returns: false if it has to be made again with the lock held: others wrote first, or it is too large.
    package func commit(
        _ changes: ChangeSet, _ header: TransactionHeader, epoch: Int,
        committed: @escaping (SequenceNumber, ChangeSet) -> WrittenRows
    ) throws -> Bool {
        guard let record = log.prepare(.changes(changes), header: header) else {
            goOnWithLock()
            return false
        }
        let size = changes.heldSize
        var hasLanded = false
        do {
            let isWritten = try log.commit(record) { [self] head in
                head == observedSequence && keyAllocator.areValid(of: epoch, after: head)
            } completion: { [self] mark in
                hasLanded = true
                keyAllocator.apply(changes, at: mark.head)
                projector.enqueue(changes, size: size, at: mark)
                observe(mark.head)
                rowCache.apply(committed(mark.head, changes))
            }
            if !isWritten { goOnWithLock() }
            return isWritten
        } catch {
            if hasLanded { rowCache.removeAll() }
            throw error
        }
    }

    /// The next saves are likely to fail in the same way: others write again, or values are as large.
    private func goOnWithLock() { savesUntilPreparing.store(Self.savesWithLockMax, ordering: .relaxed) }

    /// After two saves met, this many later ones count as concurrent too.
    private static let savesTogetherMax = 64
    /// After a prepared save failed, this many are made with the lock held.
    private static let savesWithLockMax = 16
}

import FirnLog
import FirnProjection
import Synchronization

/// Rows that were read or saved lately, shared by all contexts on a store.
///
/// Two generations: rows come into the young one; when it is full it becomes the old one, and what was old and was not
/// asked for since goes. Every operation is O(1) a row; at most `2 * capacity` rows are held.
final class RowCache: Sendable {
    struct Entry {
        let snapshot: Snapshot
        /// Seconds on a clock that only rises.
        let time: Double
    }

    private struct State {
        var epoch = 0
        var young: [ObjectKey: Entry] = [:]
        var old: [ObjectKey: Entry] = [:]
    }

    private let state = Mutex(State())
    private let capacity: Int
    private let now: @Sendable () -> Double

    init(capacity: Int = 100_000, now: @escaping @Sendable () -> Double = MonotonicClock.seconds) {
        self.capacity = capacity
        self.now = now
    }

    /// The cached row, if it is no older than `maximumAge` seconds; a negative age accepts any.
    func snapshot(_ key: ObjectKey, maximumAge: Double = -1) -> Snapshot? {
        state.withLock { state in
            guard let entry = Self.entry(key, &state) else { return nil }
            if maximumAge >= 0, now() - entry.time > maximumAge { return nil }
            return entry.snapshot
        }
    }

    private static func entry(_ key: ObjectKey, _ state: inout State) -> Entry? {
        if let entry = state.young[key] { return entry }
        guard let entry = state.old.removeValue(forKey: key) else { return nil }
        state.young[key] = entry
        return entry
    }

    /// Changes with every write. A reader takes it before it reads, and hands it in with what it read.
    var epoch: Int { state.withLock { $0.epoch } }

    /// Takes rows that were read. If something was written since `epoch`, they may be out of date and are dropped.
    func insert(read batch: RowBatch, epoch: Int) {
        insert(batch) { $0 == epoch }
    }

    /// Takes rows that were just written. The caller holds the writer lock.
    func insert(written batch: RowBatch) {
        insert(batch) { epoch in
            epoch += 1
            return true
        }
    }

    private func insert(_ batch: RowBatch, if isCurrent: (inout Int) -> Bool) {
        let time = now()
        state.withLock { state in
            guard isCurrent(&state.epoch) else { return }
            for row in batch.primaryKeys.indices {
                let snapshot = Snapshot(batch: batch, row: row)
                let key = snapshot.key
                if state.young.count >= capacity {
                    state.old = state.young
                    state.young = [:]
                }
                state.young[key] = Entry(snapshot: snapshot, time: time)
            }
        }
    }

    /// Takes what a save wrote. The caller holds the writer lock.
    func take(_ rows: WrittenRows) {
        for batch in rows.batches { insert(written: batch) }
        for (entity, primaryKeys) in rows.removed { remove(primaryKeys, entity: entity) }
    }

    func remove(_ primaryKeys: [Int64], entity: EntityNumber) {
        state.withLock { state in
            state.epoch += 1
            for primaryKey in primaryKeys {
                let key = ObjectKey(entity: entity, primaryKey: primaryKey)
                state.young[key] = nil
                state.old[key] = nil
            }
        }
    }

    func removeAll() {
        state.withLock { $0 = State(epoch: $0.epoch + 1) }
    }
}

/// What a save changes in the row cache.
struct WrittenRows {
    /// Rows as they are now.
    var batches: [RowBatch] = []
    /// Rows that are gone, or are others than the cache has.
    var removed: [(entity: EntityNumber, primaryKeys: [Int64])] = []
}

enum MonotonicClock {
    static func seconds() -> Double {
        let now = ContinuousClock.now - start
        return Double(now.components.seconds) + Double(now.components.attoseconds) * 1e-18
    }

    private static let start = ContinuousClock.now
}

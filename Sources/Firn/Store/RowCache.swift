import FirnLog
import FirnProjection
import Foundation
import Synchronization

/// Rows that were read or saved lately, shared by all contexts on a store.
///
/// Two generations: rows come into the young one; when it is full it becomes the old one, and what was old and was not
/// asked for since goes. Every operation is O(1) a row; at most `2 * capacity` rows are held.
final class RowCache: Sendable {
    /// What is shared by the rows of a batch that came in together.
    private struct Holding {
        var batch: RowBatch?
        /// Seconds on a clock that only rises.
        let time: Double
        /// How many of the batch's rows are entries.
        var rowCount = 0
    }

    private struct Place {
        let holding: Int32
        let row: Int32
    }

    private struct Generation {
        private var places = KeyPages<Place>()
        private var holdings = ContiguousArray<Holding>()
        private var free = ContiguousArray<Int32>()

        var count: Int { places.count }

        /// The row, and since when it is here.
        mutating func entry(_ key: ObjectKey) -> (snapshot: Snapshot, time: Double)? {
            guard let place = places.entry(for: key) else { return nil }
            let holding = holdings[Int(place.holding)]
            guard let batch = holding.batch else { return nil }
            return (Snapshot(batch: batch, row: Int(place.row)), holding.time)
        }

        /// Makes room for rows of `batch`. To be called before `insert`, which adds one row.
        mutating func hold(_ batch: RowBatch, time: Double) -> Int32 {
            let holding = Holding(batch: batch, time: time)
            if let index = free.popLast() {
                holdings[Int(index)] = holding
                return index
            }
            holdings.append(holding)
            return Int32(holdings.count - 1)
        }

        @inline(__always)
        mutating func insert(_ key: ObjectKey, row: Int, of holding: Int32) {
            holdings[Int(holding)].rowCount += 1
            if let old = places.update(Place(holding: holding, row: Int32(row)), for: key) { letGo(old) }
        }

        mutating func remove(_ key: ObjectKey) {
            if let old = places.remove(key) { letGo(old) }
        }

        private mutating func letGo(_ place: Place) {
            let index = Int(place.holding)
            holdings[index].rowCount -= 1
            guard holdings[index].rowCount == 0 else { return }
            holdings[index].batch = nil
            free.append(place.holding)
        }
    }

    private struct State {
        var epoch = 0
        var young = Generation()
        var old = Generation()
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
        let oldest = oldest(maximumAge)
        return state.withLock { Self.snapshot(key, oldest, &$0) }
    }

    /// The same of several rows, parallel to `keys`.
    func snapshots(_ keys: [ObjectKey], maximumAge: Double = -1) -> [Snapshot?] {
        let oldest = oldest(maximumAge)
        return state.withLock { state in keys.map { Self.snapshot($0, oldest, &state) } }
    }

    /// Since when a row has to be here.
    @inline(__always)
    private func oldest(_ maximumAge: Double) -> Double { maximumAge < 0 ? -.infinity : now() - maximumAge }

    @inline(__always)
    private static func snapshot(_ key: ObjectKey, _ oldest: Double, _ state: inout State) -> Snapshot? {
        guard let entry = entry(key, &state), entry.time >= oldest else { return nil }
        return entry.snapshot
    }

    private static func entry(_ key: ObjectKey, _ state: inout State) -> (snapshot: Snapshot, time: Double)? {
        if let entry = state.young.entry(key) { return entry }
        guard let entry = state.old.entry(key) else { return nil }
        state.young.insert(key, row: entry.snapshot.row, of: state.young.hold(entry.snapshot.batch, time: entry.time))
        state.old.remove(key)
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
            guard isCurrent(&state.epoch), batch.count > 0 else { return }
            var holding = state.young.hold(batch, time: time)
            for row in batch.primaryKeys.indices {
                if state.young.count >= capacity {
                    state.old = state.young
                    state.young = Generation()
                    holding = state.young.hold(batch, time: time)
                }
                state.young.insert(batch.key(at: row), row: row, of: holding)
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
                state.young.remove(key)
                state.old.remove(key)
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
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }
}

package import FirnLog
package import FirnProjection
import Foundation
import Synchronization

/// Rows that were read or saved lately, shared by all contexts on a store.
///
/// Two generations: rows come into the young one; when that has half of the bytes that the cache may have, it becomes
/// the old one, and what was old and was not asked for since is released. Every operation is O(1) a row.
///
/// A batch stays in memory as long as one of its rows is cached, and counts as a whole for as long.
package final class RowCache: Sendable {
    /// The state that the rows of a batch share which came in together.
    private struct Holding {
        var batch: RowBatch?
        /// Bytes of the batch.
        let size: Int
        /// Seconds on a clock that only rises.
        let time: Double
        /// How many of the batch's rows are entries.
        var rowCount = 0
    }

    private struct Location {
        let holding: Int32
        let row: Int32
    }

    private struct Generation {
        private var places = KeyPages<Location>()
        private var holdings = ContiguousArray<Holding>()
        private var free = ContiguousArray<Int32>()
        /// By batch, the holdings of rows that came from the old generation, one after the other.
        private var promoted: [ObjectIdentifier: Int32] = [:]
        /// Bytes of the batches.
        private var batchSize = 0

        /// Bytes in memory.
        var size: Int {
            batchSize + places.allocatedSize + holdings.capacity * MemoryLayout<Holding>.stride
                + promoted.capacity * 32
        }

        /// The row, and since when it is here.
        mutating func entry(_ key: ObjectKey) -> (snapshot: Snapshot, time: Double)? {
            guard let place = places.entry(for: key) else { return nil }
            let holding = holdings[Int(place.holding)]
            guard let batch = holding.batch else { return nil }
            return (Snapshot(batch: batch, row: Int(place.row)), holding.time)
        }

        /// Makes room for rows of `batch`. To be called before `insert`, which adds one row.
        mutating func hold(_ batch: RowBatch, size: Int, time: Double) -> Int32 {
            let holding = Holding(batch: batch, size: size, time: time)
            batchSize += size
            if let index = free.popLast() {
                holdings[Int(index)] = holding
                return index
            }
            holdings.append(holding)
            return Int32(holdings.count - 1)
        }

        func hasPromoted(_ batch: RowBatch) -> Bool { promoted[ObjectIdentifier(batch)] != nil }

        /// Adds a row of the old generation. Its batch counts once, however many of its rows come.
        mutating func promote(_ key: ObjectKey, _ snapshot: Snapshot, time: Double) {
            let batch = snapshot.batch
            var holding = promoted[ObjectIdentifier(batch)]
            if holding == nil {
                holding = hold(batch, size: batch.allocatedSize, time: time)
                promoted[ObjectIdentifier(batch)] = holding
            }
            if let holding { insert(key, row: snapshot.row, of: holding) }
        }

        @inline(__always)
        mutating func insert(_ key: ObjectKey, row: Int, of holding: Int32) {
            holdings[Int(holding)].rowCount += 1
            if let old = places.update(Location(holding: holding, row: Int32(row)), for: key) { release(old) }
        }

        mutating func remove(_ key: ObjectKey) {
            if let old = places.remove(key) { release(old) }
        }

        private mutating func release(_ place: Location) {
            let index = Int(place.holding)
            holdings[index].rowCount -= 1
            guard holdings[index].rowCount == 0, let batch = holdings[index].batch else { return }
            batchSize -= holdings[index].size
            if promoted[ObjectIdentifier(batch)] == place.holding { promoted[ObjectIdentifier(batch)] = nil }
            holdings[index].batch = nil
            free.append(place.holding)
        }
    }

    private struct Generations {
        var epoch = 0
        var young = Generation()
        var old = Generation()
    }

    /// Bytes that a cache holds unless the store's options say otherwise.
    static let sizeDefault = 64 << 20

    private let state = Mutex(Generations())
    /// Bytes that a generation may have.
    private let generationSizeMax: Int
    private let now: @Sendable () -> Double

    /// - Parameter sizeMax: how many bytes are held at most.
    package init(sizeMax: Int = sizeDefault, now: @escaping @Sendable () -> Double = MonotonicClock.seconds) {
        generationSizeMax = max(sizeMax, 0) / 2
        self.now = now
    }

    /// Bytes in memory.
    package var size: Int { state.withLock { $0.young.size + $0.old.size } }

    /// The cached row, if it is no older than `maximumAge` seconds; a negative age accepts any.
    package func snapshot(_ key: ObjectKey, maximumAge: Double = -1) -> Snapshot? {
        let oldest = oldest(maximumAge)
        return state.withLock { snapshot(key, oldest, &$0) }
    }

    /// The cached row, or else the one that `read` gives, which is cached then.
    package func snapshot(
        _ key: ObjectKey, maximumAge: Double = -1, orRead read: () throws -> (batch: RowBatch, row: Int)?
    ) rethrows -> Snapshot? {
        if let cached = snapshot(key, maximumAge: maximumAge) { return cached }
        let epoch = epoch
        guard let (batch, row) = try read() else { return nil }
        insert(read: batch, epoch: epoch)
        return Snapshot(batch: batch, row: row)
    }

    /// The rows under several keys, parallel to `keys`.
    package func snapshots(_ keys: [ObjectKey], maximumAge: Double = -1) -> [Snapshot?] {
        let oldest = oldest(maximumAge)
        return state.withLock { state in keys.map { snapshot($0, oldest, &state) } }
    }

    /// Since when a row has to be here.
    @inline(__always)
    private func oldest(_ maximumAge: Double) -> Double { maximumAge < 0 ? -.infinity : now() - maximumAge }

    @inline(__always)
    private func snapshot(_ key: ObjectKey, _ oldest: Double, _ state: inout Generations) -> Snapshot? {
        guard let entry = state.young.entry(key) ?? promoted(key, &state), entry.time >= oldest else { return nil }
        return entry.snapshot
    }

    /// A row of the old generation, which was asked for and so becomes one of the young.
    private func promoted(_ key: ObjectKey, _ state: inout Generations) -> (snapshot: Snapshot, time: Double)? {
        guard let entry = state.old.entry(key) else { return nil }
        let batch = entry.snapshot.batch
        makeRoom(for: state.young.hasPromoted(batch) ? 0 : batch.allocatedSize, &state)
        state.young.promote(key, entry.snapshot, time: entry.time)
        state.old.remove(key)
        return entry
    }

    /// Begins a generation if the young one would have more than its half.
    private func makeRoom(for size: Int, _ state: inout Generations) {
        guard state.young.size + size > generationSizeMax else { return }
        state.old = state.young
        state.young = Generation()
    }

    /// Changes with every write. A reader takes it before it reads, and hands it in with what it read.
    package var epoch: Int { state.withLock { $0.epoch } }

    /// Takes rows that were read. If something was written since `epoch`, they may be out of date and are dropped.
    package func insert(read batch: RowBatch, epoch: Int) {
        insert(batch) { $0 == epoch }
    }

    /// Takes the rows that `read` gives, unless something is written before it has them.
    package func load(_ read: () throws -> [RowBatch]) rethrows {
        let epoch = epoch
        for batch in try read() { insert(read: batch, epoch: epoch) }
    }

    /// Takes rows that were just written. The caller holds the writer lock.
    package func insert(written batch: RowBatch) {
        insert(batch) { epoch in
            epoch += 1
            return true
        }
    }

    private func insert(_ batch: RowBatch, if isCurrent: (inout Int) -> Bool) {
        let time = now()
        let known = batch
        let (batch, size) = fitted(batch)
        state.withLock { state in
            guard isCurrent(&state.epoch) else { return }
            // What does not fit must not be found as it was.
            for row in batch.count..<known.count { Self.remove(known.key(at: row), &state) }
            guard batch.count > 0 else { return }
            makeRoom(for: size, &state)
            let holding = state.young.hold(batch, size: size, time: time)
            for row in batch.primaryKeys.indices { state.young.insert(batch.key(at: row), row: row, of: holding) }
        }
    }

    /// As many of a batch's first rows as a generation has room for, and their bytes.
    private func fitted(_ batch: RowBatch) -> (batch: RowBatch, size: Int) {
        var (batch, size) = (batch, batch.allocatedSize + batch.count * Self.entrySize)
        while size > generationSizeMax, batch.count > 0 {
            let count = Int(Double(batch.count) * Double(generationSizeMax) / Double(size) * 0.9)
            batch = batch.prefix(count)
            size = batch.allocatedSize + count * Self.entrySize
        }
        return (batch, size)
    }

    /// Bytes of a row's entry where keys are in sequence.
    private static let entrySize = MemoryLayout<Location?>.stride

    package func remove(_ primaryKeys: [Int64], entity: EntityNumber) {
        state.withLock { state in
            state.epoch += 1
            for primaryKey in primaryKeys { Self.remove(ObjectKey(entity: entity, primaryKey: primaryKey), &state) }
        }
    }

    private static func remove(_ key: ObjectKey, _ state: inout Generations) {
        state.young.remove(key)
        state.old.remove(key)
    }

    package func removeAll() {
        state.withLock { $0 = Generations(epoch: $0.epoch + 1) }
    }
}

/// The time since the machine was started, which nobody can set.
enum MonotonicClock {
    static func seconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }
}

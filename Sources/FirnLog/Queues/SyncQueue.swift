/// Threads that wait until their records are durable.
///
/// A thread that finds no sync running syncs by itself. Threads that come meanwhile leave the next sync to a thread of
/// the log, which syncs until none waits: so the disk never waits for one of them to wake first.
///
///     saver 1    append  sync ────────►
///     saver 2        append  wait ──────────────────────►
///     saver 3               append  wait ───────────────►  append  wait …
///     log's thread                      sync ───────────►  sync …
///
/// Each waits for a semaphore of its own, so that threads that wake together do not compete for one lock.
struct SyncQueue {
    /// Whether a thread syncs, or was asked to.
    private(set) var isSyncing = false
    /// Whether the log's thread does so.
    private(set) var isHandedOver = false
    /// In the order in which they came.
    private var waiting: [SyncWait] = []

    mutating func begin() { isSyncing = true }

    mutating func add(_ wait: SyncWait) { waiting.append(wait) }

    /// Asks the log's thread to sync all records up to this one, for which no thread waits.
    mutating func request(through sequence: SequenceNumber) {
        add(SyncWait(sequence))
        if !isSyncing { (isSyncing, isHandedOver) = (true, true) }
    }

    /// A sync has ended: all records up to `durable` are durable. If threads wait for a later one, the log's thread
    /// syncs next.
    ///
    /// - Returns: the waits that are over. The caller signals their semaphores after it has unlocked `stateLock`.
    mutating func end(durable: SequenceNumber) -> [SyncWait] {
        var done: [SyncWait] = []
        var left: [SyncWait] = []
        for wait in waiting {
            if wait.sequence > durable {
                left.append(wait)
            } else {
                wait.isDurable = true
                done.append(wait)
            }
        }
        waiting = left
        isHandedOver = !left.isEmpty
        isSyncing = isHandedOver
        return done
    }

    /// Nothing will be synced any more. The caller signals the waits that this returns.
    mutating func fail() -> [SyncWait] {
        (isSyncing, isHandedOver) = (false, false)
        defer { waiting = [] }
        return waiting
    }
}

/// A thread that waits until a record is durable.
final class SyncWait: @unchecked Sendable {
    let sequence: SequenceNumber
    /// Signalled when the record is durable, or the log has failed.
    let semaphore = Semaphore()
    /// Set before the semaphore is signalled, if the record is durable then.
    var isDurable = false

    init(_ sequence: SequenceNumber) { self.sequence = sequence }
}

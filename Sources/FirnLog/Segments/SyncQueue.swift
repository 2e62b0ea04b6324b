/// Threads that wait until their records are durable.
///
/// Whoever comes while nobody syncs does so itself. Those who come meanwhile leave the next sync to a thread of the
/// log, which goes on until nobody waits: so the disk never waits for one of them to be woken first.
///
///     saver 1    append  sync ────────►
///     saver 2        append  wait ──────────────────────►
///     saver 3               append  wait ───────────────►  append  wait …
///     log's thread                      sync ───────────►  sync …
///
/// Each waits for a turn of its own: those who are told go on without asking for the same lock at the same moment.
struct SyncQueue {
    /// Whether a thread syncs, or was asked to.
    private(set) var isSyncing = false
    /// Whether that is the log's thread.
    private(set) var isHandedOver = false
    /// In the order in which they came.
    private var waiting: [SyncWait] = []

    mutating func begin() { isSyncing = true }

    mutating func add(_ wait: SyncWait) { waiting.append(wait) }

    /// The log's thread syncs all up to a record, for which nobody waits: now, or after whoever does.
    mutating func request(through sequence: SequenceNumber) {
        add(SyncWait(sequence))
        if !isSyncing { (isSyncing, isHandedOver) = (true, true) }
    }

    /// A sync has ended, after which all records up to `durable` are. If others wait for the next one, it is the log's
    /// thread that goes on.
    ///
    /// - Returns: those who have what they waited for. The caller signals their turns, once it has given the log's
    ///   monitor back.
    mutating func end(durable: SequenceNumber) -> [SyncWait] {
        var told: [SyncWait] = []
        var left: [SyncWait] = []
        for wait in waiting {
            if wait.sequence > durable {
                left.append(wait)
            } else {
                wait.isDurable = true
                told.append(wait)
            }
        }
        waiting = left
        isHandedOver = !left.isEmpty
        isSyncing = isHandedOver
        return told
    }

    /// Nothing will be synced any more: all look at why.
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
    let turn = Semaphore()
    /// Set before the turn is signalled, if the record is durable then.
    var isDurable = false

    init(_ sequence: SequenceNumber) { self.sequence = sequence }
}

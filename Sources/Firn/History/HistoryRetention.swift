import FirnStore
import FirnLog
public import Foundation

/// How much history to keep. A transaction stays while it is within every limit that is set.
public struct HistoryRetention: Hashable, Sendable {
    /// Seconds.
    public var ageMax: TimeInterval?
    /// How many transactions to keep; nil for any number.
    public var transactionCountMax: Int?
    /// Bytes that the transactions take in the log. The baseline, which holds the state before them, comes on top.
    public var byteCountMax: Int?

    /// Limits of the history; nil is no limit.
    public init(ageMax: TimeInterval? = nil, transactionCountMax: Int? = nil, byteCountMax: Int? = nil) {
        self.ageMax = ageMax
        self.transactionCountMax = transactionCountMax
        self.byteCountMax = byteCountMax
    }

    /// The last record that a log may do without; the one before the first if it needs all.
    ///
    /// Complexity: reads the headers of the log's records.
    func lastDispensable(of log: SegmentLog, now: Int64) throws -> SequenceNumber {
        var dispensable = log.baseline
        if let ageMax {
            // Dates are whole microseconds; a limit past their range asks for all.
            let age = Int64(exactly: (ageMax * 1e6).rounded()) ?? .max
            let (limit, overflow) = now.subtractingReportingOverflow(age)
            if !overflow { dispensable = max(dispensable, try log.sequence(atOrBefore: limit)) }
        }
        guard transactionCountMax != nil || byteCountMax != nil else { return dispensable }
        var frames: [(sequence: SequenceNumber, size: Int)] = []
        let reader = try log.records(after: log.baseline)
        while let frame = try reader.nextFrameInfo() {
            if frame.kind == .changes { frames.append((frame.sequence, frame.frameSize)) }
        }
        var (count, bytes) = (0, 0)
        for frame in frames.reversed() {
            count += 1
            bytes += frame.size
            if count > transactionCountMax ?? .max || bytes > byteCountMax ?? .max {
                return max(dispensable, frame.sequence)
            }
        }
        return dispensable
    }
}

extension NSPersistentStoreCoordinator {
    /// Deletes the history that is not to be kept. The state that it made stays, as the baseline that tables are
    /// built from. Contexts as of a deleted point can no longer be made.
    ///
    /// - Parameters:
    ///   - store: by default the coordinator's first one that keeps a history.
    ///   - ignoringSubscriptions: deletes also what a subscription has not seen; it is then given the baseline.
    /// - Returns: the token of the last transaction that is gone.
    @discardableResult
    public func trimHistory(
        of store: NSPersistentStore? = nil, keeping retention: HistoryRetention, ignoringSubscriptions: Bool = false
    ) throws -> NSPersistentHistoryToken {
        let store = try loggedStore(store)
        try store.engine.refresh()
        let last = try retention.lastDispensable(of: store.engine.log, now: SystemClock.microseconds())
        let trimmed = try store.engine.trim(through: last, ignoringSubscriptions: ignoringSubscriptions)
        return NSPersistentHistoryToken([store.identifier: trimmed])
    }
}

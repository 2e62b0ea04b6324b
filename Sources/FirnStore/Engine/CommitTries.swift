import FirnLog
import FirnProjection

/// The tries of one save while others are faster: until the time is over for which it may wait for the writer's lock.
package struct CommitTries {
    private let log: SegmentLog
    private let deadline: Double?
    private var stalled = StalledTries()
    /// As many may take their time: saves of this program settle their conflicts meanwhile.
    private static let countFree = 3
    /// How many came to nothing.
    package private(set) var count = 0

    package init(_ engine: StoreEngine) {
        log = engine.log
        deadline = engine.log.options.lockTimeout.map { MonotonicClock.seconds() + Double($0) / 1_000_000 }
    }

    /// Counts a try. Throws `overtaken` if it is too late for another one, `refused` if the log itself never moves.
    package mutating func failed() throws {
        count += 1
        if count > Self.countFree, let deadline, MonotonicClock.seconds() >= deadline {
            throw LogError(
                .overtaken,
                "Others wrote the same store first, \(count) times, and the time is over for which a save may wait. "
                    + "Nothing was written: save again.", path: log.upstream?.place ?? log.place)
        }
        try stalled.failed(at: log.mark.link, place: log.upstream?.place ?? log.place)
    }
}

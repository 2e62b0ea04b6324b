package import FirnLog
internal import Synchronization

/// One past state of a store. It is read in the same way as the present.
///
///     few reads     among the versions of all rows: nothing is made for them
///     more          in separate tables, once the reads took as long as making these takes
///
/// So reading costs at most about twice the cost of the better choice.
package final class AsOfProjection: Sendable {
    private enum ReadPath {
        case versions(spent: Duration, budget: Duration?)
        case snapshot(PastSnapshot)
        case staysWithVersions
    }

    /// How a temporal projection is read.
    private struct Reading {
        /// Retained: a trim takes the versions of before it from all others.
        var temporal: TemporalProjection?
        var path = ReadPath.staysWithVersions
        var onDiscard: (@Sendable () -> Void)?
        var discardCount = 0
    }

    /// The measured time to copy a row with its index entries, and to make the tables.
    private static let rowCost = Duration.microseconds(4)
    private static let copyCost = Duration.milliseconds(5)

    package let sequence: SequenceNumber
    /// Whether it may get tables of its own, when reading took as long as making these does.
    private let copies: Bool
    /// Discards this state if something was erased from the log.
    private let check: @Sendable () throws -> Void
    /// The versions, which are others after something was erased from the log.
    private let source: @Sendable () throws -> TemporalProjection
    private let reading: Mutex<Reading>

    init(
        _ sequence: SequenceNumber, copies: Bool, check: @escaping @Sendable () throws -> Void,
        _ source: @escaping @Sendable () throws -> TemporalProjection
    ) {
        self.check = check
        self.sequence = sequence
        self.copies = copies
        self.source = source
        reading = Mutex(Reading())
    }

    /// Has `action` called when what was read may have been erased from the log.
    package func whenDiscarded(_ action: @escaping @Sendable () -> Void) {
        reading.withLock { $0.onDiscard = action }
    }

    /// Discards the tables of this state, and what was read of it.
    func discard() {
        let action = reading.withLock { reading in
            (reading.temporal, reading.path) = (nil, .staysWithVersions)
            reading.discardCount += 1
            return reading.onDiscard
        }
        action?()
    }

    package func read<R>(_ body: (ProjectionReader) throws -> R) throws -> R {
        for _ in 1..<ReplacedFile.attemptsMax {
            do { return try readOnce(body) } catch is ReplacedFile {}
        }
        return try readOnce(body)
    }

    private func readOnce<R>(_ body: (ProjectionReader) throws -> R) throws -> R {
        let (temporal, path) = try versions()
        switch path {
        case .snapshot(let snapshot): return try snapshot.read(body)
        case .staysWithVersions: return try temporal.read(at: sequence, body)
        case .versions: break
        }
        let start = ContinuousClock.now
        let outcome = try temporal.read(at: sequence, body)
        addReadTime(ContinuousClock.now - start, temporal)
        return outcome
    }

    private func versions() throws -> (TemporalProjection, ReadPath) {
        try check()
        let discardCount = reading.withLock { $0.temporal == nil ? $0.discardCount : nil }
        let found = try discardCount.map { _ in try source() }
        return try reading.withLock { reading in
            if let known = reading.temporal { return (known, reading.path) }
            // Discarded meanwhile: what was found may have what was erased.
            guard let found, reading.discardCount == discardCount else { throw ReplacedFile() }
            reading.temporal = found
            reading.path = copies ? .versions(spent: .zero, budget: nil) : .staysWithVersions
            return (found, reading.path)
        }
    }

    /// Makes sure that this state can be read, also after its record was cut off.
    func loadVersions() throws {
        for _ in 1..<ReplacedFile.attemptsMax {
            do { return _ = try versions() } catch is ReplacedFile {}
        }
        _ = try versions()
    }

    /// Adds the duration of a read, and makes the snapshot when the budget is spent.
    private func addReadTime(_ duration: Duration, _ temporal: TemporalProjection) {
        reading.withLock { reading in
            guard reading.temporal === temporal, case .versions(let before, let known) = reading.path else { return }
            let spent = before + duration
            let budget = known ?? budget(temporal)
            reading.path = .versions(spent: spent, budget: budget)
            guard spent >= budget else { return }
            // A snapshot may fail, for instance on a full disk. Then reads continue among the versions.
            let snapshot = try? temporal.snapshot(at: sequence)
            reading.path = snapshot.map { .snapshot($0) } ?? .staysWithVersions
        }
    }

    private func budget(_ temporal: TemporalProjection) -> Duration {
        guard let rows = try? temporal.rowCount(at: sequence) else { return .zero }
        return Self.copyCost + Self.rowCost * rows
    }
}

package import FirnLog
internal import Synchronization

/// One past state of a store. Readers of it are the same as those of the present.
///
///     few reads     among the versions of all rows: nothing is made for them
///     more          in tables of their own, as soon as the reads took as long as making these takes
///
/// So reading costs at most about twice what it would have cost if one had known beforehand how much is read.
package final class AsOfProjection: Sendable {
    /// When a point gets tables of its own.
    package enum Copying: Sendable {
        /// When reading took as long as copying does.
        case whenWorthwhile
        case afterFirstRead
        case never
    }

    private enum State {
        case versions(spent: Duration, budget: Duration?)
        case snapshot(PastSnapshot)
        case staysWithVersions
    }

    /// Copying a row with its part of the indexes takes about this long, and making the tables.
    private static let rowCost = Duration.microseconds(4)
    private static let copyCost = Duration.milliseconds(5)

    package let sequence: SequenceNumber
    private let temporal: TemporalProjection
    private let copying: Copying
    private let state: Mutex<State>

    init(_ temporal: TemporalProjection, _ sequence: SequenceNumber, _ copying: Copying) {
        self.temporal = temporal
        self.sequence = sequence
        self.copying = copying
        state = Mutex(copying == .never ? .staysWithVersions : .versions(spent: .zero, budget: nil))
    }

    /// Whether there are tables of the point's own.
    package var isCopied: Bool {
        state.withLock { if case .snapshot = $0 { true } else { false } }
    }

    package func read<R>(_ body: (ProjectionReader) throws -> R) throws -> R {
        switch state.withLock({ $0 }) {
        case .snapshot(let snapshot): return try snapshot.read(body)
        case .staysWithVersions: return try temporal.read(at: sequence, body)
        case .versions: break
        }
        let start = ContinuousClock.now
        let outcome = try temporal.read(at: sequence, body)
        note(ContinuousClock.now - start)
        return outcome
    }

    /// Counts what a read took, and makes the snapshot when it is time.
    private func note(_ duration: Duration) {
        state.withLock { state in
            guard case .versions(let before, let known) = state else { return }
            let spent = before + duration
            let budget = known ?? self.budget
            state = .versions(spent: spent, budget: budget)
            guard spent >= budget else { return }
            // A full disk, say, is no reason not to answer: the versions tell the same.
            let snapshot = try? temporal.snapshot(at: sequence)
            state = snapshot.map { .snapshot($0) } ?? .staysWithVersions
        }
    }

    private var budget: Duration {
        guard copying == .whenWorthwhile, let rows = try? temporal.rowCount(at: sequence) else { return .zero }
        return Self.copyCost + Self.rowCost * rows
    }

    /// The tables of the model as text, as `Projection.dump` without what is not theirs.
    package func dumpTables() throws -> String { try read { try $0.dumpTables() } }
}

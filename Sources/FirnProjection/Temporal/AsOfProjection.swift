package import FirnLog
internal import Synchronization

/// One past state of a store. It is read in the same way as the present.
///
///     few reads     among the versions of all rows: nothing is made for them
///     more          in separate tables, once the reads took as long as making these takes
///
/// So reading costs at most about twice the cost of the better choice.
package final class AsOfProjection: Sendable {
    /// When a past state gets its own tables.
    package enum Copying: Sendable {
        /// When reading took as long as copying does.
        case whenWorthwhile
        case afterFirstRead
        case never
    }

    private enum ReadPath {
        case versions(spent: Duration, budget: Duration?)
        case snapshot(PastSnapshot)
        case staysWithVersions
    }

    /// The measured time to copy a row with its index entries, and to make the tables.
    private static let rowCost = Duration.microseconds(4)
    private static let copyCost = Duration.milliseconds(5)

    package let sequence: SequenceNumber
    private let temporal: TemporalProjection
    private let copying: Copying
    private let readPath: Mutex<ReadPath>

    init(_ temporal: TemporalProjection, _ sequence: SequenceNumber, _ copying: Copying) {
        self.temporal = temporal
        self.sequence = sequence
        self.copying = copying
        readPath = Mutex(copying == .never ? .staysWithVersions : .versions(spent: .zero, budget: nil))
    }

    /// Whether this state has its own tables.
    package var isCopied: Bool {
        readPath.withLock { if case .snapshot = $0 { true } else { false } }
    }

    package func read<R>(_ body: (ProjectionReader) throws -> R) throws -> R {
        switch readPath.withLock({ $0 }) {
        case .snapshot(let snapshot): return try snapshot.read(body)
        case .staysWithVersions: return try temporal.read(at: sequence, body)
        case .versions: break
        }
        let start = ContinuousClock.now
        let outcome = try temporal.read(at: sequence, body)
        addReadTime(ContinuousClock.now - start)
        return outcome
    }

    /// Adds the duration of a read, and makes the snapshot when the budget is spent.
    private func addReadTime(_ duration: Duration) {
        readPath.withLock { readPath in
            guard case .versions(let before, let known) = readPath else { return }
            let spent = before + duration
            let budget = known ?? self.budget
            readPath = .versions(spent: spent, budget: budget)
            guard spent >= budget else { return }
            // A snapshot may fail, for instance on a full disk. Then reads continue among the versions.
            let snapshot = try? temporal.snapshot(at: sequence)
            readPath = snapshot.map { .snapshot($0) } ?? .staysWithVersions
        }
    }

    private var budget: Duration {
        guard copying == .whenWorthwhile, let rows = try? temporal.rowCount(at: sequence) else { return .zero }
        return Self.copyCost + Self.rowCost * rows
    }

    /// The tables of the model as text, as `Projection.dump` without what is not theirs.
    package func dumpTables() throws -> String { try read { try $0.dumpTables() } }
}

#if Server
import FirnInspection
import FirnLog
import Synchronization

/// The findings from the headers of all records: the last erasure, and the models. Each header is read once.
final class FrameWalk: Sendable {
    private struct State {
        var position = SequenceNumber.zero
        var lastErasure = SequenceNumber.zero
        var models: [SequenceNumber: LogModel] = [:]
    }

    private let log: SegmentLog
    private let state = Mutex(State())

    init(_ log: SegmentLog) { self.log = log }

    /// Walks on to the end of the log. The first call walks over the headers of all records.
    func advance() throws { try advanced { _ in } }

    /// The record of the last erasure; zero if there was none.
    func lastErasure() throws -> SequenceNumber { try advanced { $0.lastErasure } }

    /// Every model that a record was written with, by the record that carries it.
    func models() throws -> [SequenceNumber: LogModel] { try advanced { $0.models } }

    private func advanced<R>(_ body: (State) -> R) throws -> R {
        try state.withLock { state in
            if state.position == .zero, let (sequence, model) = try log.model(inForceAt: log.beforeFirst) {
                state.models[sequence] = model
            }
            let reader = try log.records(after: max(state.position, log.beforeFirst))
            while let frame = try reader.nextFrameInfo() {
                if frame.kind == .erasure { state.lastErasure = frame.sequence }
                guard frame.kind == .model else { continue }
                var model = try log.model(at: frame.sequence)
                // Rows may be erased later.
                model.migration?.rows = nil
                state.models[frame.sequence] = model
            }
            state.position = reader.position
            return body(state)
        }
    }
}
#endif

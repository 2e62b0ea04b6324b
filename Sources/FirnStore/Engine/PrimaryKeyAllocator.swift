package import FirnLog
import FirnProjection
import Synchronization

/// The last primary key that each root entity has given away: in the records of a log up to one of them, and to saves
/// that are being made.
///
/// Thread-safe: a save may be given keys before it has the writer's lock. Then others may write first: keys are its
/// own as long as nobody gave any without asking here, which `epoch` tells.
package final class PrimaryKeyAllocator: Sendable {
    fileprivate struct LastKeys {
        var last: [EntityNumber: Int64] = [:]
        var sequence = SequenceNumber.zero
        var epoch = 0
    }

    private let layout: TableLayout
    private let state = Mutex(LastKeys())

    init(layout: TableLayout) { self.layout = layout }

    /// The record after which they are known; zero before they are.
    package var sequence: SequenceNumber { state.withLock { $0.sequence } }

    /// Changes when keys were given that were not asked for here; nil while none are known.
    package var epoch: Int? { state.withLock { $0.sequence == .zero ? nil : $0.epoch } }

    /// Whether keys given in an epoch may be written behind a record.
    func areValid(of epoch: Int, after sequence: SequenceNumber) -> Bool {
        state.withLock { $0.epoch == epoch && $0.sequence == sequence }
    }

    /// Throws `noKeysLeft` if the entity has fewer left: one below the largest integer is the last.
    package func reserve(_ count: Int, in root: EntityNumber) throws -> Range<Int64> {
        try state.withLock { state in
            let last = state.last[root] ?? 0
            if count == 0 { return last..<last }
            let (end, isTooLarge) = last.addingReportingOverflow(Int64(count))
            guard !isTooLarge, end < Int64.max else {
                throw ProjectionError(
                    .noKeysLeft,
                    "the entity \(layout.place(root)?.name ?? "\(root)") has no primary keys left: its last is "
                        + "\(last), which no program gives by itself; copy the objects into a new store")
            }
            state.last[root] = end
            return last + 1..<end + 1
        }
    }

    /// Takes keys back that were not written and were given in an epoch, unless others were given since, here or
    /// elsewhere: then they are nobody's.
    package func release(_ keys: Range<Int64>, in root: EntityNumber, of epoch: Int) {
        state.withLock { state in
            guard state.epoch == epoch, state.last[root] == keys.upperBound - 1 else { return }
            state.last[root] = keys.lowerBound - 1
        }
    }

    /// Takes what the tables say behind a record.
    package func load(_ last: [EntityNumber: Int64], at sequence: SequenceNumber) {
        state.withLock { state in
            state.last.merge(last, uniquingKeysWith: max)
            state.sequence = sequence
            state.epoch += 1
        }
    }

    /// Whatever was given was counted on from keys that nobody has.
    package func invalidate() {
        state.withLock { $0 = LastKeys(epoch: $0.epoch + 1) }
    }

    /// Counts the keys of the record that follows, of any writer. After any other record, keys must be loaded.
    package func apply(_ record: LogRecord) {
        switch record.body {
        case .changes(let changes): apply(changes, at: record.sequence, isRemote: true)
        case .reservation(let keys):
            state.withLock { state in
                guard state.follows(record.sequence) else { return }
                for (entity, key) in keys { advance(key, entity, &state) }
                state.epoch += 1
            }
        case .erasure: state.withLock { _ = $0.follows(record.sequence) }
        case .model, .baseline: break
        }
    }

    /// Takes the change set that follows, of this engine.
    func apply(_ changes: ChangeSet, at sequence: SequenceNumber) { apply(changes, at: sequence, isRemote: false) }

    private func apply(_ changes: ChangeSet, at sequence: SequenceNumber, isRemote: Bool) {
        state.withLock { state in
            guard state.follows(sequence) else { return }
            if isRemote { state.epoch += 1 }
            for group in changes.groups where group.operation == .insert {
                if let key = group.primaryKeys.max() { advance(key, group.entity, &state) }
            }
        }
    }

    private func advance(_ key: Int64, _ entity: EntityNumber, _ state: inout LastKeys) {
        guard let root = layout.place(entity)?.root else { return }
        state.last[root] = max(state.last[root] ?? 0, key)
    }
}

extension PrimaryKeyAllocator.LastKeys {
    fileprivate mutating func follows(_ next: SequenceNumber) -> Bool {
        guard sequence != .zero, next == sequence.next else { return false }
        sequence = next
        return true
    }
}

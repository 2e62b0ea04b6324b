package import FirnLog
import FirnProjection
import Synchronization

/// Keys that were given to new objects of one root entity.
package struct KeyReservation: Sendable {
    package let root: EntityNumber
    package let keys: Range<Int64>
}

/// The last primary key that each root entity has given away: in the records of a log, and to saves that are being
/// made.
///
/// Keys are given without the writer's lock, so another program may write some of them first. The one that has the lock
/// then asks `areValid`. What is given and not written is a gap: nothing is given back.
///
/// Thread-safe.
package final class PrimaryKeyAllocator: Sendable {
    private struct LastKeys {
        var last: [EntityNumber: Int64] = [:]
        /// The highest keys in records of other programs.
        var remote: [EntityNumber: Int64] = [:]
        var isKnown = false
    }

    private let layout: TableLayout
    private let state = Mutex(LastKeys())

    init(layout: TableLayout) { self.layout = layout }

    /// Whether keys can be given: the last ones of the log were loaded, and all records since then applied.
    package var isKnown: Bool { state.withLock { $0.isKnown } }

    /// Whether nobody else wrote any of these keys. The caller holds the writer's lock, and every record is applied.
    func areValid(_ given: [KeyReservation]) -> Bool {
        if given.isEmpty { return true }
        return state.withLock { state in
            state.isKnown && given.allSatisfy { state.remote[$0.root] ?? 0 < $0.keys.lowerBound }
        }
    }

    /// Throws `noKeysLeft` if the entity has fewer left: one below the largest integer is the last.
    package func reserve(_ count: Int, in root: EntityNumber) throws -> KeyReservation {
        try state.withLock { state in
            let last = state.last[root] ?? 0
            if count == 0 { return KeyReservation(root: root, keys: last..<last) }
            let (end, isTooLarge) = last.addingReportingOverflow(Int64(count))
            guard !isTooLarge, end < Int64.max else {
                throw ProjectionError(
                    .noKeysLeft,
                    "the entity \(layout.place(root)?.name ?? "\(root)") has no primary keys left: its last is "
                        + "\(last), which no program gives by itself; copy the objects into a new store")
            }
            state.last[root] = end
            return KeyReservation(root: root, keys: last + 1..<end + 1)
        }
    }

    /// Takes what the tables say of all records.
    func load(_ last: [EntityNumber: Int64]) {
        state.withLock { state in
            state.last.merge(last, uniquingKeysWith: max)
            state.remote.merge(last, uniquingKeysWith: max)
            state.isKnown = true
        }
    }

    /// Records were cut off before they were seen here: keys have to be loaded again.
    func invalidate() { state.withLock { $0.isKnown = false } }

    /// Takes the keys of another writer's record.
    package func apply(_ record: LogRecord) {
        switch record.body {
        case .changes(let changes): apply(changes, isRemote: true)
        case .reservation(let keys):
            state.withLock { state in
                for (entity, key) in keys { advance(key, entity, isRemote: true, &state) }
            }
        case .erasure, .model, .baseline: break
        }
    }

    /// Takes the keys of a change set of this engine, which may be others than were given here.
    func apply(_ changes: ChangeSet) { apply(changes, isRemote: false) }

    private func apply(_ changes: ChangeSet, isRemote: Bool) {
        state.withLock { state in
            for group in changes.groups where group.operation == .insert {
                if let key = group.primaryKeys.max() { advance(key, group.entity, isRemote: isRemote, &state) }
            }
        }
    }

    private func advance(_ key: Int64, _ entity: EntityNumber, isRemote: Bool, _ state: inout LastKeys) {
        guard let root = layout.place(entity)?.root else { return }
        state.last[root] = max(state.last[root] ?? 0, key)
        if isRemote { state.remote[root] = max(state.remote[root] ?? 0, key) }
    }
}

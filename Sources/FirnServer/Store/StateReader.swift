#if Server
import FirnInspection
import FirnLog
import FirnModel
import FirnProjection
import Foundation
import Synchronization

/// Reads a store's objects, as they are and as they were.
///
///     now     the store's own tables, if they hold the last record; else the versions
///     then    the versions of all rows, in a file without a name, which catches up with the log when it is read
final class StateReader: Sendable {
    /// A state of the store, in the terms of the model that was in force.
    struct State {
        let reader: ProjectionReader
        let schema: StoreSchema
        let sequence: SequenceNumber
        /// The record with the model in whose terms it is.
        let model: SequenceNumber
    }

    private struct Open: Sendable {
        var projection: Projection
        var schema: StoreSchema
        /// The erasures that were met before: each puts other files in place of the tables'.
        var erasures: Int
    }

    /// Saves reach the store's tables within milliseconds; so long is waited for them.
    private static let tablesTimeout = Duration.milliseconds(50)
    private static let pollInterval = 0.002

    private let store: ServedStore
    private let present = Mutex<Open?>(nil)
    private let past: PastStates

    init(_ store: ServedStore) {
        self.store = store
        past = PastStates(store.log, .temporary)
    }

    /// Calls `body` with the state after a record; by default with the newest.
    func read<R>(at sequence: SequenceNumber?, _ body: (State) throws -> R) throws -> R {
        let head = try store.refresh()
        if sequence ?? head == head, let result = try readPresent(head, body) { return result }
        return try readPast(sequence ?? head, body)
    }

    /// Nil if the store's tables are missing, or do not hold the last record for a while.
    func readPresent<R>(_ head: SequenceNumber, _ body: (State) throws -> R) throws -> R? {
        guard let open = try openPresent() else { return nil }
        let deadline = ContinuousClock.now + Self.tablesTimeout
        repeat {
            do {
                let result = try open.projection.readLatest { reader -> R? in
                    let checkpoint = try reader.checkpoint
                    guard checkpoint >= head else { return nil }
                    return try body(State(
                            reader: reader, schema: open.schema, sequence: checkpoint,
                            model: open.projection.modelSequence))
                }
                if let result { return result }
            } catch is ProjectionError {
                // Rebuilt, migrated or removed: opened again by the next request.
                present.withLock { $0 = nil }
                return nil
            }
            Thread.sleep(forTimeInterval: Self.pollInterval)
        } while ContinuousClock.now < deadline
        return nil
    }

    private func openPresent() throws -> Open? {
        guard let (sequence, model) = try store.log.currentModel else { throw Self.noModel }
        let erasures = store.log.erasuresMet
        if let open = present.withLock({ $0 }), open.projection.modelSequence == sequence, open.erasures == erasures {
            return open
        }
        let schema = try StoreSchema(model, name: "\(store.name), record \(sequence)")
        guard
            let (projection, state) = try? Projection.open(
                .file(store.path), schema: schema, storeID: store.log.storeID.uuidString, modelSequence: sequence,
                head: try store.refresh(), readOnly: true)
        else { return nil }
        if case .mustRebuild = state { return nil }
        let open = Open(projection: projection, schema: schema, erasures: erasures)
        present.withLock { $0 = open }
        return open
    }

    private static var noModel: RequestFailure {
        .notFound("the store has no model yet: nothing was saved to it", remedy: "ask again after the first save")
    }

    private func readPast<R>(_ sequence: SequenceNumber, _ body: (State) throws -> R) throws -> R {
        let log = store.log
        guard let current = try log.currentModel?.sequence, try log.model(inForceAt: max(sequence, log.baseline)) != nil
        else { throw Self.noModel }
        let (past, schema) = try past.reader(at: sequence, current: current, copying: .never) { [name = store.name] in
            try StoreSchema(log.model(at: $0), name: "\(name), record \($0)")
        }
        return try past.read { try body(State(reader: $0, schema: schema, sequence: sequence, model: current)) }
    }
}
#endif

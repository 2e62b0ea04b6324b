#if Server
import FirnInspection
import FirnLog
import FirnModel
import FirnProjection
import Foundation
import HTTPTypes
import Synchronization

/// Reads a store's objects, as they are and as they were.
///
///     now     the store's own tables, if they hold the last record; else the versions
///     then    the store's history file, which catches up with the log when it is read; one without a name where the
///             store's folder cannot be written
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

    /// The first time, the history of a large store takes longer.
    private static let pastTimeout = DispatchTimeInterval.seconds(2)

    private let store: ServedStore
    private let present = Mutex<Open?>(nil)
    private let past: PastStates
    /// Where the history catches up with the log.
    private let queue = DispatchQueue(label: "firn.history")

    /// - Parameter keepsHistory: whether the history may be in a file next to the store.
    init(_ store: ServedStore, keepsHistory: Bool = true) {
        self.store = store
        past = PastStates(store.log, .file(store.path), isKept: keepsHistory, hasWords: true)
    }

    /// Calls `body` with the state after a record; by default with the newest.
    func read<R>(at sequence: SequenceNumber?, _ body: (State) throws -> R) throws -> R {
        let head = try store.refresh()
        if sequence ?? head == head, let result = try readPresent(head, body) { return result }
        return try readPast(sequence ?? head, body)
    }

    /// Objects with the names that people know them by, `Reader/46` ↦ `Reader/46 “Anna”`, in the state after a
    /// record; by default in the store's tables, if they can be read.
    func titles(of objects: some Sequence<String>, at sequence: SequenceNumber? = nil) -> [String: String] {
        let objects = Set(objects)
        guard !objects.isEmpty else { return [:] }
        func titles(_ state: State) -> [String: String] {
            let model = state.schema.logModel
            let names = ModelNames(model)
            return objects.reduce(into: [String: String]()) { titles, object in
                guard let name = try? ObjectName(object),
                    let entity = model.entities.first(where: { $0.name == name.entity })
                else { return }
                let key = ObjectKey(entity: entity.number, primaryKey: name.key)
                titles[object] = names.named(key) { (try? state.reader.value(of: $0, slot: Int($1))) ?? nil }
            }
        }
        // Without a state that can be read objects are named by their keys.
        let found = try? sequence.map { try readPast($0, titles) } ?? readPresent(store.refresh(), titles)
        return found ?? [:]
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
        let (past, schema) = try history(at: sequence) { try $0.reader(at: sequence, copies: false) }
        let current = try log.currentModel?.sequence ?? .zero
        return try past.read { try body(State(reader: $0, schema: schema, sequence: sequence, model: current)) }
    }

    /// Calls `body` with the history, once it has the record. Throws 503 while it is being made.
    func history<R>(at sequence: SequenceNumber, _ body: (PastStates) throws -> R) throws -> R {
        let log = store.log
        guard try log.currentModel != nil, try log.model(inForceAt: max(sequence, log.baseline)) != nil
        else { throw Self.noModel }
        let made = CaughtUp()
        queue.async { [past] in made.finish { try past.catchUp(through: sequence) } }
        do {
            guard try made.wait(for: Self.pastTimeout) else {
                throw Self.notYet("is being made up to record \(log.head)", remedy: "ask again in some seconds")
            }
            return try body(past)
        } catch {
            switch ProjectionError.historyCondition(error) {
            case .busy?: throw Self.notYet("is written by another program", remedy: "ask again in some seconds")
            case .outOfSpace?: throw Self.notYet("has no space left to be made", remedy: "free some, and ask again")
            case nil: throw error
            }
        }
    }

    private static func notYet(_ reason: String, remedy: String) -> RequestFailure {
        RequestFailure(
            .serviceUnavailable, "the history of this store \(reason)", remedy: remedy, headers: [.retryAfter: "2"])
    }
}

/// The end of an update of the history.
private final class CaughtUp: Sendable {
    private let group = DispatchGroup()
    private let failure = Mutex<(any Error)?>(nil)

    init() { group.enter() }

    func finish(_ update: () throws -> Void) {
        do { try update() } catch { failure.withLock { $0 = error } }
        group.leave()
    }

    /// Whether the update ended in time. Throws its error.
    func wait(for timeout: DispatchTimeInterval) throws -> Bool {
        guard group.wait(timeout: .now() + timeout) == .success else { return false }
        if let error = failure.withLock({ $0 }) { throw error }
        return true
    }
}
#endif

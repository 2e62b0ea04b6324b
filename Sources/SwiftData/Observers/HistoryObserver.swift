#if SwiftData
import Firn
import FirnModel
import FirnRuntime
import FirnStore
import Foundation
public import Observation
import Synchronization

/// Counts the transactions of a container's stores that matter to somebody: of any context, stack or process.
///
/// Read what they did with `ModelContext.fetchHistory(_:)`.
/// https://developer.apple.com/documentation/swiftdata/historyobserver
public final class HistoryObserver: Observable, Sendable {
    /// The container whose stores are observed.
    public final let modelContainer: ModelContainer
    /// The models whose changes count; empty for all. Subclasses count with their superclass.
    public final let observedModels: [any PersistentModel.Type]
    /// The authors whose transactions count; empty for all.
    public final let authors: Set<String>
    private let registrar = ObservationRegistrar()
    private let owner: ContextOwner?
    private let state: Mutex<Observed>

    private struct Observed: Sendable {
        var count = 0
        /// By store, the last transaction that was looked at.
        var seen: [String: Int64]
        var observer: Transferred<any NSObjectProtocol>?
    }

    /// Observes what is saved after these tokens, by store identifier; without any, what is saved from now on.
    ///
    /// Observers are notified on `isolation`. Throws `historyTokenExpired` if the history after a token was deleted.
    public convenience init(
        historyTokens: [String: any HistoryToken]? = nil, observedModels: [any PersistentModel.Type] = [],
        authors: Set<String> = [], modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(historyTokens, observedModels, authors, modelContainer, isolation)
    }

    private init(
        _ tokens: [String: any HistoryToken]?, _ models: [any PersistentModel.Type], _ authors: Set<String>,
        _ container: ModelContainer, _ owner: (any Actor)?
    ) throws {
        modelContainer = container
        observedModels = models
        self.authors = authors
        self.owner = owner.map { .actor(ActorReference($0)) }
        var seen = Self.current(container)
        var begun: [NSPersistentHistoryToken] = []
        for (store, token) in tokens ?? [:] {
            guard let token = token as? DefaultHistoryToken, let number = token.tokenValue?[store] else {
                throw SwiftDataError.invalidTransactionFetchRequest.because(
                    "the token of the store \(store) is of no transaction of it: \(token)")
            }
            seen[store] = number
            begun.append(token.managed)
        }
        state = Mutex(Observed(seen: seen))
        // Observing comes first: a transaction that is saved meanwhile is counted once, by its number.
        observe()
        let count = try count(begun)
        state.withLock { $0.count += count }
    }

    deinit {
        if let observer = state.withLock({ $0.observer }) { NotificationCenter.default.removeObserver(observer.value) }
    }

    /// How many transactions that matter were saved since the observer was made, or since its tokens.
    public final var eventCounter: Int {
        registrar.access(self, keyPath: \.eventCounter)
        return state.withLock { $0.count }
    }

    private func observe() {
        let observer = NotificationCenter.default.addObserver(
            forName: ModelContainer.remoteChange, object: modelContainer, queue: nil
        ) { [weak self] _ in self?.transactionsArrived() }
        let token = Transferred(observer)
        state.withLock { $0.observer = token }
    }

    private func transactionsArrived() {
        // After a deletion of the history anything may have happened.
        guard let count = try? count() else {
            let current = Self.current(modelContainer)
            state.withLock { $0.seen = current }
            return add(1)
        }
        if count > 0 { add(count) }
    }

    private func add(_ count: Int) {
        guard let owner, owner.isKnown else { return change(count) }
        owner.run { [weak self] in self?.change(count) }
    }

    private func change(_ count: Int) {
        registrar.withMutation(of: self, keyPath: \.eventCounter) { state.withLock { $0.count += count } }
    }

    /// Reads the transactions that were not looked at yet, and counts those that matter.
    ///
    /// - Parameter tokens: tokens of the history that is read.
    private func count(_ tokens: [NSPersistentHistoryToken] = []) throws -> Int {
        var range = HistoryRange()
        range.tokens = tokens
        range.after = state.withLock { $0.seen }
        var count = 0
        do {
            try modelContainer.coordinator.readHistory(range) { transaction in
                let (store, number) = (transaction.storeID, transaction.transactionNumber)
                let isNew = state.withLock { state in
                    guard number > state.seen[store] ?? 0 else { return false }
                    state.seen[store] = number
                    return true
                }
                if isNew, matters(transaction) { count += 1 }
                return true
            }
        } catch {
            throw HistoryReading.named(error)
        }
        return count
    }

    private func matters(_ transaction: NSPersistentHistoryTransaction) -> Bool {
        if !authors.isEmpty, !authors.contains(transaction.author ?? "") { return false }
        if observedModels.isEmpty { return true }
        let names = Set(observedModels.map { ModelShape.of($0).entityName })
        return (transaction.changes ?? []).contains { change in
            sequence(first: change.changedObjectID.entity, next: \.superentity)
                .contains { names.contains($0.name ?? "") }
        }
    }

    private static func current(_ container: ModelContainer) -> [String: Int64] {
        container.coordinator.currentPersistentHistoryToken(fromStores: nil)?.transactionNumbers ?? [:]
    }
}
#endif

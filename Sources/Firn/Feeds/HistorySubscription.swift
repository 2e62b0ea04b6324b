import FirnLog
import FirnStore
public import Foundation

/// A named reader of a store's history whose place is kept with the store, across processes and restarts.
///
/// Every transaction is delivered at least once, in order: after a crash, those that were delivered and not noted
/// as such are delivered again (`transactionNumber` tells them). What the handler cannot take after all attempts is
/// set aside as a dead letter, and the subscription continues. History is not trimmed past what a subscription has
/// not seen.
public struct HistorySubscription: Sendable {
    /// How transactions are delivered.
    public struct Options: Hashable, Sendable {
        /// The most transactions handed over at once.
        public var batchSize = 100
        /// How often a delivery is tried before it is split, and a single transaction set aside.
        public var attemptsMax = 5
        /// How long to wait before the second attempt; doubled for each later one, up to a minute.
        public var delayMilliseconds = 100
        /// The limit of dead letters, after which `run` throws: the fault is not in single transactions.
        public var deadLettersMax = 100

        /// The default options.
        public init() {}
    }

    /// The name under which the place is stored.
    public let name: String
    /// How transactions are delivered.
    public let options: Options
    let history: OpenHistory

    /// The subscription of that name: at most 64 letters, digits, dots, dashes and underscores.
    init(_ name: String, _ history: OpenHistory, _ options: Options) {
        guard Subscription.isValid(name) else {
            fatalError(
                "name a subscription with 1 to 64 letters, digits, dots, dashes and underscores, not \(name)")
        }
        self.name = name
        self.history = history
        self.options = options
    }

    private var log: SegmentLog { history.log }

    /// The last transaction that is done with; nil before the first.
    public var token: NSPersistentHistoryToken? {
        get throws {
            try log.subscription(named: name).map { NSPersistentHistoryToken(history.identifier, $0.checkpoint) }
        }
    }

    /// The numbers of the transactions that were set aside, and why.
    public var deadLetters: [(transactionNumber: Int64, date: Date, reason: String)] {
        get throws {
            try (log.subscription(named: name)?.deadLetters ?? []).map {
                (Int64($0.sequence.rawValue), Date(timeIntervalSince1970: Double($0.date) / 1e6), $0.reason)
            }
        }
    }

    /// Forgets the subscription: history may be trimmed past it.
    public func remove() throws { try log.removeSubscription(named: name) }

    /// Delivers all that has not been delivered yet, then what comes, until the task is cancelled.
    ///
    /// - Parameters:
    ///   - stopsWhenDelivered: returns when there is nothing more for now.
    ///   - baseline: called when transactions were deleted that the subscription has not seen, also a new one, with a
    ///     context that shows the state behind them; by default this is skipped. Called with the newest state when what
    ///     the subscription has seen is another history of the store, as before a backup was put back.
    ///   - deliver: is given the transactions. They are delivered again if it throws.
    /// - Throws: what keeps history from being read or the place from being stored; another `run` of the same name.
    public func run(
        stopsWhenDelivered: Bool = false,
        baseline: @Sendable (NSManagedObjectContext) async throws -> Void = { _ in },
        _ deliver: @Sendable ([NSPersistentHistoryTransaction]) async throws -> Void
    ) async throws {
        let lease = try log.lease(ofSubscription: name)
        defer { lease.release() }
        var place = try log.subscription(named: name)
            ?? Subscription(name: name, checkpoint: 0, date: SystemClock.now())
        // From now on history waits for it.
        try store(&place, at: place.checkpoint)
        let source = HistorySource(history, after: place.checkpoint)
        while !Task.isCancelled {
            let batch = try nextBatch(source)
            if let last = batch.restart {
                try await baseline(history.state(after: last.sequence))
                try store(&place, at: last)
            } else if !batch.records.isEmpty {
                try await self.deliver(batch.records, &place, source, deliver)
            } else if batch.isEmpty {
                if source.position.sequence > place.checkpoint.sequence { try store(&place, at: source.position) }
                if stopsWhenDelivered { return }
                guard await source.wait() else { return }
            }
        }
    }

    private struct Batch {
        var records: [LogRecord] = []
        var restart: LogPosition?
        var isEmpty = false
    }

    private func nextBatch(_ source: HistorySource) throws -> Batch {
        var batch = Batch()
        while batch.records.count < max(options.batchSize, 1) {
            switch try source.next() {
            case .record(let record): if case .changes = record.body { batch.records.append(record) }
            case .restart(let last):
                batch.records = []
                batch.restart = last
                return batch
            case .nothing:
                batch.isEmpty = batch.records.isEmpty
                return batch
            }
        }
        return batch
    }

    private func deliver(
        _ records: [LogRecord], _ place: inout Subscription, _ source: HistorySource,
        _ deliver: @Sendable ([NSPersistentHistoryTransaction]) async throws -> Void
    ) async throws {
        var delivery = Delivery(
            count: records.count, attemptsMax: options.attemptsMax, delayMilliseconds: options.delayMilliseconds)
        // One that cannot be read is no fault of the handler.
        let transactions = try records.map(source.transaction)
        var done = 0
        var action = delivery.next()
        var failure = ""
        while true {
            switch action {
            case .deliver(let count), .retry(let count, _):
                if case .retry(_, let delay) = action { try await Task.sleep(for: .milliseconds(delay)) }
                do {
                    try await deliver(Array(transactions[done..<done + count]))
                    action = delivery.succeeded()
                } catch {
                    try Task.checkCancellation()
                    failure = "\(error)"
                    action = delivery.failed()
                }
            case .advance(let count):
                done += count
                try store(&place, at: records[done - 1].position)
                action = delivery.next()
            case .setAside:
                try setAside(records[done], failure, &place)
                done += 1
                action = delivery.next()
            case .finish: return
            }
        }
    }

    private func setAside(_ record: LogRecord, _ reason: String, _ place: inout Subscription) throws {
        guard place.deadLetters.count < options.deadLettersMax else {
            throw CoreDataError.make(
                .persistentStoreOperation,
                "the subscription \(name) has set \(place.deadLetters.count) transactions aside and stops at "
                    + "\(record.sequence): \(reason)")
        }
        place.deadLetters.append(
            .init(sequence: record.sequence, date: SystemClock.now(), reason: reason))
        try store(&place, at: record.position)
    }

    private func store(_ place: inout Subscription, at checkpoint: LogPosition) throws {
        // An erasure may have emptied reasons meanwhile.
        let known = (try? log.subscription(named: name))?.deadLetters ?? []
        if known.count <= place.deadLetters.count { place.deadLetters.replaceSubrange(..<known.count, with: known) }
        place.checkpoint = checkpoint
        place.date = SystemClock.now()
        try log.store(place)
    }
}

#if Service
public import CoreDataExtras
public import Firn
public import ServiceLifecycle

/// A service that delivers a store's history to a handler, until the process shuts down.
///
/// A delivery that is interrupted is cancelled, and repeated by the next process.
public struct HistorySubscriptionService: Service {
    private let subscription: HistorySubscription
    private let baseline: @Sendable (NSManagedObjectContext) async throws -> Void
    private let deliver: @Sendable ([NSPersistentHistoryTransaction]) async throws -> Void

    /// The parameters are those of `HistorySubscription.run`.
    public init(
        _ subscription: HistorySubscription,
        baseline: @escaping @Sendable (NSManagedObjectContext) async throws -> Void = { _ in },
        deliver: @escaping @Sendable ([NSPersistentHistoryTransaction]) async throws -> Void
    ) {
        self.subscription = subscription
        self.baseline = baseline
        self.deliver = deliver
    }

    public func run() async throws {
        try await runUntilShutdown { try await subscription.run(baseline: baseline, deliver) }
    }
}

/// A service that applies transactions to the tables of a projection as they come, until the process shuts down.
public struct TableProjectorService: Service {
    private let projector: TableProjector

    /// A service of this projector.
    public init(_ projector: TableProjector) { self.projector = projector }

    public func run() async throws { try await runUntilShutdown { try await projector.run() } }
}

/// Runs `body`, which is cancelled when the process shuts down. That is no error.
func runUntilShutdown(_ body: @Sendable @escaping () async throws -> Void) async throws {
    do {
        try await cancelWhenGracefulShutdown(body)
    } catch is CancellationError where Task.isShuttingDownGracefully {}
}
#endif

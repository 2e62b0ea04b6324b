#if Service
public import Firn
import FirnLog
import FirnProjection
import FirnStore
import Foundation
import Metrics
public import ServiceLifecycle

/// A service that records gauges of a coordinator's stores again and again, each by `store`:
///
/// | gauge | of |
/// | --- | --- |
/// | `firn.log.head` | the number of the last record |
/// | `firn.tables.lag` | records that the tables do not have yet |
/// | `firn.row_cache.size` | bytes of cached rows |
/// | `firn.subscription.lag` | records that a `subscription` has not delivered yet |
public struct StoreMetricsService: Service {
    private let coordinator: NSPersistentStoreCoordinator
    private let interval: Duration

    /// - Parameter interval: the time from one recording to the next.
    public init(_ coordinator: NSPersistentStoreCoordinator, interval: Duration = .seconds(10)) {
        self.coordinator = coordinator
        self.interval = interval
    }

    public func run() async throws {
        try await runUntilShutdown {
            while true {
                record()
                try await Task.sleep(for: interval)
            }
        }
    }

    /// Records the gauges now.
    public func record() {
        for store in coordinator.persistentStores {
            guard let engine = store.historyEngine else { continue }
            let name = store.url?.lastPathComponent ?? store.identifier ?? ""
            func gauge(_ label: String, _ value: UInt64, _ dimensions: [(String, String)] = []) {
                Gauge(label: label, dimensions: [("store", name)] + dimensions).record(value)
            }
            let head = engine.log.head
            func lag(_ sequence: SequenceNumber) -> UInt64 { head.rawValue - min(head, sequence).rawValue }
            gauge("firn.log.head", head.rawValue)
            gauge("firn.tables.lag", lag(engine.projection.checkpoint))
            gauge("firn.row_cache.size", UInt64(engine.rowCache.size))
            // A place that cannot be read is the subscription's own to report.
            for place in (try? engine.log.subscriptions()) ?? [] {
                gauge("firn.subscription.lag", lag(place.checkpoint.sequence), [("subscription", place.name)])
            }
        }
    }
}
#endif

#if Service
import FirnFoundation
public import Logging
import Metrics
import Tracing

/// Logs, metrics and traces of every store of the process, for the systems that the program has bootstrapped:
///
///     LoggingSystem.bootstrap(…)
///     MetricsSystem.bootstrap(…)
///     InstrumentationSystem.bootstrap(…)
///     StoreTelemetry.bootstrap()
///
/// | metric | kind | of |
/// | --- | --- | --- |
/// | `firn.saves` | counter | saves and batch requests, by `outcome`: `saved` or `failed` |
/// | `firn.save.duration` | timer | the same, from looking for conflicts until the record is as durable as promised |
/// | `firn.save.size` | recorder | bytes of each record's changes, before they are compressed |
/// | `firn.conflicts` | counter | conflicts that saves found, resolved or not |
/// | `firn.fetch.duration` | timer | fetches and counts |
/// | `firn.migration.duration` | timer | migrations |
///
/// `StoreMetricsService` adds gauges. Spans are named `save`, `fetch Book`, `count Book` and `migration`. The span of a
/// save has the number of its record as the attribute `firn.record`, and the record's metadata has what the tracer
/// injects into a request, such as `traceparent`: a row leads to the request that wrote it.
public enum StoreTelemetry {
    /// Observes all stores of the process from now on. Call it once, after the three systems were bootstrapped and
    /// before a store is opened.
    ///
    /// - Parameter logger: the logger of what stores otherwise report on standard error.
    public static func bootstrap(logger: Logger = Logger(label: "firn")) {
        Instruments.install(TelemetryInstrument(logger: logger))
    }
}

/// The instrument that hands operations to the three systems.
final class TelemetryInstrument: StoreInstrument {
    let logger: Logger
    /// Without a tracer no span is made, and records have no trace.
    private let isTraced = !(InstrumentationSystem.tracer is NoOpTracer)
    private let saved = Counter(label: "firn.saves", dimensions: [("outcome", "saved")])
    private let failed = Counter(label: "firn.saves", dimensions: [("outcome", "failed")])
    private let saveDuration = Timer(label: "firn.save.duration")
    private let saveSize = Recorder(label: "firn.save.size")
    private let conflicts = Counter(label: "firn.conflicts")
    private let fetchDuration = Timer(label: "firn.fetch.duration")
    private let migrationDuration = Timer(label: "firn.migration.duration")

    init(logger: Logger) { self.logger = logger }

    func run<R>(_ operation: StoreOperation, _ body: (inout OperationOutcome) throws -> R) throws -> R {
        guard isTraced else { return try measured(operation, nil, body) }
        return try withSpan(operation.spanName, ofKind: .client) { try measured(operation, $0, body) }
    }

    private func measured<R>(
        _ operation: StoreOperation, _ span: (any Span)?, _ body: (inout OperationOutcome) throws -> R
    ) throws -> R {
        var outcome = OperationOutcome()
        let start = ContinuousClock.now
        let result = Result { try body(&outcome) }
        let isFailed = if case .failure = result { true } else { false }
        record(operation, start.duration(to: .now), outcome, isFailed: isFailed)
        // https://opentelemetry.io/docs/specs/semconv/database/database-spans/
        span?.updateAttributes { attributes in
            if let entity = operation.entity { attributes["db.collection.name"] = entity }
            attributes["db.operation.name"] = operation.name
            if let count = outcome.resultCount { attributes["db.response.returned_rows"] = count }
            if let record = outcome.record { attributes["firn.record"] = Int64(record) }
            if outcome.conflictCount > 0 { attributes["firn.conflicts"] = outcome.conflictCount }
        }
        return try result.get()
    }

    private func record(
        _ operation: StoreOperation, _ duration: Duration, _ outcome: OperationOutcome, isFailed: Bool
    ) {
        switch operation {
        case .save:
            (isFailed ? failed : saved).increment()
            saveDuration.record(duration: duration)
            if outcome.changeSize > 0 { saveSize.record(outcome.changeSize) }
            if outcome.conflictCount > 0 { conflicts.increment(by: outcome.conflictCount) }
        case .fetch, .count: fetchDuration.record(duration: duration)
        case .migration: migrationDuration.record(duration: duration)
        }
    }

    var metadata: [String: String] {
        var carrier: [String: String] = [:]
        guard isTraced, let context = ServiceContext.current else { return carrier }
        InstrumentationSystem.instrument.inject(context, into: &carrier, using: MetadataInjector())
        return carrier
    }

    func carrying<R>(_ block: @escaping () throws -> R) -> () throws -> R {
        guard let context = ServiceContext.current else { return block }
        return { try ServiceContext.$current.withValue(context, operation: block) }
    }

    func report(_ report: Report) {
        switch report.level {
        case .info: logger.info("\(report.text)")
        case .warning: logger.warning("\(report.text)")
        case .error: logger.error("\(report.text)")
        }
    }
}

private struct MetadataInjector: Injector {
    func inject(_ value: String, forKey key: String, into carrier: inout [String: String]) { carrier[key] = value }
}

extension StoreOperation {
    fileprivate var name: String {
        switch self {
        case .save: "save"
        case .fetch: "fetch"
        case .count: "count"
        case .migration: "migration"
        }
    }

    fileprivate var entity: String? {
        switch self {
        case .fetch(let entity), .count(let entity): entity
        case .save, .migration: nil
        }
    }

    fileprivate var spanName: String { entity.map { "\(name) \($0)" } ?? name }
}
#endif

#if Server
import FirnInspection
import FirnLog
import FirnProjection
import Foundation
import Synchronization

/// A store that is served: its log, opened for reading, and the names of its models. Other processes may write it.
final class ServedStore: Sendable {
    /// The path of the tables.
    let path: String
    /// The store's name in responses, which has nothing of the machine's folders.
    let name: String
    let log: SegmentLog
    let frames: FrameWalk
    private let models: Mutex<ModelLibrary>

    /// Throws where there is no log of a store.
    init(path: String) throws {
        self.path = path
        name = URL(fileURLWithPath: path).lastPathComponent
        let durable = ProjectionMark.durable(path: path, logDirectory: path + "-log")
        log = try SegmentLog.open(directory: path + "-log", forWriting: false, atLeast: durable)
        frames = FrameWalk(log)
        models = Mutex(ModelLibrary(log))
    }

    /// Looks for records that were appended or trimmed, by any process. Returns the last record.
    @discardableResult
    func refresh() throws -> SequenceNumber {
        try log.refreshBeginning()
        return try log.refresh()
    }

    func names(at model: SequenceNumber) throws -> ModelNames {
        try models.withLock { try $0.names(at: model) }
    }

    /// The names that a model's entities, properties and objects have in a later one, by default in that of now.
    func laterNames(at model: SequenceNumber, namedAt later: SequenceNumber? = nil) throws -> ModelNames {
        let later = later ?? log.currentModelSequence
        return try models.withLock { try $0.names(at: model, namedAt: later) }
    }

    /// Throws `Failure` for an entity or a property that no model of the log has.
    func filter(author: String?, entity: String?, property: String? = nil) throws -> RecordFilter {
        try RecordFilter(
            author: author, entity: entity, property: property, in: log,
            among: entity == nil && property == nil ? [:] : frames.models())
    }

    func summary(of record: LogRecord) throws -> RecordSummary {
        try models.withLock { try RecordSummary(record, &$0) }
    }

    /// The record after which the store was as at `point`; the last one by default.
    func sequence(at point: Point?) throws -> SequenceNumber {
        try refresh()
        return try described { try (point ?? .head).sequence(in: log, of: name) }
    }

    /// The record after which the store was as at `point`, for what was in the store then. Throws also for a point
    /// before the first record.
    func state(at point: Point) throws -> SequenceNumber {
        try refresh()
        return try described { try point.state(in: log, of: name) }
    }

    /// The record at the point.
    func record(at point: Point) throws -> LogRecord {
        try refresh()
        return try described { try log.record(at: point.record(in: log, of: name)) }
    }

    /// The entity of that name in the model that is in force after a record.
    func entity(_ name: String, at sequence: SequenceNumber) throws -> (model: LogModel, entity: LogEntity) {
        guard let model = try log.model(inForceAt: sequence)?.model else {
            throw RequestFailure.notFound(
                "the store had no model after record \(sequence)", remedy: "name a later record")
        }
        return (model, try described { try model.entity(named: name) })
    }

    /// Runs `body`; what a person named wrongly in it becomes 404.
    func described<R>(_ body: () throws -> R) throws -> R {
        do { return try body() } catch let failure as Failure {
            throw RequestFailure.notFound(failure.message, remedy: "ask /v1/store for what there is")
        }
    }
}
#endif

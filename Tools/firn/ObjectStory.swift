import FirnInspection
import FirnLog
import FirnProjection

/// The changes of one object in a log, oldest first. The history tables name their records.
struct ObjectStory {
    private let name: ObjectName
    private let log: SegmentLog
    private let options: StoreOptions
    /// The name that the wanted property has now.
    let property: String?

    /// Throws for an entity that no model of the log has, and for a property that the entity never had.
    init(_ name: ObjectName, _ property: String? = nil, in log: SegmentLog, of options: StoreOptions) throws {
        (self.name, self.log, self.options) = (name, log, options)
        guard let current = try log.currentModel else {
            self.property = property
            return
        }
        var models = [current.sequence: current.model]
        var oldest = current.model
        while let source = oldest.migration?.source {
            oldest = try log.model(at: source)
            models[source] = oldest
        }
        let names = try PastNames(models, in: log)
        let entities = try names.entities(named: name.entity)
        do {
            self.property = try property.map { try names.properties(named: $0, of: entities, name.entity) }?.min()
        } catch let failure as Failure {
            throw Failure("\(options.path): \(failure.message)")
        }
    }

    /// Calls `body` with each change, in the names of now, and its record. The first one of a trimmed log may be the
    /// object as it was then, in a record of the baseline. Throws if no record names the object.
    ///
    /// Complexity: O(versions of the object), once the history tables are up to date.
    func forEachChange(_ body: (LoggedChange, LogRecord) throws -> Void) throws {
        var isKnown = false
        var models = ModelLibrary(log)
        func visit(_ record: LogRecord) throws {
            for change in try LoggedChange.all(of: name, in: record, of: log, {
                try models.names(at: $0, namedAt: log.currentModelSequence)
            }) {
                isKnown = true
                try body(change, record)
            }
        }
        if try log.currentModel != nil {
            try options.withHistory(of: log) { past in
                if log.baseline != .zero, let first = try beginning(past) { try visit(first) }
                let numbers = try past.records(of: name.entity, name.key, after: log.beforeFirst, through: log.head)
                for number in numbers { try visit(log.record(at: number)) }
            }
        }
        if !isKnown { throw Failure("\(options.path): no record from \(log.first) on names \(name.text)") }
    }

    /// The object as it was when the log was trimmed.
    private func beginning(_ past: PastStates) throws -> LogRecord? {
        guard let model = try log.model(inForceAt: log.baseline)?.sequence,
            let key = try log.key(of: name.entity, name.key, at: model, namedAt: log.currentModelSequence)
        else { return nil }
        let rows = try past.reader(at: log.baseline, copies: false).0.read { try $0.insertion(of: key, model) }
        let header = TransactionHeader(date: 0, id: TransactionID(high: 0, low: 0))
        return LogRecord(sequence: log.baseline, header: header, body: .baseline(.rows(rows, versions: [])))
    }
}

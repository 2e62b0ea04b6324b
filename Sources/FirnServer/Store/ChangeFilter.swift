#if Server
import FirnInspection
import FirnLog

/// The filter for the changes that a follower wants, and their lines.
struct ChangeFilter: Sendable {
    private let records: RecordFilter
    private let object: ObjectName?
    private let envelope: ChangeEnvelope
    /// Whether every change is wanted, so that followers can share what was encoded.
    let isOpen: Bool

    /// Throws for an entity that no model of the log has.
    init(_ store: ServedStore, entity: String? = nil, object: ObjectName? = nil, author: String? = nil) throws {
        records = try store.described { try store.filter(author: author, entity: entity) }
        self.object = object
        envelope = ChangeEnvelope(store: store.name)
        isOpen = entity == nil && object == nil && author == nil
    }

    /// The lines of a record, each with its line break; empty for one without changes that are wanted.
    func lines(of record: LogRecord, _ store: ServedStore) throws -> String {
        var text = ""
        let changes: ChangeSet
        switch record.body {
        case .changes(let set): changes = set
        case .baseline(.rows(let set, _)): changes = set
        default: return text
        }
        guard records.includes(record.header) else { return text }
        let names = try store.names(at: changes.model)
        let key = try object.map {
            try store.log.key(of: $0.entity, $0.key, at: changes.model, namedAt: store.log.currentModelSequence)
        }
        if let key, key == nil { return text }
        try envelope.forEachLine(
            of: changes, in: record, names, entities: records.entities(at: changes.model), object: key ?? nil
        ) { line in
            text += line
            text += "\n"
        }
        return text
    }
}
#endif

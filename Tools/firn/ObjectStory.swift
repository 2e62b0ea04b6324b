import FirnInspection
import FirnLog

/// The changes of one object in a log, oldest first.
struct ObjectStory {
    private let name: ObjectName
    private var isKnown = false
    /// Of all models under which the object was changed.
    private var properties: Set<String> = []

    init(_ name: ObjectName) { self.name = name }

    /// Calls `body` with each change and its record. The first one of a trimmed log may be the object as it was then,
    /// in a record of the baseline.
    ///
    /// Complexity: reads the whole log.
    mutating func forEachChange(
        in log: SegmentLog, _ body: (LoggedChange, LogRecord) throws -> Void
    ) throws {
        var models = ModelLibrary(log)
        let reader = try log.replay()
        while let record = try reader.next() {
            guard let changes = record.rows else { continue }
            let names = try models.names(at: changes.model)
            for group in changes.groups where names.entity(group.entity) == name.entity {
                guard let row = group.primaryKeys.firstIndex(of: name.key) else { continue }
                isKnown = true
                properties.formUnion(names.properties(of: group.entity))
                let key = ObjectKey(entity: group.entity, primaryKey: name.key)
                let members = RecordMembers(changes, of: [key], names)
                try body(LoggedChange(group: group, row: row, names: names, members: members), record)
            }
        }
    }

    /// Throws if no record named the object, or no model had the property.
    func check(_ property: String?, in log: SegmentLog, of path: String) throws {
        guard isKnown else {
            _ = try log.currentModel?.model.entity(named: name.entity)
            throw Failure("\(path): no record from \(log.first) on names \(name.text)")
        }
        guard let property, !properties.contains(property) else { return }
        throw Failure(
            "\(path): \(name.entity) has no property “\(property)”" + Suggestion.text(for: property, among: properties))
    }
}

extension LogRecord {
    /// The changes, or the rows of a part of a baseline.
    var rows: ChangeSet? {
        switch body {
        case .changes(let changes), .baseline(.rows(let changes, _)): changes
        default: nil
        }
    }
}

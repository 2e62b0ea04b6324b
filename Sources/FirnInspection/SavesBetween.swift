package import FirnLog

/// The saves between two points: their authors, and the last one of each object.
package struct SavesBetween: Sendable {
    package struct Save: Sendable {
        package let sequence: SequenceNumber
        package let author: String
    }

    private let first: SequenceNumber
    private let end: SequenceNumber
    private var counts: [String: Int] = [:]
    /// By the object's name in the model at the end.
    private var last: [String: Save] = [:]

    /// Reads the records after `start`, up to `end`. `body` is called at each, and may throw to end it.
    package init(
        _ start: SequenceNumber, _ end: SequenceNumber, _ log: SegmentLog, _ body: () throws -> Void = {}
    ) throws {
        (first, self.end) = (start.next, end)
        var models = ModelLibrary(log)
        let model = try log.model(inForceAt: end)?.sequence
        let reader = try log.records(after: start)
        while reader.position < end, let record = try reader.next() {
            try body()
            guard case .changes(let changes) = record.body else { continue }
            let save = Save(sequence: record.sequence, author: record.header.author ?? record.header.processName)
            counts[save.author, default: 0] += 1
            let names = try models.names(at: changes.model, namedAt: model ?? changes.model)
            for group in changes.groups {
                for key in group.primaryKeys {
                    last[names.object(ObjectKey(entity: group.entity, primaryKey: key))] = save
                }
            }
        }
    }

    /// The last save of an object.
    package func last(of change: LoggedChange) -> Save? { last[change.object] }

    /// `records 3 to 17 by anna (12), import (3): created 2 Book; changed 40 Book, 1 Author`
    package func sentence(_ groups: [ChangeGroup], _ names: ModelNames) -> String {
        let authors = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.key) (\($0.value))" }
        let verbs: [(ChangeGroup.Operation, String)] = [
            (.insert, "created"), (.update, "changed"), (.delete, "deleted"),
        ]
        let clauses = verbs.compactMap { operation, verb -> String? in
            let entities = groups.filter { $0.operation == operation }.map { ($0.entity, $0.primaryKeys.count) }
            let sums = Dictionary(entities, uniquingKeysWith: +).map { "\($0.value) \(names.entity($0.key))" }.sorted()
            return sums.isEmpty ? nil : verb + " " + sums.joined(separator: ", ")
        }
        let records = first == end ? "record \(end)" : "records \(first) to \(end)"
        let text = records + (authors.isEmpty ? "" : " by " + authors.joined(separator: ", "))
        return text + (clauses.isEmpty ? "" : ": " + clauses.joined(separator: "; "))
    }
}

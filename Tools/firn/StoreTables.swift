import FirnLog
import FirnModel
import FirnProjection
import Foundation

/// A store's tables, as its log says they should be: the log carries the model.
struct StoreTables {
    let path: String
    let log: SegmentLog
    let schema: StoreSchema
    /// The record that carries the model in force.
    private let modelSequence: SequenceNumber

    /// Nil if the log has no model yet, so that there is nothing to have tables of.
    init?(_ path: String, _ log: SegmentLog) throws {
        guard let (sequence, described) = try log.currentModel else { return nil }
        let model = try NSManagedObjectModel.load(
            document: described.document, name: "\(path), record \(sequence)"
        ).model
        let names = Set(described.entities.map(\.name))
        self.path = path
        self.log = log
        modelSequence = sequence
        schema = StoreSchema(
            model: model, entities: model.entities.filter { names.contains($0.name ?? "") },
            previous: described)
    }

    /// What holding the tables against the log gave.
    enum Comparison {
        /// There are none, for this reason; they can be made.
        case absent(RebuildReason)
        case equal(SequenceNumber)
        /// The first difference, as the table and the two rows.
        case different(SequenceNumber, String)
    }

    /// Builds the tables anew in memory, up to the record that the ones on disk have, and compares both.
    func compare(progress: (SequenceNumber, SequenceNumber) -> Void) throws -> Comparison {
        let (projection, state) = try open(.file(path), isReadOnly: true)
        if case .mustRebuild(let reason) = state { return .absent(reason) }
        let (checkpoint, present) = try projection.read { (try $0.checkpoint, try $0.dump()) }
        let (rebuilt, _) = try open(.memory, isReadOnly: false)
        try rebuilt.rebuild { apply in try feed(through: checkpoint, progress, apply) }
        let expected = try rebuilt.dump()
        return present == expected
            ? .equal(checkpoint) : .different(checkpoint, Self.difference(present, expected))
    }

    /// Makes the tables on disk anew. The caller holds the log's writer lock.
    func rebuild(progress: (SequenceNumber, SequenceNumber) -> Void) throws {
        let (projection, _) = try open(.file(path), isReadOnly: false)
        try projection.rebuild { apply in try feed(through: log.head, progress, apply) }
    }

    func open(
        _ location: ProjectionLocation, isReadOnly: Bool
    ) throws -> (Projection, ProjectionState) {
        try Projection.open(
            location, schema: schema, storeID: log.storeID.uuidString, modelSequence: modelSequence,
            head: log.head, readOnly: isReadOnly)
    }

    func feed(
        through end: SequenceNumber, _ progress: (SequenceNumber, SequenceNumber) -> Void,
        _ apply: (LogRecord) throws -> Void
    ) throws {
        let reader = try log.replay()
        while reader.position < end, let record = try reader.next() {
            try apply(record)
            progress(record.sequence, end)
        }
    }

    private static func difference(_ present: String, _ expected: String) -> String {
        let (present, expected) = (present.split(separator: "\n"), expected.split(separator: "\n"))
        var table: Substring = ""
        for index in 0..<max(present.count, expected.count) {
            let (is_, due) = (
                index < present.count ? present[index] : nil,
                index < expected.count ? expected[index] : nil
            )
            if is_ != due {
                return
                    "after \(table.prefix { $0 != "(" }): the tables have \(row(is_)), the log says \(row(due))"
            }
            if let is_, !is_.hasPrefix(" ") { table = is_ }
        }
        return "nothing"
    }

    private static func row(_ line: Substring?) -> String {
        guard let line else { return "no more rows" }
        return "\"" + line.trimmingPrefix(/\s+/).prefix(160) + "\""
    }
}

import FirnLog
import FirnProjection
import Foundation

/// A store's tables, as its log says they should be: the log carries the model.
struct StoreTables {
    let path: String
    let log: SegmentLog
    let schema: StoreSchema
    /// The record that carries the model in force.
    let modelSequence: SequenceNumber
    /// The last record that they hold.
    private let end: SequenceNumber

    /// The tables as after the record `sequence`, by default the last one. Nil if the log had no model yet, so that
    /// there is nothing to have tables of.
    init?(_ path: String, _ log: SegmentLog, at sequence: SequenceNumber? = nil) throws {
        let end = sequence ?? log.head
        guard let (modelSequence, described) = try log.model(inForceAt: end) else { return nil }
        self.path = path
        self.log = log
        self.end = end
        self.modelSequence = modelSequence
        schema = try StoreSchema(described, name: "\(path), record \(modelSequence)")
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

    /// Tables to read from, made from the log.
    func made(in location: ProjectionLocation) throws -> Projection {
        let (made, _) = try open(location, isReadOnly: false)
        try made.rebuild { apply in try feed(through: end, { _, _ in }, apply) }
        return made
    }

    /// Tables to read from: those on disk where they are those of the log, else ones in memory, made from it.
    func present() throws -> Projection {
        let (present, state) = try open(.file(path), isReadOnly: true)
        if case .ready = state { return present }
        return try made(in: .memory)
    }

    func open(
        _ location: ProjectionLocation, isReadOnly: Bool
    ) throws -> (Projection, ProjectionState) {
        try Projection.open(
            location, schema: schema, storeID: log.storeID.uuidString, modelSequence: modelSequence,
            head: try log.refresh(), readOnly: isReadOnly)
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

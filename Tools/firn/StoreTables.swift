import FirnInspection
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
        /// They cannot be read, for this reason.
        case damaged(String)
    }

    /// Compares the tables with the log up to the record that they have: by sums of hashes, while `walk` reads the log
    /// and calls its argument with each record; where these differ, or a migration lies between, row by row with tables
    /// that are built in a temporary file. Nil if `walk` says that the log does not hold: it makes no tables.
    func compare(
        _ walk: (_ each: @escaping (LogRecord) -> Void) throws -> Bool,
        progress: (SequenceNumber, SequenceNumber) -> Void
    ) throws -> Comparison? {
        var holds: Bool?
        do {
            let (projection, state) = try open(.file(path), isReadOnly: true)
            switch state {
            case .mustRebuild(let reason):
                guard try walk({ _ in }) else { return nil }
                if case .damaged(let reason) = reason { return .damaged(reason) }
                return .absent(reason)
            case .ready, .behind: break
            }
            return try projection.read { present in
                let checkpoint = try present.checkpoint
                let (sums, _) = try open(.temporary, isReadOnly: false)
                let hasSum = try projection.hasSum(through: checkpoint, in: sums) { apply in
                    holds = try walk(apply)
                }
                guard try holds ?? walk({ _ in }) else { return nil }
                return hasSum == true ? .equal(checkpoint) : try compare(present, checkpoint, progress)
            }
        } catch let error as ProjectionError where error.isAboutTables {
            guard try holds ?? walk({ _ in }) else { return nil }
            return .damaged("\(error.message)" + (error.underlying.map { " (\($0))" } ?? ""))
        }
    }

    private func compare(
        _ present: ProjectionReader, _ checkpoint: SequenceNumber,
        _ progress: (SequenceNumber, SequenceNumber) -> Void
    ) throws -> Comparison {
        let (rebuilt, _) = try open(.temporary, isReadOnly: false)
        try rebuilt.rebuild(from: log, through: checkpoint, each: { progress($0.sequence, checkpoint) })
        let difference = try rebuilt.read { try present.firstDifference(from: $0) }
        return difference.map { .different(checkpoint, Self.text($0)) } ?? .equal(checkpoint)
    }

    /// Makes the tables on disk from the log. The caller holds the log's writer lock. Returns the new path of what was
    /// in their place, if that were not the tables of a store, or if it is set aside.
    func rebuild(
        settingAside isAside: Bool = false, progress: (SequenceNumber, SequenceNumber) -> Void
    ) throws -> String? {
        do {
            let aside = isAside && FileManager.default.fileExists(atPath: path) ? try moveAside() : nil
            try rebuildInPlace(progress)
            return aside
        } catch let error as ProjectionError where error.code == .notADatabase || error.code == .foreign {
            let aside = try moveAside()
            try rebuildInPlace(progress)
            return aside
        }
    }

    private func rebuildInPlace(_ progress: (SequenceNumber, SequenceNumber) -> Void) throws {
        let projection: Projection
        do {
            (projection, _) = try open(.file(path), isReadOnly: false)
        } catch let error as ProjectionError where error.isAboutTables && !error.isAboutForeignFile {
            // Tables of this store with nonsense in them, such as a record that the log does not have.
            projection = Projection.unopened(
                .file(path), schema: schema, storeID: log.storeID.uuidString, modelSequence: modelSequence)
        }
        let head = log.head
        try projection.rebuild(from: log, each: { progress($0.sequence, head) })
    }

    /// What is in the tables' place is somebody's: it gets a name that nothing has.
    private func moveAside() throws -> String {
        var aside = path + ".replaced"
        var number = 1
        while FileManager.default.fileExists(atPath: aside) {
            number += 1
            aside = path + ".replaced-\(number)"
        }
        // Without a file the store would count as deleted: an empty one takes its place in one step.
        try FileManager.default.linkItem(atPath: path, toPath: aside)
        for suffix in ["-wal", "-journal"] where FileManager.default.fileExists(atPath: path + suffix) {
            try FileManager.default.moveItem(atPath: path + suffix, toPath: aside + suffix)
        }
        try Projection.empty(path)
        return aside
    }

    /// Tables to read from, made from the log.
    func made(in location: ProjectionLocation) throws -> Projection {
        let (made, _) = try open(location, isReadOnly: false)
        try made.rebuild(from: log, through: end)
        return made
    }

    /// Tables to read from: those on disk where they are those of the log, else ones in memory, made from it.
    func present() throws -> Projection {
        let (present, state) = try open(.file(path), isReadOnly: true)
        if case .ready = state { return present }
        if case .mustRebuild(.damaged(let reason)) = state {
            throw Failure(
                "\(path): the tables are damaged (\(reason)); firn rebuild makes them from the log", status: .damage)
        }
        return try made(in: .temporary)
    }

    func open(
        _ location: ProjectionLocation, isReadOnly: Bool
    ) throws -> (Projection, ProjectionState) {
        try Projection.open(
            location, schema: schema, storeID: log.storeID.uuidString, modelSequence: modelSequence,
            head: try log.refresh(), readOnly: isReadOnly)
    }

    private static func text(_ difference: TableDifference) -> String {
        func row(_ values: String?) -> String { values.map { "\"\($0.prefix(160))\"" } ?? "no more rows" }
        return "after \(difference.table): the tables have \(row(difference.present)), the log says "
            + row(difference.expected)
    }
}

extension ProjectionError {
    /// Whether the tables are at fault, and not what is around them.
    var isAboutTables: Bool {
        isAboutForeignFile || [.aheadOfLog, .inconsistent, .gap, .damaged].contains(code)
    }

    /// Whether another program's file is in the tables' place.
    var isAboutForeignFile: Bool { code == .notADatabase || code == .foreign }
}

import FirnFoundation
import FirnLog
import FirnModel
import FirnProjection
import Foundation

/// Leads a store from its model to another one.
///
///     lock → tables catch up → new tables in a second file → one record: model and mapping → sync
///          → new tables take the place of the old ones → unlock
///
/// Whatever is interrupted, the store is before the migration or after it: the record decides. Tables that do not
/// fit the log's last model are rebuilt when the store is opened.
struct StoreMigration {
    private let old: StoreEngine
    private let change: ModelChange
    private var header: TransactionHeader
    private let mapping: NSMappingModel?
    private let options: MigrationOptions
    private let progress: (@Sendable (Double) -> Void)?
    /// In the header of the migration's record: what was decided, as there was no room for all that was there.
    private static let notesKey = "migrationNotes"
    /// More are counted, not listed.
    private static let notesMax = 20

    /// `old` is the store in the terms of its own model. It is closed for good by `run`. With a mapping model the
    /// objects are what its policies make; without one what can be inferred.
    init(
        _ old: StoreEngine, _ change: ModelChange, header: TransactionHeader, mapping: NSMappingModel?,
        options: MigrationOptions, progress: (@Sendable (Double) -> Void)? = nil
    ) {
        self.old = old
        self.change = change
        self.header = header
        self.mapping = mapping
        self.options = options
        self.progress = progress
    }

    /// Reports what a migration decided, also in the header of its record.
    private mutating func report(_ notes: [String]) {
        if notes.isEmpty { return }
        let more = notes.count > Self.notesMax ? ["and \(notes.count - Self.notesMax) more"] : []
        let text = (notes.prefix(Self.notesMax) + more).joined(separator: "; ")
        header.metadata[Self.notesKey] = text
        Report.post("\(old.log.directory): migration: \(text)", .info, prefix: "")
    }

    /// Returns the record that carries the new model.
    mutating func run() throws -> SequenceNumber {
        try StoreOperation.run(.migration) { outcome in
            header.metadata.merge(Instruments.current?.metadata ?? [:]) { $1 }
            let sequence = try old.exclusively { _ in try migrate() }
            outcome.record = sequence.rawValue
            return sequence
        }
    }

    private mutating func migrate() throws -> SequenceNumber {
        guard try old.log.currentModel?.sequence == change.storedSequence else {
            throw ProjectionError(
                .migrated, "another program migrated the store meanwhile; open it again", path: old.log.directory)
        }
        let lastKeys = try keys()
        var model = change.schema.logModel
        var plan = try MigrationPlan(from: change.stored, to: change.schema, matching: change.matching) {
            try ValueCoding.storedDefault($0)
        }.migration(source: change.storedSequence, highest: change.highestNumber, lastKeys: lastKeys)
        if let mapping, let runMapping = options.runMapping {
            guard let path = old.projection.location.path else { fatalError("a store in memory has no past model") }
            plan.rows = try runMapping(mapping, change, plan, lastKeys, path, progress)
            try plan.rows?.moveLargeValues(into: old.log) { change.schema.entity($0)?.layout }
        }
        model.migration = plan
        if options.reusesTables(change) {
            model.migration?.entities = nil
            return try adopt(model)
        }
        let tables: MigratedProjection
        do {
            tables = try MigratedProjection(
                from: old.projection, to: change.schema, migration: plan, sequence: old.log.head.next,
                unfilled: mapping == nil ? change.unfilled : [], defersIndexes: options.defers, progress: progress)
        } catch let missing as MissingValues {
            throw change.refusal(missing.problems, path: old.projection.location.path ?? "")
        }
        report(tables.notes)
        let sequence: SequenceNumber
        do {
            sequence = try append(model)
        } catch {
            tables.discard()
            throw error
        }
        old.projection.closeFile()
        try tables.activate()
        return sequence
    }

    /// Only the document differs: the tables stay as they are, unless an index differs too. Then they are rebuilt.
    private func adopt(_ model: LogModel) throws -> SequenceNumber {
        let sequence = try append(model)
        if change.stored.layout.isSame(as: change.schema.layout) {
            try old.projection.begin()
            do {
                try old.projection.adopt(sequence, of: change.schema)
            } catch {
                old.projection.rollback()
                throw error
            }
            try old.projection.commit(old.log.mark)
        }
        old.projection.closeFile()
        return sequence
    }

    private func append(_ model: LogModel) throws -> SequenceNumber {
        let sequence = try old.log.append(.model(model), header: header)
        try old.log.sync(through: sequence)
        return sequence
    }

    private func keys() throws -> [EntityNumber: Int64] {
        try old.projection.begin()
        defer { old.projection.rollback() }
        return old.projection.lastKeys
    }
}

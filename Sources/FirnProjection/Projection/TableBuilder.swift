internal import FirnLog
internal import FirnModel
internal import FirnSQLite

/// Builds tables from the records of a log, from its first model to the one in force, in one open transaction.
///
///     model 1 ──► changes … ──► model 7 with a migration ──► changes …
///     tables 1                  tables 1 renamed, tables 7 filled from them
///
/// Indexes are made last, when SQLite can build them from sorted rows. With a `SumWriter` the tables stay empty.
final class TableBuilder {
    private let connection: Connection
    private let projection: Projection
    private let sums: SumWriter?
    private var layout: TableLayout?
    private var session: TableWriter?
    private var baselineModels: [(SequenceNumber, LogModel)] = []
    /// Whether tables were dropped on the way, whose pages are still in the file.
    private(set) var hasFreePages = false

    init(_ connection: Connection, for projection: Projection, sums: SumWriter? = nil) throws {
        self.connection = connection
        self.sums = sums
        self.projection = projection
        try projection.identity.mark(connection)
    }

    var checkpoint: SequenceNumber { session?.checkpoint ?? .zero }

    func apply(_ record: LogRecord) throws {
        if case .model(let model) = record.body {
            if session == nil { try begin(try layout(of: model, at: record.sequence), record.sequence) }
            if let migration = model.migration, !migration.keepsTerms {
                return try migrate(model, migration, at: record.sequence)
            }
        }
        if case .baseline(let part) = record.body {
            if case .model(let sequence, let model) = part { return baselineModels.append((sequence, model)) }
            if session == nil { try beginWithBaseline() }
        }
        if session == nil { try begin(projection.layout, projection.modelSequence) }
        try session?.apply(record)
    }

    /// A baseline is in the terms of its last model.
    private func beginWithBaseline() throws {
        guard let (sequence, model) = baselineModels.last else { return }
        try begin(try layout(of: model, at: sequence), sequence)
        for (sequence, model) in baselineModels { session?.remember(model, at: sequence) }
    }

    /// Makes the indexes, and writes the projection's identity. `mark` is the log's position, if known.
    func finish(_ mark: LogMark?) throws {
        if session == nil { try begin(projection.layout, projection.modelSequence) }
        guard let session, let layout, layout.model.entities == projection.layout.model.entities else {
            throw ProjectionError(
                .unknownModel, "the records end before the model of record \(projection.modelSequence)",
                path: projection.location.path)
        }
        for sql in projection.layout.indexDefinitions { try connection.execute(sql) }
        try projection.identity.describe(on: connection, checkpoint: session.checkpoint)
        try session.store(mark)
        self.session = nil
    }

    private func layout(of model: LogModel, at sequence: SequenceNumber) throws -> TableLayout {
        if sequence == projection.modelSequence { return projection.layout }
        return try StoreSchema(model, name: "record \(sequence)").layout
    }

    private func begin(_ layout: TableLayout, _ model: SequenceNumber) throws {
        if let sums, layout.model.entities != sums.layout.model.entities { throw SumWriter.Unknown() }
        for sql in layout.tableDefinitions { try connection.execute(sql) }
        try projection.identity.describe(on: connection, checkpoint: .zero)
        try use(layout, model)
    }

    private func use(_ layout: TableLayout, _ model: SequenceNumber) throws {
        let session = TableWriter(
            connection, layout: layout, applier: sums ?? RowWriter(connection, layout: layout),
            modelSequence: model)
        try session.load()
        (self.layout, self.session) = (layout, session)
    }

    private func migrate(_ model: LogModel, _ migration: LogMigration, at sequence: SequenceNumber) throws {
        // Its result follows from rows.
        if sums != nil { throw SumWriter.Unknown() }
        guard let session, let old = layout, session.checkpoint.next == sequence else {
            throw ProjectionError(
                .gap, "record \(sequence) was given, but \(checkpoint.next) comes next; apply every record in order",
                path: connection.path)
        }
        try session.store()
        self.session = nil
        connection.discardStatements()
        let names = try setAside(old)
        let new = try layout(of: model, at: sequence)
        for sql in new.tableDefinitions { try connection.execute(sql) }
        try connection.execute(ProjectionFormat.keyTable)
        try TableMigration(connection: connection, old: old, new: new, migration: migration) {
            names[$0] ?? quoted($0)
        }.run()
        connection.discardStatements()
        for name in names.values { try connection.execute("DROP TABLE \(name)") }
        hasFreePages = true
        try projection.identity.describe(on: connection, checkpoint: sequence)
        try use(new, sequence)
        if let rows = migration.rows { try self.session?.applyMigrated(rows) }
    }

    /// Renames the old tables. The result has the new names by the old ones.
    private func setAside(_ old: TableLayout) throws -> [String: String] {
        var names: [String: String] = [:]
        for name in old.tables.map(\.name) + old.links.map(\.name) + ["firn_keys"] {
            let aside = quoted("firn_old_\(names.count)")
            try connection.execute("ALTER TABLE \(quoted(name)) RENAME TO \(aside)")
            names[name] = aside
        }
        return names
    }
}

internal import Foundation
package import FirnLog
package import FirnModel
internal import FirnSQLite

/// The tables of a new model in a side file, until they replace those of the old model.
///
///     prepare     Library.sqlite.migration from Library.sqlite, up to the record that will carry the migration
///     (append)    the record is durable
///     activate    Library.sqlite.migration becomes Library.sqlite
///
/// A crash before the append leaves the old store, and a side file that is ignored. A crash after it leaves the new
/// store: the old model's tables are recognised by their mark and rebuilt from the log.
package final class MigratedProjection {
    private let path: String
    private let side: String
    /// The decisions that were made because the new model cannot hold all of the old data.
    package let notes: [String]

    /// The side file of a store at `path`.
    package static func sidePath(_ path: String) -> String { path + ".migration" }

    /// Builds the new tables from the old ones, which must be at the log's head. The caller holds the log's writer
    /// lock, so that they stay there. `sequence` is the record that the migration will have. `defersIndexes` leaves out
    /// the indexes that `makeDeferredIndex` can make later. `unfilled` are attributes that are mandatory now.
    ///
    /// Throws `ProjectionError` with `.migration` or `.constraint` if the rows cannot be rows of the new model, and
    /// `MissingValues` if they lack a value; then nothing has changed.
    package init(
        from old: Projection, to schema: StoreSchema, migration: LogMigration, sequence: SequenceNumber,
        unfilled: [InferenceProblem] = [], defersIndexes: Bool = false, progress: ((Double) -> Void)? = nil
    ) throws {
        guard let path = old.location.path else {
            fatalError("a store in memory has no past model")
        }
        self.path = path
        side = Self.sidePath(path)
        Projection.remove(side)
        do {
            notes = try Self.build(
                side, from: old, path, schema, migration, sequence, unfilled, defersIndexes, progress)
        } catch {
            Projection.remove(side)
            throw error
        }
    }

    private static func build(
        _ side: String, from old: Projection, _ path: String, _ schema: StoreSchema,
        _ migration: LogMigration, _ sequence: SequenceNumber, _ unfilled: [InferenceProblem], _ defersIndexes: Bool,
        _ progress: ((Double) -> Void)?
    ) throws -> [String] {
        let new = Projection(
            .file(side), layout: schema.layout, storeID: old.storeID, modelSequence: sequence, isReadOnly: false)
        let connection = try Connection(.file(side), mode: .create)
        try ProjectionFunctions.install(on: connection)
        try connection.execute(
            "PRAGMA main.journal_mode = OFF; PRAGMA main.synchronous = OFF; PRAGMA main.cache_size = -64000")
        try connection.withStatement("ATTACH ?1 AS old") {
            try $0.bind(path, at: 1)
            try $0.run()
        }
        try connection.begin(.deferred)
        try new.identity.mark(connection)
        for sql in schema.layout.tableDefinitions { try connection.execute(sql) }
        var tables = TableMigration(
            connection: connection, old: old.layout, new: schema.layout, migration: migration
        ) { "old." + quoted($0) }
        tables.progress = progress
        let notes = try tables.run()
        try tables.refuseMissing(unfilled, schema)
        try new.identity.describe(on: connection, checkpoint: sequence)
        if let rows = migration.rows {
            let session = new.makeSession(connection)
            try session.load()
            try session.applyMigrated(rows)
            try session.store()
        }
        let indexes = defersIndexes ? schema.layout.requiredIndexDefinitions : schema.layout.indexDefinitions
        for sql in indexes { try connection.execute(sql) }
        try tables.refuseDuplicates(schema)
        try connection.commit()
        connection.discardStatements()
        try connection.execute("DETACH old")
        try connection.execute("PRAGMA journal_mode = WAL")
        return notes
    }

    /// Replaces the old tables by the new ones. The old file must not be open for writing in this process.
    package func activate() throws { try Projection.replace(path, by: side) }

    /// Removes the new tables.
    package func discard() { Projection.remove(side) }
}

/// Attributes that are mandatory in the new model, and for which an object has no value.
package struct MissingValues: LocalizedError {
    package let problems: [InferenceProblem]

    package var errorDescription: String? { problems.map(\.description).joined(separator: "; ") }
}

extension TableMigration {
    /// Existing rows may lack the value of an attribute that is mandatory now and has no default.
    fileprivate func refuseMissing(_ unfilled: [InferenceProblem], _ schema: StoreSchema) throws {
        let missing = try unfilled.filter { problem in
            guard let entity = schema.entities.first(where: { $0.name == problem.entity }) else { return false }
            let place = new.existingPlace(schema.number(of: entity))
            let columns = entity.layout.slots.filter {
                guard case .none = $0.defaultValue else { return false }
                return !$0.isOptional && !$0.isDerived && $0.property.name == problem.property
            }.compactMap { place.slots[$0.index].column.map { "t0.\(quoted($0)) IS NULL" } }
            if columns.isEmpty { return false }
            return try connection.integer(
                "SELECT 1 FROM \(quoted(place.tableName)) AS t0 WHERE (\(columns.joined(separator: " OR ")))"
                    + place.entityCondition("t0") + " LIMIT 1") != nil
        }
        guard missing.isEmpty else { throw MissingValues(problems: missing) }
    }

    /// Existing rows may violate a constraint that the old model did not have.
    fileprivate func refuseDuplicates(_ schema: StoreSchema) throws {
        for entity in schema.entities {
            for constraint in entity.layout.uniquenessConstraints where constraint.constrainedEntity === entity {
                let place = new.existingPlace(schema.number(of: entity))
                let columns = constraint.slots.compactMap { place.slots[$0].column.map(quoted) }
                guard columns.count == constraint.slots.count, !columns.isEmpty else { continue }
                let filled = columns.map { " AND t0.\($0) IS NOT NULL" }.joined()
                let duplicate = try connection.integer(
                    "SELECT min(t0.Z_PK) FROM \(quoted(place.tableName)) AS t0 WHERE 1\(filled)"
                        + place.entityCondition("t0") + " GROUP BY \(columns.joined(separator: ",")) "
                        + "HAVING count(*) > 1 ORDER BY 1 LIMIT 1")
                guard let duplicate else { continue }
                let names = constraint.slots.map { place.slots[$0].name }.joined(separator: ", ")
                throw ProjectionError(
                    .constraint,
                    "several objects of \(place.name) have the same \(names), which must be unique in the new model: "
                        + "\(place.name) \(duplicate) is one; make them differ before the migration")
            }
        }
    }
}

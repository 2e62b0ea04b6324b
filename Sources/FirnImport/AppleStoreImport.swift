import FirnLog
import FirnModel
import FirnProjection
public import Foundation

/// Makes a store of a SQLite store that Apple's Core Data wrote. Ours, not Apple's.
///
///     Old.sqlite                  objects, relationships, metadata, history
///     Old.sqlite-wal              what is only there yet, if there is one
///     .Old_SUPPORT/_EXTERNAL_DATA large values
///           │
///           ▼  nothing of it is changed
///     Library.sqlite, Library.sqlite-log/
///
/// The new store has the old one's UUID, and its objects keep their primary keys, so URIs stay valid. The store's
/// persistent history becomes change sets with its dates, authors, bundles and contexts: see `ImportTimeline` for what
/// can still be said of the past. What history does not tell of comes in one change set before it.
///
/// The new store appears in one step when it is whole. An import that fails leaves nothing; one that was killed leaves
/// a folder `.Library.sqlite.importing-…`, which the next import into that place removes.
///
/// Complexity: O(rows + changes). All keys that history tells of are in memory, and a record's values at a time.
public struct AppleStoreImport: Sendable {
    /// The store to read.
    public var source: URL
    /// Where the new store is to be. Nothing may be there.
    public var destination: URL
    /// The model with which the store was written: an `.xcdatamodeld` or `.momd` (the version that fits is found), an
    /// `.xcdatamodel`, a `.mom`. Nil to take the model that the store carries itself.
    public var modelURL: URL?
    /// Whether values whose files are missing become nil instead of ending the import.
    public var skipsMissingExternalData = false
    /// Hears how much is done, from 0 to 1. Throwing from it ends the import.
    public var progress: (@Sendable (Double) throws -> Void)?

    public init(from source: URL, to destination: URL, modelURL: URL? = nil) {
        self.source = source
        self.destination = destination
        self.modelURL = modelURL
    }

    /// The counts of what an import brought over.
    public struct Report: Sendable {
        /// The UUID of both stores.
        public var storeID: UUID
        /// Objects by the name of their entity.
        public var objectCounts: [String: Int] = [:]
        /// Members of many-to-many relationships.
        public var linkCount = 0
        /// Transactions of the old store's history, and the changes in them.
        public var transactionCount = 0
        public var changeCount = 0
        /// Values that were in files of their own.
        public var externalValueCount = 0
        /// The last record of the new log.
        public var head: UInt64 = 0
        /// The things that were left out, with the reasons.
        public var notes: [String] = []
    }

    /// Imports the store.
    ///
    /// - Throws: `AppleStoreError`; what `progress` throws.
    public func run() throws -> Report {
        let site = try ImportSite(destination)
        do {
            let report = try run(at: site)
            try site.publish()
            return report
        } catch {
            site.discard()
            throw error
        }
    }

    private func run(at site: ImportSite) throws -> Report {
        let file = try AppleStoreFile(source, copyingTo: site.folder)
        let model = try AppleModelFinder(file: file).model(at: modelURL)
        let schema = StoreSchema(model: model, entities: try file.members(of: model))
        let layout = try AppleLayout(schema, file)
        let external = AppleExternalData(store: source, skipsMissing: skipsMissingExternalData)
        let rows = AppleRowReader(file: file, layout: layout, external: external)
        let timeline = try AppleHistory(file: file, layout: layout).timeline(rows)
        var writer = try ImportWriter(site: site, file: file, rows: rows, progress: progress)
        var report = try writer.write(timeline)
        try site.makeTables(model, schema.entities)
        report.notes = file.notes + layout.notes + timeline.notes + rows.notes
        return report
    }
}

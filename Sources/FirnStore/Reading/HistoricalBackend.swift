package import FirnLog
package import FirnProjection

/// Reads of one point in history.
package final class HistoricalBackend: TableBackend, @unchecked Sendable {
    package let schema: StoreSchema
    package let rowCache: RowCache
    package let externalValues: ExternalValues?
    private let past: AsOfProjection

    package init(schema: StoreSchema, past: AsOfProjection, externalValues: ExternalValues?, rowCache: RowCache) {
        self.schema = schema
        self.past = past
        self.rowCache = rowCache
        self.externalValues = externalValues
        past.whenDiscarded { rowCache.removeAll() }
    }

    package func read<R>(_ body: (ProjectionReader) throws -> R) throws -> R { try past.read(body) }
}

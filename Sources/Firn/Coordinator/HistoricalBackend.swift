import FirnLog
import FirnProjection
import FirnStore

/// Reads of one point in history.
final class HistoricalBackend: TableBackend, @unchecked Sendable {
    let schema: StoreSchema
    let rowCache: RowCache
    let externalValues: ExternalValues?
    private let past: AsOfProjection

    init(schema: StoreSchema, past: AsOfProjection, externalValues: ExternalValues?, rowCache: RowCache) {
        self.schema = schema
        self.past = past
        self.rowCache = rowCache
        self.externalValues = externalValues
    }

    func read<R>(_ body: (ProjectionReader) throws -> R) throws -> R { try past.read(body) }
}

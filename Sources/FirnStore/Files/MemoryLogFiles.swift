package import FirnLog
import FirnModel
package import FirnProjection
import Synchronization

/// The files of a log in memory. They are gone with the last store that has them.
package final class MemoryLogFiles: Sendable {
    package let fileSystem: MemoryFileSystem
    /// Whether several coordinators may write the log.
    package let isShared: Bool
    /// The tables of the log, for the store that opens it first: others build their own.
    private let tables: Mutex<CopiedTables?>

    package init(
        _ fileSystem: MemoryFileSystem = MemoryFileSystem(), isShared: Bool = false, tables: CopiedTables? = nil
    ) {
        self.fileSystem = fileSystem
        self.isShared = isShared
        self.tables = Mutex(tables)
    }

    /// Gives up the copied tables. Nil if there are none, or if they are those of another instance of the model.
    func removeTables(for model: NSManagedObjectModel) -> CopiedTables? {
        tables.withLock { tables in
            defer { tables = nil }
            return tables?.schema.model === model ? tables : nil
        }
    }
}

/// Tables that were copied with their log, and what is known of it.
package struct CopiedTables {
    package let projection: Projection
    package let schema: StoreSchema
    /// The record of the log that carries the model.
    package let modelSequence: SequenceNumber

    package init(_ projection: Projection, _ schema: StoreSchema, _ modelSequence: SequenceNumber) {
        self.projection = projection
        self.schema = schema
        self.modelSequence = modelSequence
    }
}

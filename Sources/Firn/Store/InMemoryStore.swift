import FirnLog
import Foundation

/// A logged store whose log and tables are in memory: all is gone when it is closed.
final class InMemoryStore: LoggedStore, @unchecked Sendable {
    /// What the log's files are in. One that a copy is in already may be set before the store is opened.
    var files = MemoryFileSystem()

    override var type: String { NSInMemoryStoreType }
    override var isInMemory: Bool { true }

    override var opening: StoreOpening.Place { .memory(files) }
}

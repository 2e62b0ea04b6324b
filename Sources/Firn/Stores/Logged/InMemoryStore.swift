import FirnStore
import FirnLog
import Foundation

/// A logged store whose log and tables are in memory: all is gone when it is closed.
final class InMemoryStore: LoggedStore, @unchecked Sendable {
    private let files = MemoryLogFiles(isShared: false)

    override var type: String { NSInMemoryStoreType }
    override var memoryFiles: MemoryLogFiles? { files }

    override class func replaceStore(
        at destination: URL, with source: URL, options: [AnyHashable: Any]?, closing close: () throws -> Void
    ) throws {
        throw unsupported("be replaced: it has no file of its own", destination)
    }
}

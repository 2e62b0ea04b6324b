import FirnModel
import FirnRuntime
package import Foundation
import Synchronization

/// SQLite stores at `/dev/null`: as with Core Data they are in memory. Xcode's template makes its previews so.
///
///     /dev/null          a store of its own for each coordinator that adds one
///     /dev/null/name     one store for all coordinators of the process that add it, as long as one of them has it
///
/// A copy that `StoreEngine.fork` makes gets a name of its own.
package enum NullDevice {
    package static let url = URL(fileURLWithPath: "/dev/null")

    /// Stores by the names that they are shared under.
    private static let shared = Mutex<[String: WeakReference<MemoryLogFiles>]>([:])

    /// Whether a SQLite store at this URL is in memory.
    package static func holds(_ url: URL?) -> Bool {
        guard let url, url.isFileURL else { return false }
        let path = url.standardizedFileURL.path
        return path == self.url.path || path.hasPrefix(self.url.path + "/")
    }

    /// The files in memory that keep the log of a store at this URL.
    package static func files(at url: URL) -> MemoryLogFiles {
        let path = url.standardizedFileURL.path
        guard path != self.url.path else { return MemoryLogFiles() }
        return shared.withLock { shared in
            if let files = shared[path]?.object { return files }
            shared = shared.filter { $1.object != nil }
            let files = MemoryLogFiles(isShared: true)
            shared[path] = WeakReference(files)
            return files
        }
    }

    /// Gives files a name under which a store opens them, as long as somebody has them.
    package static func register(_ files: MemoryLogFiles) -> URL {
        let url = url.appendingPathComponent(UUID().uuidString)
        shared.withLock { $0[url.path] = WeakReference(files) }
        return url
    }

    /// The files that were registered at a URL for one coordinator, which gets them once; nil if there are none.
    package static func unregister(_ url: URL?) -> MemoryLogFiles? {
        guard let path = url?.standardizedFileURL.path else { return nil }
        return shared.withLock { shared in
            guard let files = shared[path]?.object, !files.isShared else { return nil }
            shared[path] = nil
            return files
        }
    }

    /// The next store that is added at this URL is a new one.
    package static func discard(_ url: URL) {
        _ = shared.withLock { $0.removeValue(forKey: url.standardizedFileURL.path) }
    }
}

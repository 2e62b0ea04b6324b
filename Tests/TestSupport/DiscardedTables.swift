package import Foundation

extension URL {
    /// Discards the tables of the store at this URL: they are an empty file, and are built from the log when the store
    /// is opened. Without a file the store would count as deleted.
    package func discardTables() throws {
        for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
        try? FileManager.default.removeItem(at: self)
        try Data().write(to: self)
    }

    /// Removes the files with the history of the store at this URL.
    package func discardHistory() throws {
        let folder = deletingLastPathComponent()
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
        where name.hasPrefix(lastPathComponent + "-history") {
            try FileManager.default.removeItem(at: folder.appendingPathComponent(name))
        }
    }
}

import FirnStore
import FirnLog
import FirnModel
import FirnProjection
import Foundation

/// A folder next to a new store's place, in which the store is built. It moves to its place when it is complete.
struct ImportSite {
    let destination: URL
    let folder: URL

    private var name: String { destination.lastPathComponent }
    var logDirectory: String { folder.path + "/" + name + "-log" }
    private var tables: String { folder.path + "/" + name }

    /// Makes the folder, and removes those of imports that were killed.
    init(_ destination: URL) throws {
        self.destination = destination.standardizedFileURL
        let parent = self.destination.deletingLastPathComponent()
        let prefix = "." + self.destination.lastPathComponent + ".importing-"
        folder = parent.appendingPathComponent(prefix + "\(getpid())-\(UInt32.random(in: 0...UInt32.max))")
        for suffix in ["", "-log", "-wal", "-shm"] {
            let path = self.destination.path + suffix
            guard FileManager.default.fileExists(atPath: path) else { continue }
            throw AppleStoreError(
                .destinationExists, "there is something already; remove it, or name another place", path: path)
        }
        Self.removeLeftovers(in: parent, prefix: prefix)
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        } catch {
            throw Self.unwritable(folder.path, error)
        }
    }

    /// Folders whose process is gone.
    private static func removeLeftovers(in parent: URL, prefix: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent.path)) ?? []
        for name in names where name.hasPrefix(prefix) {
            guard let process = name.dropFirst(prefix.count).split(separator: "-").first.flatMap({ pid_t($0) }),
                kill(process, 0) != 0, errno == ESRCH
            else { continue }
            try? FileManager.default.removeItem(at: parent.appendingPathComponent(name))
        }
    }

    /// Builds the tables from the log, which also shows that it can be replayed.
    func makeTables(_ model: NSManagedObjectModel, _ entities: [NSEntityDescription]) throws {
        do {
            let engine = try StoreOpening(
                place: .disk(tables), isReadOnly: false, durability: .system, model: model, entities: entities
            ).open()
            engine.projection.closeFile()
            engine.close()
        } catch {
            throw Self.unwritable(destination.path, error)
        }
    }

    /// Puts the store into its place. An empty file comes first, then the log: both are a whole store.
    func publish() throws {
        let files = StoreFiles(destination)
        do {
            try files.reserve()
        } catch {
            throw Self.unwritable(destination.path, error)
        }
        try move(logDirectory, to: files.logDirectory)
        for suffix in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: tables + suffix) {
            try move(tables + suffix, to: destination.path + suffix)
        }
        try? FileManager.default.removeItem(at: folder)
        do {
            try PosixFileSystem().syncDirectory(destination.deletingLastPathComponent().path)
        } catch {
            throw Self.unwritable(destination.path, error)
        }
    }

    /// Renames, and never replaces a folder that has something in it.
    private func move(_ path: String, to target: String) throws {
        guard rename(path, target) == 0 else {
            let reason = String(cString: strerror(errno))
            throw AppleStoreError(
                .destinationExists, "the new store cannot be put there: \(reason)", path: target)
        }
    }

    func discard() { try? FileManager.default.removeItem(at: folder) }

    static func unwritable(_ path: String, _ error: any Error) -> AppleStoreError {
        AppleStoreError(
            .unwritable, "the new store cannot be written; check the folder's permissions and the free space",
            path: path, underlying: error)
    }
}

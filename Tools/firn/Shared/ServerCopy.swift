import FirnLog
import FirnPostgres
import Foundation
import Synchronization

/// A server's log in a folder that is removed when the tool ends: for verbs that look at a store.
final class ServerCopy {
    let log: SegmentLog
    private let source: PostgresLog

    /// Copies the whole log. Nothing is written to the server.
    init(_ address: PostgresAddress) throws {
        source = try PostgresLog.open(at: address, forWriting: false)
        log = try SegmentLog.create(
            directory: ServerCopyFolder.make().path, continuing: source, options: LogOptions(durability: .system),
            date: Int64(Date().timeIntervalSince1970 * 1_000_000))
        try bring()
    }

    /// Copies what the server has more by now.
    func bring() throws {
        let total = try source.end().sequence.rawValue
        var progress = Progress("record")
        try log.pull(from: source) { progress.update($0.rawValue, of: total) }
        progress.finish()
    }

    /// Waits for more on the server.
    func watch() throws -> any LogWatch { try source.watch() }
}

/// Folders of copies, each named after the process that it is for.
private enum ServerCopyFolder {
    private static let prefix = "firn-server-log-"
    private static let made = Mutex<[URL]>([])

    static func make() throws -> URL {
        let parent = FileManager.default.temporaryDirectory
        removeLeftovers(in: parent)
        let name = prefix + "\(ProcessInfo.processInfo.processIdentifier)-" + UUID().uuidString
        let folder = parent.appending(path: name)
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let isFirst = made.withLock { made in
            made.append(folder)
            return made.count == 1
        }
        if isFirst {
            atexit {
                for folder in ServerCopyFolder.made.withLock({ $0 }) { try? FileManager.default.removeItem(at: folder) }
            }
        }
        return folder.appending(path: "log")
    }

    /// A process that was killed, or whose reader ended first, could not remove its own.
    private static func removeLeftovers(in parent: URL) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: parent.path)) ?? [] {
            guard name.hasPrefix(prefix), let process = pid_t(name.dropFirst(prefix.count).prefix { $0 != "-" }),
                kill(process, 0) != 0, errno == ESRCH
            else { continue }
            try? FileManager.default.removeItem(at: parent.appending(path: name))
        }
    }
}

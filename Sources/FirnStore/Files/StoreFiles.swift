package import FirnLog
import FirnProjection
package import Foundation
import Synchronization

/// The files of a store on disk, and what is done with all of them at once.
///
///     Library.sqlite  -wal  -shm  -history…  tables: made from the log, and made again where they are missing
///     Library.sqlite-log/                    the log: where it is, the store is
///     Library.sqlite-log.new-712-1/          a copy under way by process 712
///     Library.sqlite-log.old-712-2/          a log that is no longer in force, being removed by it
///     Library.sqlite.2026-11-26T15.30.02.123Z-log/    the log of a store whose file was deleted (`setAside`)
///
/// The log's folder has its name or another one from one moment to the next, and the tables are removed before it
/// goes: whatever interrupts, there is one store or the other, or none where none was to be. A log without a file is
/// that of a deleted store, so a log that is made, or takes the place of another one, has an empty file before it has
/// tables.
///
/// What decides which store is there goes through the file system that the log is on.
package struct StoreFiles {
    package let path: String
    let fileSystem: any FileSystem
    /// How long to wait for another program that writes the log, in microseconds; nil for as long as that takes.
    private let lockTimeout: Int64?

    private static let tableSuffixes = ["", "-wal", "-shm", "-journal"]
    /// Makes the temporary names of one process distinct.
    private static let counter = Atomic<Int>(0)

    package init(_ url: URL, fileSystem: any FileSystem = PosixFileSystem(), lockTimeout: Int64? = nil) {
        path = url.path
        self.fileSystem = fileSystem
        self.lockTimeout = lockTimeout
    }

    /// `Library.sqlite` has its log in `Library.sqlite-log`.
    package var logDirectory: String { path + "-log" }

    package var hasLog: Bool { (try? SegmentLog.exists(directory: logDirectory, fileSystem: fileSystem)) ?? true }

    /// Whether there is a store, or part of one, or another program's file.
    package var isThere: Bool { [path, logDirectory].contains { FileManager.default.fileExists(atPath: $0) } }

    /// Whether the place is taken by more than `empty` leaves.
    package var isTaken: Bool { isThere && !isEmpty && !isDeleted }

    /// Whether there is a log without records, and no tables.
    private var isEmpty: Bool {
        guard Self.isEmptyFile(path) || !FileManager.default.fileExists(atPath: path),
            let log = try? openLog()
        else { return false }
        defer { log.close() }
        return log.head == .zero
    }

    /// Whether the log is a copy of one on a server, where all objects are.
    var isCopy: Bool { (try? SegmentLog.isCopy(directory: logDirectory, fileSystem: fileSystem)) ?? false }

    /// The log, for reading.
    func openLog() throws -> SegmentLog {
        try SegmentLog.open(directory: logDirectory, forWriting: false, fileSystem: fileSystem)
    }

    /// Whether there is a file of no bytes. SQLite takes one for a database without tables.
    package static func isEmptyFile(_ path: String) -> Bool {
        var information = stat()
        return stat(path, &information) == 0 && information.st_mode & S_IFMT == S_IFREG && information.st_size == 0
    }

    /// A temporary folder next to the log, for a copy that takes its place.
    package func newLogDirectory() -> String { name("new") }

    func name(_ kind: String) -> String {
        "\(logDirectory).\(kind)-\(getpid())-\(Self.counter.wrappingAdd(1, ordering: .relaxed).newValue)"
    }

    /// Puts a store without objects and without a history in the place of the one that is there, if one is. Its tables
    /// are an empty file, with empty companions. Programs that have the old one open find it gone when they next save.
    /// Of a copy of a store on a server nothing stays.
    package func empty(isForced: Bool) throws {
        removeLeftovers()
        guard isThere else { return }
        if isCopy { return try remove(isForced: isForced) }
        if !FileManager.default.fileExists(atPath: logDirectory) { try refuseForeignTables(isForced) }
        let fresh = newLogDirectory()
        do {
            let log = try SegmentLog.create(
                directory: fresh, storeID: .random(), fileSystem: fileSystem, date: SystemClock.now())
            log.close()
            try replaceLog(with: fresh, isForced: isForced)
        } catch {
            try? FileManager.default.removeItem(atPath: fresh)
            throw error
        }
        // Programs remove these next to the file, as Core Data leaves them. One that is there is in use.
        for suffix in ["-wal", "-shm"] {
            let descriptor = open(path + suffix, O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
            if descriptor >= 0 { close(descriptor) }
        }
    }

    /// Removes the store. Programs that have it open find it gone when they next save.
    package func remove(isForced: Bool) throws {
        removeLeftovers()
        guard FileManager.default.fileExists(atPath: logDirectory) else {
            try refuseForeignTables(isForced)
            return removeTables()
        }
        try locked(isForced) {
            try emptyTables()
            let old = name("old")
            try rename(logDirectory, old)
            removeTables()
            try? FileManager.default.removeItem(atPath: old)
        }
    }

    /// Puts the log in `directory`, a folder next to this store's log, in the place of that log, if there is one.
    package func replaceLog(with directory: String, isForced: Bool = false) throws {
        guard FileManager.default.fileExists(atPath: logDirectory) else {
            try refuseForeignTables(isForced)
            try emptyTables()
            return try rename(directory, logDirectory)
        }
        try locked(isForced) {
            try emptyTables()
            try exchange(directory, logDirectory)
            try? FileManager.default.removeItem(atPath: directory)
        }
    }

    /// Puts a copy of another store's log in the place of this store's log, if there is one.
    package func copyLog(_ log: SegmentLog) throws {
        removeLeftovers()
        _ = try setAside()
        let copy = newLogDirectory()
        defer { try? FileManager.default.removeItem(atPath: copy) }
        try log.copy(to: copy, on: fileSystem)
        try replaceLog(with: copy)
    }

    /// Puts an empty file in the store's place before its log is made, if nothing is there.
    package func reserve() throws {
        do throws(FileError) {
            _ = try fileSystem.open(path, .create)
        } catch {
            if error.reason != .exists { throw LogError(error) }
        }
    }

    /// Puts an empty file in the place of the tables: they are built from the log when the store is opened.
    func emptyTables() throws {
        try Projection.empty(path)
        removePast()
    }

    /// Forced, nobody is waited for.
    func locked(_ isForced: Bool, _ body: () throws -> Void) throws {
        if isForced { return try body() }
        try SegmentLog.withFolderLock(
            directory: logDirectory, timeout: lockTimeout, fileSystem: fileSystem, body)
    }

    /// Refuses to remove tables that are no projection of ours.
    private func refuseForeignTables(_ isForced: Bool) throws {
        guard !isForced, FileManager.default.fileExists(atPath: path), ProjectionMark(path: path) == nil else { return }
        throw CoreDataError.make(
            .persistentStoreOperation,
            "\(path) is no store of this library, and was left as it is: remove it yourself, or name another place",
            [NSFilePathErrorKey: path])
    }

    func removeTables() {
        Projection.remove(path)
        for suffix in Self.tableSuffixes { unlink(path + suffix) }
        removePast()
    }

    /// Removes the tables of past states.
    private func removePast() { PastFiles(of: path).remove() }

    /// Copies and old logs of processes that ended before they were done with them.
    package func removeLeftovers() {
        for folder in siblings(after: "-log.new-") + siblings(after: "-log.old-") {
            let owner = folder.split(separator: "-").dropLast().last.flatMap { pid_t($0) }
            guard let owner, owner != getpid(), kill(owner, 0) != 0, errno == ESRCH else { continue }
            try? FileManager.default.removeItem(atPath: folder)
        }
    }

    func siblings(after suffix: String) -> [String] {
        let url = URL(fileURLWithPath: path)
        let (folder, prefix) = (url.deletingLastPathComponent().path, url.lastPathComponent + suffix)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasPrefix(prefix) }.map { folder + "/" + $0 }
    }

    func rename(_ old: String, _ new: String) throws {
        try naming { () throws(FileError) in
            try fileSystem.rename(old, to: new)
            try syncFolder()
        }
    }

    /// The two names stand for each other's folders, from one moment to the next.
    func exchange(_ one: String, _ other: String) throws {
        try naming { () throws(FileError) in
            try fileSystem.exchange(one, with: other)
            try syncFolder()
        }
    }

    private func syncFolder() throws(FileError) {
        try fileSystem.syncDirectory(URL(fileURLWithPath: path).deletingLastPathComponent().path)
    }

    /// Runs what gives files and folders their names, and throws Core Data's error for what the file system refuses.
    private func naming(_ body: () throws(FileError) -> Void) throws {
        do {
            try body()
        } catch {
            throw CoreDataError.make(
                .persistentStoreOperation,
                "cannot \(error.operation): \(error.path): \(String(cString: strerror(error.errno)))",
                [NSFilePathErrorKey: path],
                underlying: NSError(domain: NSPOSIXErrorDomain, code: Int(error.errno)))
        }
    }
}

extension StoreFiles {
    /// Throws for what cannot be done with a store at a server's URL.
    package static func refuseServer(_ url: URL, _ what: String) throws {
        if url.isFileURL { return }
        throw CoreDataError.make(
            .persistentStoreOperation,
            "the store \(SharedLogs.place(of: url.absoluteString)) is on a server and cannot be \(what)")
    }
}

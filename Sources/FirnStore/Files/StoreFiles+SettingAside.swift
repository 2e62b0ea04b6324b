package import FirnLog
import Foundation

/// A store is its file. Code that was written for Apple's stores deletes `Library.sqlite`, `-wal` and `-shm` to begin
/// with an empty store, so a log without a file makes room for a new store:
///
///     Library.sqlite-log  →  Library.sqlite.2026-11-26T15.30.02.123Z-log
///
/// That is the log of a store of its own name, which the tool reads as any other. The last one is kept, until the next
/// one is there.
extension StoreFiles {
    /// A log that was set aside.
    package struct Kept {
        /// The path of the store that it is the log of.
        package var path: String
        /// The number of its last record; nil if it cannot be read.
        package var head: SequenceNumber?
    }

    /// Whether the store's file was deleted: its log is there, no copy of another one, and nothing is at its path.
    package var isDeleted: Bool {
        var information = stat()
        return lstat(path, &information) != 0 && errno == ENOENT && hasLog && !isCopy
    }

    /// Sets the log of a store aside whose file was deleted. Programs that have it open find it gone when they next
    /// save. Returns nil if the file was not deleted, or if the log had no more than the record of its model: it is
    /// removed then.
    ///
    /// One rename decides: whatever interrupts, the log has one name or the other.
    package func setAside() throws -> Kept? {
        guard isDeleted else { return nil }
        var kept: Kept?
        do {
            try locked(false) {
                // Another program may have made the new store meanwhile.
                guard isDeleted else { return }
                removeTables()
                kept = try moveAside()
            }
        } catch let error as LogError where error.code == .replaced || error.code == .missing {
            // Another program set it aside.
        }
        return kept
    }

    /// Sets a log aside whose store's file is that of another store. The caller has the lock, if the log has one.
    func moveAside() throws -> Kept? {
        let head = Self.head(of: logDirectory, fileSystem)
        if let head, head <= 1 {
            let old = name("old")
            try rename(logDirectory, old)
            try? FileManager.default.removeItem(atPath: old)
            return nil
        }
        let kept = Kept(path: newKeptPath(), head: head)
        try rename(logDirectory, kept.path + "-log")
        for other in keptPaths where other != kept.path { Self.remove(other) }
        return kept
    }

    /// Puts the log that was set aside last back in its place. The log that is there now is set aside for it. Returns
    /// nil if no log was set aside.
    package func restore() throws -> (restored: SequenceNumber?, kept: Kept?)? {
        guard let last = keptPaths.last else { return nil }
        let aside = last + "-log"
        let restored = Self.head(of: aside, fileSystem)
        guard FileManager.default.fileExists(atPath: logDirectory) else {
            try refuseFile()
            try emptyTables()
            try rename(aside, logDirectory)
            return (restored, nil)
        }
        guard !isCopy else {
            throw CoreDataError.make(
                .persistentStoreOperation,
                "\(path) is this machine's copy of a shared store: move its files away, then restore",
                [NSFilePathErrorKey: path])
        }
        try locked(false) {
            try emptyTables()
            try exchange(aside, logDirectory)
        }
        let head = Self.head(of: aside, fileSystem)
        if let head, head <= 1 {
            Self.remove(last)
            return (restored, nil)
        }
        let kept = Kept(path: newKeptPath(), head: head)
        try rename(aside, kept.path + "-log")
        return (restored, kept)
    }

    /// Throws if there is a file with something in it, which nobody has a log of.
    private func refuseFile() throws {
        guard FileManager.default.fileExists(atPath: path), !Self.isEmptyFile(path) else { return }
        throw CoreDataError.make(
            .persistentStoreOperation, "\(path) is a file without a log: move it away, then restore",
            [NSFilePathErrorKey: path])
    }

    /// The last record of the log in a folder; nil if it cannot be read.
    static func head(of directory: String, _ fileSystem: any FileSystem) -> SequenceNumber? {
        let log = try? SegmentLog.open(directory: directory, forWriting: false, fileSystem: fileSystem)
        defer { log?.close() }
        return log?.head
    }

    /// Removes a log that was set aside, and tables that somebody made for it.
    private static func remove(_ path: String) {
        try? FileManager.default.removeItem(atPath: path + "-log")
        StoreFiles(URL(fileURLWithPath: path)).removeTables()
    }

    /// The stores whose logs were set aside, by date.
    private var keptPaths: [String] {
        siblings(after: ".").filter { $0.hasSuffix("-log") }.map { String($0.dropLast(4)) }.filter { kept in
            let date = URL(fileURLWithPath: kept).lastPathComponent
                .dropFirst(URL(fileURLWithPath: path).lastPathComponent.count + 1)
            let shape = String(date.map { $0.isASCII && $0.isNumber ? "0" : $0 })
            return shape == "0000-00-00T00.00.00.000Z"
        }.sorted()
    }

    /// The present moment as a part of a name that nothing has yet, in UTC.
    private func newKeptPath() -> String {
        var now = Date.now
        while true {
            let text = now.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
                .replacingOccurrences(of: ":", with: ".")
            let kept = path + "." + text
            guard FileManager.default.fileExists(atPath: kept + "-log") else { return kept }
            now += 0.001
        }
    }
}

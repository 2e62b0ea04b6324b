import FirnFoundation
package import FirnLog
import FirnProjection
import Foundation

/// A store that an application opens is its file:
///
///     file             log              what happens
///     deleted          there            a new store; the log is set aside           `MissingTables`
///     empty            there            the tables are built
///     there            –                a log begins with the file's rows           `MissingLog`
///     other store's    there            the same; the log is set aside              `MissingLog`
///
/// A copy of a shared log is none of these: the store is on its server.
package struct FileAndLog {
    private let files: StoreFiles
    private let missingTables: MissingTables
    private let missingLog: MissingLog

    package init(_ path: String, _ options: [AnyHashable: Any]?) {
        files = StoreFiles(
            URL(fileURLWithPath: path), fileSystem: LogFileSystem.of(options),
            lockTimeout: StoreOptions.lockTimeout(in: options))
        missingTables = MissingTables(options: options)
        missingLog = MissingLog(options: options)
    }

    private var path: String { files.path }

    /// Does so before the store is opened for writing, and reports what it did.
    package func resolve() throws {
        do {
            if files.isDeleted { return try resolveDeleted() }
            guard try files.detachedTables() != nil else { return }
            try refuseMissingLog()
            try refuseOtherName()
            if let adoption = try files.adopt() { report(adoption) }
        } catch {
            throw StoreError.opening(error, path: path)
        }
    }

    /// The log that a store is read from which is opened for reading and whose file came without its log: in memory.
    /// Nil if it has one.
    package func logForReading() throws -> MemoryFileSystem? {
        do {
            guard try !SegmentLog.exists(directory: files.logDirectory), let tables = try files.detachedTables()
            else { return nil }
            try refuseMissingLog()
            let memory = MemoryFileSystem()
            try tables.makeLog(in: files.logDirectory, memory, date: SystemClock.now())
            return memory
        } catch {
            throw StoreError.opening(error, path: path)
        }
    }

    private func resolveDeleted() throws {
        switch missingTables {
        case .rebuild: break
        case .refuse:
            throw CoreDataError.make(
                .persistentStoreOpen,
                "the file \(path) was deleted, and its log \(files.logDirectory) is there: “firn rebuild \(path)” "
                    + "has all objects again; set missingTables of the store's description to .startFresh for a "
                    + "new store",
                [NSFilePathErrorKey: path])
        case .startFresh:
            guard let kept = try files.setAside() else { return }
            Report.post("\(path) was deleted, so this is a new store. \(Self.text(kept, path))")
        }
    }

    private func refuseMissingLog() throws {
        guard missingLog == .refuse else { return }
        throw CoreDataError.make(
            .persistentStoreOpen,
            "the log of \(path) is not next to it: put \(files.logDirectory) back, or set missingLog of the store's "
                + "description to .adopt to begin a new one with the file's rows",
            [NSFilePathErrorKey: path])
    }

    /// Refuses a file that has another name: it would get a second log here, and the rows of the store there would have
    /// what is saved here, which its log has not.
    private func refuseOtherName() throws {
        var information = stat()
        guard lstat(path, &information) == 0 else { return }
        var name = "another name (a hard link)"
        if information.st_mode & S_IFMT == S_IFLNK {
            let target = URL(fileURLWithPath: path).resolvingSymlinksInPath()
            // A file whose log is nowhere may be anywhere.
            guard StoreFiles(target).hasLog else { return }
            name = "its name and its log at \(target.path)"
        } else if information.st_nlink < 2 {
            return
        }
        throw CoreDataError.make(
            .persistentStoreOpen,
            "the file of \(path) has \(name), and a store is written under one name: open it there, or copy the file",
            [NSFilePathErrorKey: path])
    }

    private func report(_ adoption: StoreFiles.Adoption) {
        let values = adoption.missingValueCount
        let behind = values == 0 ? "its history" : "its history and \(values) large values"
        Report.post(
            "\(path) came without its log: a new one begins with its rows, as of record \(adoption.checkpoint); "
                + "\(behind) stayed behind." + (adoption.kept.map { " \(Self.text($0, path))" } ?? ""))
    }

    private static func text(_ kept: StoreFiles.Kept, _ path: String) -> String {
        let count = kept.head.map { "with \($0) records " } ?? ""
        return "The old log \(count)is kept as \(kept.path)-log; “firn restore \(path)” has it back."
    }
}

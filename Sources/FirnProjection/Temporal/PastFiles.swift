internal import FirnLog
internal import FirnSQLite
internal import Foundation

/// The files of a store's past: one for each model that it had, with those that SQLite has next to it.
///
///     Library.sqlite-history         in the terms of the model in force
///     Library.sqlite-history-12      in the terms of an older model, from record 12 on
package struct PastFiles {
    private let store: String

    /// - Parameter store: the path of the tables of the present.
    package init(of store: String) { self.store = store }

    /// The file in the terms of the model in force, or of the model whose terms began with a record.
    package func path(from start: UInt64? = nil) -> String { store + Self.suffix + (start.map { "-\($0)" } ?? "") }

    /// Whether this process may write them, or make them where they are missing.
    package var areWritable: Bool {
        func isWritable(_ path: String) -> Bool {
            faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0 || errno == ENOENT
        }
        return ProjectionFile.isFolderWritable(of: store) && isWritable(path()) && isWritable(path() + "-wal")
    }

    private static let suffix = "-history"
    private static let sqliteSuffixes = ["-wal", "-shm", "-journal"]

    /// Removes all of them. A database of another program, which has one of their names, is left.
    package func remove() {
        for name in names() { removeFile(name) }
    }

    /// Removes those that nobody reads any more: of models whose terms ended before the log begins.
    func removeOld(before baseline: UInt64) {
        for name in names() {
            let start = UInt64(rest(of: name).dropFirst(Self.suffix.count + 1))
            if start.map({ $0 < baseline }) ?? false { removeFile(name) }
        }
    }

    private func removeFile(_ name: String) {
        let path = folder + "/" + name
        if (try? ProjectionFile(inspecting: path)) == .otherDatabase { return }
        Projection.remove(path)
    }

    private var url: URL { URL(fileURLWithPath: store) }
    private var folder: String { url.deletingLastPathComponent().path }

    private func rest(of name: String) -> Substring { name.dropFirst(url.lastPathComponent.count) }

    /// The files' names, without those that SQLite has next to them.
    private func names() -> Set<String> {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return Set(names.compactMap(fileName))
    }

    /// The file that a file belongs to; nil if it is none of these.
    private func fileName(_ name: String) -> String? {
        guard name.hasPrefix(url.lastPathComponent) else { return nil }
        let sqlite = Self.sqliteSuffixes.first(where: name.hasSuffix) ?? ""
        let file = String(name.dropLast(sqlite.count))
        let rest = rest(of: file)
        guard rest.hasPrefix(Self.suffix) else { return nil }
        let number = rest.dropFirst(Self.suffix.count)
        return number.isEmpty || number.first == "-" && UInt64(number.dropFirst()) != nil ? file : nil
    }
}

/// Another process removed the history file that is read, and perhaps made it again: it does not have what was applied.
struct ReplacedFile: Error {
    /// Each costs some calls of the system, and others remove files once an erasure.
    static let attemptsMax = 20

    /// Runs `body` again where another process trimmed the log, or erased values from it, and removed the file.
    static func retrying<R>(_ body: () throws -> R) throws -> R {
        for _ in 1..<attemptsMax {
            do {
                return try body()
            } catch let error as LogError where error.code == .missing {
            } catch let error as SQLiteError where error.isOfRemovedFile {
            } catch is ReplacedFile {
            }
        }
        return try body()
    }
}

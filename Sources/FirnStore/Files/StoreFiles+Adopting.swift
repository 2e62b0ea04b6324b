import FirnLog
package import FirnProjection
import Foundation

/// A store is its file, also where the file came without its log: a log is made of the rows. It takes its place in one
/// step, so of several programs that do so at once one is first, and the others use its log.
extension StoreFiles {
    /// The outcome for a file without its log.
    package struct Adoption {
        /// The last record that the file holds.
        package var checkpoint: UInt64
        /// How many large values stayed behind.
        package var missingValueCount: Int
        /// The log of another store that was next to the file.
        package var kept: Kept?
    }

    /// The tables of a file whose log is not there, or that is not the file of the log which is there: another store's,
    /// or an older copy. Nil if there are none. A folder that has something else than a log, such as one whose segments
    /// are gone, is no missing log.
    package func detachedTables() throws -> DetachedTables? {
        guard Self.hasContent(path), !isCopy else { return nil }
        let present = try SegmentLog.storeID(directory: logDirectory, fileSystem: fileSystem)
        if present == nil, !(Self.names(in: logDirectory).isEmpty) { return nil }
        guard let tables = DetachedTables(path: path) else { return nil }
        return present?.uuidString != tables.store || isOlderCopy(tables) ? tables : nil
    }

    /// Whether the tables have less than the file had when the store was closed.
    private func isOlderCopy(_ tables: DetachedTables) -> Bool {
        guard let closed = ClosedTables(logDirectory: logDirectory).checkpoint, tables.checkpoint < closed,
            let head = Self.head(of: logDirectory, fileSystem)
        else { return false }
        return closed <= head
    }

    /// Makes a log of the rows of a file that came without its log. Nil if it has one.
    package func adopt() throws -> Adoption? {
        guard let tables = try detachedTables() else { return nil }
        removeLeftovers()
        let fresh = newLogDirectory()
        var adoption = Adoption(checkpoint: tables.checkpoint.rawValue, missingValueCount: 0)
        do {
            adoption.missingValueCount = try tables.makeLog(
                in: fresh, fileSystem, date: SystemClock.now()
            ).count
            if hasLog { adoption.kept = try setAsideOther() }
            try rename(fresh, logDirectory)
        } catch {
            try? FileManager.default.removeItem(atPath: fresh)
            // Another program was faster.
            guard try detachedTables() == nil else { throw error }
            return nil
        }
        return adoption
    }

    private func setAsideOther() throws -> Kept? {
        var kept: Kept?
        try locked(false) {
            // Another program may have put its log there meanwhile.
            if try detachedTables() != nil { kept = try moveAside() }
        }
        return kept
    }

    private static func hasContent(_ path: String) -> Bool {
        var information = stat()
        return stat(path, &information) == 0 && information.st_mode & S_IFMT == S_IFREG && information.st_size > 0
    }

    private static func names(in folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    }
}

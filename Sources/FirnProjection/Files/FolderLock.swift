internal import FirnSQLite
internal import Foundation

/// A lock of the system on a database's folder: one program moves or removes files, or several open them.
///
/// SQLite opens a write-ahead log by its name, with the first statement. A connection that is opened while the file is
/// replaced would read the log of another file with its own, and give rows that no file has. Nothing is written for
/// this lock, and it ends with its process. Where a folder cannot be opened or locked, nothing waits, and nobody waits
/// longer than for SQLite's own locks: a program may have been stopped.
/// https://www.sqlite.org/howtocorrupt.html#_unlinking_or_renaming_a_database_file_while_in_use
package enum FolderLock {
    case opening, replacing

    /// Waits for the programs that replace a file in the folder of `path`, and to replace one also for those that open
    /// one, and calls `body` while none does. It must not ask for the lock once more.
    package func held<R>(for path: String, _ body: () throws -> R) rethrows -> R {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { if file >= 0 { close(file) } }
        let end = ContinuousClock.now + .milliseconds(Int(Connection.busyTimeout))
        while file >= 0, flock(file, (self == .replacing ? LOCK_EX : LOCK_SH) | LOCK_NB) != 0,
            errno == EWOULDBLOCK || errno == EINTR, ContinuousClock.now < end
        {
            usleep(Self.pause)
        }
        return try body()
    }

    /// Microseconds between two attempts.
    private static let pause: UInt32 = 500
}

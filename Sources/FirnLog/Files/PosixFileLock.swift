import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// Two locks on bytes of one file, of the kind that belongs to the open file and not to the process
/// (https://man7.org/linux/man-pages/man2/F_GETLK.2const.html), so that two logs in one process exclude each other too.
///
///     byte 0   held while writing
///     byte 1   the turnstile: held while waiting for byte 0
///
/// A writer that releases byte 0 and wants it again at once passes the turnstile, behind the writer that waits there:
/// no writer can starve the others. Each call takes half a microsecond, so a writer passes the turnstile only after
/// `passesMax` acquisitions, and a waiting one gets the lock after a few saves.
final class PosixFileLock: FileLock {
    private static let writerByte: off_t = 0
    private static let turnstileByte: off_t = 1
    /// `F_OFD_SETLK` and `F_OFD_SETLKW`, which the C library's module does not show.
    private static let setLock: Int32 = 37
    private static let setLockWaiting: Int32 = 38

    /// How often in a row the lock may be acquired without passing the turnstile.
    private static let passesMax = 7

    private let file: PosixFile
    private let path: String
    /// The file's number on its disk, which no other file gets while this one is open.
    private let identity: ino_t
    /// How often the lock was acquired since the turnstile was last passed.
    private let passes = Atomic(0)

    init(path: String) throws(FileError) {
        self.path = path
        file = try PosixFile(path: path, flags: O_RDWR | O_CREAT, operation: "open it")
        var status = stat()
        let descriptor = file.descriptor
        try SystemCall.retrying("look at the lock", path) { fstat(descriptor, &status) }
        identity = status.st_ino
    }

    func acquire(waiting: Bool) throws(FileError) -> Bool {
        if passes.load(ordering: .relaxed) < Self.passesMax,
            try change(Self.writerByte, to: F_WRLCK, waiting: false)
        {
            passes.add(1, ordering: .relaxed)
        } else {
            guard try passTurnstile(waiting: waiting) else { return false }
            passes.store(0, ordering: .relaxed)
        }
        do {
            try checkStillThere()
        } catch {
            release()
            throw error
        }
        return true
    }

    private func passTurnstile(waiting: Bool) throws(FileError) -> Bool {
        guard try change(Self.turnstileByte, to: F_WRLCK, waiting: waiting) else { return false }
        defer { _ = try? change(Self.turnstileByte, to: F_UNLCK, waiting: false) }
        return try change(Self.writerByte, to: F_WRLCK, waiting: waiting)
    }

    /// A file that is not at its path any more locks nobody out: its log was replaced, destroyed or set aside.
    private func checkStillThere() throws(FileError) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_ino == identity else {
            throw FileError("lock it", path: path, errno: ESTALE)
        }
    }

    func release() { _ = try? change(Self.writerByte, to: F_UNLCK, waiting: false) }

    private func change(_ byte: off_t, to type: Int32, waiting: Bool) throws(FileError) -> Bool {
        var range = flock()
        range.l_type = Int16(type)
        range.l_whence = Int16(SEEK_SET)
        range.l_start = byte
        range.l_len = 1
        do {
            try SystemCall.retrying("lock it", path) {
                fcntl(file.descriptor, waiting ? Self.setLockWaiting : Self.setLock, &range)
            }
            return true
        } catch {
            if !waiting, error.errno == EAGAIN || error.errno == EACCES { return false }
            throw error
        }
    }
}

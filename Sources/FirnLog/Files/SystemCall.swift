#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// Error numbers, and what they mean to the log.
enum SystemCall {
    /// The operating system's words for an error number.
    static func reason(_ number: Int32) -> String {
        guard let text = strerror(number) else { return "error \(number)" }
        return String(cString: text)
    }

    /// Tells the calling thread from all others that run: each has an error number of its own.
    static var thread: UInt { UInt(bitPattern: __errno_location()) }

    static func classify(_ number: Int32) -> FileError.Reason {
        switch number {
        case ENOSPC, EDQUOT, EFBIG: .noSpace
        case EACCES, EPERM: .notPermitted
        case EROFS: .readOnly
        case ENOENT: .missing
        case EEXIST, ENOTEMPTY: .exists
        case ENOTDIR, EISDIR: .notADirectory
        case ESTALE: .replaced
        case EBADMSG: .damaged
        default: .other
        }
    }

    /// Calls `body` until it is not interrupted by a signal; throws if it returns -1.
    @discardableResult
    static func retrying<R: SignedInteger>(
        _ operation: String, _ path: String, _ body: () -> R
    ) throws(FileError) -> R {
        while true {
            let result = body()
            if result != -1 { return result }
            let number = errno
            if number != EINTR { throw FileError(operation, path: path, errno: number) }
        }
    }
}

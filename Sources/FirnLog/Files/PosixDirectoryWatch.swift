#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// inotify on a folder (https://man7.org/linux/man-pages/man7/inotify.7.html), and a pipe that cancels.
///
/// Where the user's inotify instances are used up, looks again every 20 ms instead.
final class PosixDirectoryWatch: DirectoryWatch {
    private static let pollInterval: Int32 = 20  // milliseconds

    private let directory: String
    /// nil where none was to be had.
    private let notifications: Int32?
    private let cancelReader: Int32
    private let cancelWriter: Int32

    init(directory: String) throws(FileError) {
        self.directory = directory
        var ends: [Int32] = [0, 0]
        try SystemCall.retrying("make a pipe to watch it", directory) { pipe(&ends) }
        (cancelReader, cancelWriter) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        guard descriptor >= 0 else {
            notifications = nil
            return
        }
        let events = UInt32(IN_MODIFY | IN_CREATE | IN_MOVED_TO)
        if inotify_add_watch(descriptor, directory, events) < 0 {
            let number = errno
            close(descriptor)
            notifications = nil
            if number == ENOENT || number == EACCES || number == ENOTDIR {
                throw FileError("watch it", path: directory, errno: number)
            }
        } else {
            notifications = descriptor
        }
    }

    deinit {
        if let notifications { close(notifications) }
        close(cancelReader)
        close(cancelWriter)
    }

    func wait() throws(FileError) -> Bool {
        var polled = [pollfd(fd: cancelReader, events: Int16(POLLIN), revents: 0)]
        if let notifications {
            polled.append(pollfd(fd: notifications, events: Int16(POLLIN), revents: 0))
        }
        let timeout = notifications == nil ? Self.pollInterval : -1
        try SystemCall.retrying("watch it", directory) { poll(&polled, nfds_t(polled.count), timeout) }
        if polled[0].revents != 0 { return false }
        if let notifications { drain(notifications) }
        return true
    }

    func cancel() {
        // Never read: the pipe stays readable, so that every later wait returns too.
        var byte: UInt8 = 1
        _ = write(cancelWriter, &byte, 1)
    }

    /// Reads the events away without looking at them: the log itself is asked.
    private func drain(_ descriptor: Int32) {
        var events = [UInt8](repeating: 0, count: 16384)
        while read(descriptor, &events, events.count) > 0 {}
    }
}

import FirnLog
import Synchronization
import TestSupport

/// Refuses every change from one of them on: what is on the disk then is what a program that died there leaves behind.
struct FrozenDisk {
    private final class Remaining: Sendable {
        let changes: Mutex<Int>
        init(_ count: Int) { changes = Mutex(count) }
    }

    let fileSystem: HeardFileSystem
    private let remaining: Remaining

    /// - Parameter count: how many changes are made.
    init(after count: Int) {
        let remaining = Remaining(count)
        self.remaining = remaining
        fileSystem = HeardFileSystem { (call, path) throws(FileError) in
            if call == .synced || call == .releasedLock { return }
            let isRefused = remaining.changes.withLock { left in
                left -= 1
                return left < 0
            }
            if isRefused { throw FileError("change it", path: path, errno: 5) }
        }
    }

    /// Whether a change was refused.
    var isFrozen: Bool { remaining.changes.withLock { $0 < 0 } }
}

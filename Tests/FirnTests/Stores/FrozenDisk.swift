import FirnLog
import Foundation
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

    /// A disk that is full after some steps that need space.
    static func full(after steps: Int) -> HeardFileSystem {
        FrozenDisk(after: steps, of: [.create, .createDirectory, .write, .allocate], errno: ENOSPC).fileSystem
    }

    /// - Parameters:
    ///   - count: how many changes are made.
    ///   - counted: the kinds of changes that are counted and refused; nil for all.
    ///   - errno: the system's number for the refusal.
    init(after count: Int, of counted: Set<HeardFileSystem.Call>? = nil, errno: Int32 = EIO) {
        let remaining = Remaining(count)
        self.remaining = remaining
        fileSystem = HeardFileSystem { (call, path) throws(FileError) in
            if call == .synced || call == .releasedLock || counted?.contains(call) == false { return }
            let isRefused = remaining.changes.withLock { left in
                left -= 1
                return left < 0
            }
            if isRefused { throw FileError("change it", path: path, errno: errno) }
        }
    }

    /// Whether a change was refused.
    var isFrozen: Bool { remaining.changes.withLock { $0 < 0 } }
}

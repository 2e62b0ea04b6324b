import FirnLog
import Foundation
import Synchronization
import TestSupport

/// The disk, and an image of a folder before, within and after every change that goes through here, and when a lock was
/// released: what a process that dies there leaves behind.
final class ImageTakingFileSystem: FrontedFileSystem {
    let behind: any FileSystem = PosixFileSystem()
    private let folder: URL
    private let images: URL
    private let taken = Mutex<[URL]>([])
    private let afterSync: @Sendable (ImageTakingFileSystem) -> Void

    /// - Parameter afterSync: called when a file was synced, to take more images.
    init(
        of folder: URL, into images: URL, afterSync: @escaping @Sendable (ImageTakingFileSystem) -> Void = { _ in }
    ) {
        self.folder = folder
        self.images = images
        self.afterSync = afterSync
    }

    var all: [URL] { taken.withLock { $0 } }

    @discardableResult
    func take() -> URL {
        taken.withLock { taken in
            let image = images.appendingPathComponent("\(taken.count)")
            while true {
                do {
                    try FileManager.default.copyItem(at: folder, to: image)
                    break
                } catch CocoaError.fileNoSuchFile, CocoaError.fileReadNoSuchFile {
                    // A context that ends with a store removed before closes it, and SQLite takes its log away.
                    try? FileManager.default.removeItem(at: image)
                    let isThere = FileManager.default.fileExists(atPath: folder.path)
                    precondition(isThere, "there is nothing to take an image of")
                } catch {
                    preconditionFailure("no image could be taken: \(error)")
                }
            }
            taken.append(image)
            return image
        }
    }

    fileprivate func didSync() { afterSync(self) }

    func lock(_ path: String) throws(FileError) -> any FileLock { ImageTakingLock(try behind.lock(path), self) }

    func open(_ path: String, _ access: FileAccess) throws(FileError) -> any File {
        let file = try behind.open(path, access)
        if access != .read { take() }
        return ImageTakingFile(file, self)
    }

    func createDirectory(_ path: String) throws(FileError) {
        try behind.createDirectory(path)
        take()
    }

    func remove(_ path: String) throws(FileError) {
        try behind.remove(path)
        take()
    }

    func rename(_ path: String, to newPath: String) throws(FileError) {
        try behind.rename(path, to: newPath)
        take()
    }
}

private final class ImageTakingFile: FrontedFile {
    let behind: any File
    private let fileSystem: ImageTakingFileSystem

    init(_ file: any File, _ fileSystem: ImageTakingFileSystem) {
        behind = file
        self.fileSystem = fileSystem
    }

    /// In three parts, so that a torn write is among the images.
    func write(_ bytes: RawSpan, at offset: Int64) throws(FileError) {
        fileSystem.take()
        let size = bytes.byteCount
        for (start, end) in [(0, 8), (8, size / 2), (size / 2, size)] where start < end {
            try behind.write(bytes.extracting(start..<end), at: offset + Int64(start))
            fileSystem.take()
        }
    }

    func allocate(_ size: Int64) throws(FileError) {
        try behind.allocate(size)
        fileSystem.take()
    }

    func truncate(_ size: Int64) throws(FileError) {
        try behind.truncate(size)
        fileSystem.take()
    }

    func sync() throws(FileError) {
        try behind.sync()
        fileSystem.take()
        fileSystem.didSync()
    }
}

private final class ImageTakingLock: FileLock {
    private let behind: any FileLock
    private let fileSystem: ImageTakingFileSystem

    init(_ lock: any FileLock, _ fileSystem: ImageTakingFileSystem) {
        behind = lock
        self.fileSystem = fileSystem
    }

    func acquire(waiting: Bool) throws(FileError) -> Bool { try behind.acquire(waiting: waiting) }

    func release() {
        behind.release()
        fileSystem.take()
    }
}

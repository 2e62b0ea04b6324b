import FirnLog
import Foundation
import Synchronization

/// The disk, and an image of a folder before, within and after every change that goes through here: what a process
/// that dies there leaves behind.
final class ImageTakingFileSystem: FileSystem, Sendable {
    private let disk = PosixFileSystem()
    private let folder: URL
    private let images: URL
    private let taken = Mutex<[URL]>([])

    init(of folder: URL, into images: URL) {
        self.folder = folder
        self.images = images
    }

    var all: [URL] { taken.withLock { $0 } }

    @discardableResult
    func take() -> URL {
        taken.withLock { taken in
            let image = images.appendingPathComponent("\(taken.count)")
            do {
                try FileManager.default.copyItem(at: folder, to: image)
            } catch {
                preconditionFailure("no image could be taken: \(error)")
            }
            taken.append(image)
            return image
        }
    }

    func open(_ path: String, _ access: FileAccess) throws(FileError) -> any File {
        let file = try disk.open(path, access)
        if access != .read { take() }
        return ImageTakingFile(file, self)
    }

    func kind(of path: String) throws(FileError) -> FileKind? { try disk.kind(of: path) }
    func list(_ directory: String) throws(FileError) -> [String] { try disk.list(directory) }

    func createDirectory(_ path: String) throws(FileError) {
        try disk.createDirectory(path)
        take()
    }

    func remove(_ path: String) throws(FileError) {
        try disk.remove(path)
        take()
    }

    func rename(_ path: String, to newPath: String) throws(FileError) {
        try disk.rename(path, to: newPath)
        take()
    }

    func syncDirectory(_ path: String) throws(FileError) { try disk.syncDirectory(path) }
    func lock(_ path: String) throws(FileError) -> any FileLock { try disk.lock(path) }
    func watch(_ directory: String) throws(FileError) -> any DirectoryWatch { try disk.watch(directory) }
    func networkFileSystem(at path: String) throws(FileError) -> String? { try disk.networkFileSystem(at: path) }
}

private final class ImageTakingFile: File {
    private let file: any File
    private let fileSystem: ImageTakingFileSystem

    init(_ file: any File, _ fileSystem: ImageTakingFileSystem) {
        self.file = file
        self.fileSystem = fileSystem
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileError) -> Int {
        try file.read(into: buffer, at: offset)
    }

    /// In three parts, so that a torn write is among the images.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(FileError) {
        for (start, end) in [(0, 8), (8, bytes.count / 2), (bytes.count / 2, bytes.count)] where start < end {
            try file.write(UnsafeRawBufferPointer(rebasing: bytes[start..<end]), at: offset + Int64(start))
            fileSystem.take()
        }
    }

    func allocate(_ size: Int64) throws(FileError) {
        try file.allocate(size)
        fileSystem.take()
    }

    func truncate(_ size: Int64) throws(FileError) {
        try file.truncate(size)
        fileSystem.take()
    }

    func size() throws(FileError) -> Int64 { try file.size() }

    func sync() throws(FileError) {
        try file.sync()
        fileSystem.take()
    }
}

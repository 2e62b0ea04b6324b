#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif
import Synchronization

/// Files in memory: what an in-memory store's log is kept in. Copies of the value share their files.
///
/// Every folder is there; files are durable for as long as the file system is.
public struct MemoryFileSystem: FileSystem {
    private let tree = MemoryTree()

    public init() {}

    public func open(_ path: String, _ access: FileAccess) throws(FileError) -> any File {
        try tree.open(path, create: access == .create)
    }

    public func kind(of path: String) throws(FileError) -> FileKind? { tree.kind(of: path) }

    public func list(_ directory: String) throws(FileError) -> [String] { tree.names(in: directory) }

    public func createDirectory(_ path: String) throws(FileError) { try tree.createDirectory(path) }

    public func remove(_ path: String) throws(FileError) { try tree.remove(path) }

    public func rename(_ path: String, to newPath: String) throws(FileError) {
        try tree.rename(path, to: newPath)
    }

    public func exchange(_ path: String, with otherPath: String) throws(FileError) {
        try tree.exchange(path, with: otherPath)
    }

    public func syncDirectory(_ path: String) throws(FileError) {}

    public func lock(_ path: String) throws(FileError) -> any FileLock { MemoryLock(tree, path) }

    public func watch(_ directory: String) throws(FileError) -> any DirectoryWatch { MemoryWatch(tree) }

    public func networkFileSystem(at path: String) throws(FileError) -> String? { nil }

    /// Copies a file to a new one, which shares the bytes until one of the two is written. O(1).
    func copyFile(_ path: String, to newPath: String, on other: MemoryFileSystem) throws(FileError) {
        let content = try tree.open(path, create: false).content
        try other.tree.open(newPath, create: true).replaceContent(content)
    }
}

/// The names, the locks and the number of changes so far, all guarded by `stateLock`.
private final class MemoryTree: @unchecked Sendable {
    let stateLock = ConditionLock()
    private var files: [String: MemoryFile] = [:]
    private var directories: Set<String> = []
    private var held: Set<String> = []
    private(set) var changes = 0

    func open(_ path: String, create: Bool) throws(FileError) -> MemoryFile {
        stateLock.lock()
        defer { stateLock.unlock() }
        if let file = files[path] {
            if create { throw FileError("create it", path: path, errno: EEXIST) }
            return file
        }
        guard create else { throw FileError("open it", path: path, errno: ENOENT) }
        let file = MemoryFile(self)
        files[path] = file
        changed()
        return file
    }

    func kind(of path: String) -> FileKind? {
        stateLock.withLock {
            files[path] != nil ? .file : directories.contains(path) || path == "/" ? .directory : nil
        }
    }

    func names(in directory: String) -> [String] {
        let prefix = directory + "/"
        return stateLock.withLock {
            files.keys.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
        }
    }

    func createDirectory(_ path: String) throws(FileError) {
        let isNew = stateLock.withLock { directories.insert(path).inserted }
        if !isNew { throw FileError("create the folder", path: path, errno: EEXIST) }
    }

    func remove(_ path: String) throws(FileError) {
        let file = stateLock.withLock { files.removeValue(forKey: path) }
        if file == nil { throw FileError("remove it", path: path, errno: ENOENT) }
    }

    func rename(_ path: String, to newPath: String) throws(FileError) {
        stateLock.lock()
        defer { stateLock.unlock() }
        if let file = files.removeValue(forKey: path) {
            files[newPath] = file
            return changed()
        }
        guard directories.contains(path) else { throw FileError("rename it", path: path, errno: ENOENT) }
        move { MemoryTree.moved($0, from: path, to: newPath) }
    }

    func exchange(_ path: String, with otherPath: String) throws(FileError) {
        stateLock.lock()
        defer { stateLock.unlock() }
        for missing in [path, otherPath] where files[missing] == nil && !directories.contains(missing) {
            throw FileError("exchange it", path: missing, errno: ENOENT)
        }
        move {
            MemoryTree.moved($0, from: path, to: otherPath) ?? MemoryTree.moved($0, from: otherPath, to: path)
        }
    }

    /// The name of `path` once `old`, which may be a folder above it, is named `new`; nil if that does not concern it.
    private static func moved(_ path: String, from old: String, to new: String) -> String? {
        path == old || path.hasPrefix(old + "/") ? new + path.dropFirst(old.count) : nil
    }

    /// Gives files and folders the names that `newName` returns. To be called with `stateLock` held.
    private func move(_ newName: (String) -> String?) {
        let movedFiles = files.compactMap { path, file in newName(path).map { (path, $0, file) } }
        for (path, _, _) in movedFiles { files[path] = nil }
        for (_, newPath, file) in movedFiles { files[newPath] = file }
        directories = Set(directories.map { newName($0) ?? $0 })
        changed()
    }

    func acquire(_ path: String, waiting: Bool) -> Bool {
        stateLock.withLock {
            while held.contains(path) {
                if !waiting { return false }
                stateLock.wait()
            }
            held.insert(path)
            return true
        }
    }

    func release(_ path: String) {
        stateLock.withLock {
            held.remove(path)
            stateLock.signalAll()
        }
    }

    /// To be called with `stateLock` held.
    func changed() {
        changes += 1
        stateLock.signalAll()
    }
}

/// A file whose zeros at the end take no memory: preallocating is free.
private final class MemoryFile: File, @unchecked Sendable {
    /// Guards everything here too.
    private let tree: MemoryTree
    private var bytes: [UInt8] = []
    private var logicalSize: Int64 = 0

    init(_ tree: MemoryTree) { self.tree = tree }

    /// The bytes, and the size with the zeros that follow them.
    var content: (bytes: [UInt8], size: Int64) { tree.stateLock.withLock { (bytes, logicalSize) } }

    func replaceContent(_ content: (bytes: [UInt8], size: Int64)) {
        tree.stateLock.withLock {
            (bytes, logicalSize) = content
            tree.changed()
        }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> Int {
        tree.stateLock.withLock {
            let count = Int(max(0, min(Int64(buffer.count), logicalSize - offset)))
            let kept = max(0, min(count, bytes.count - Int(offset)))
            if kept > 0 {
                bytes.withUnsafeBytes { source in
                    buffer.copyMemory(from: .init(rebasing: source[Int(offset)..<Int(offset) + kept]))
                }
            }
            if count > kept {
                UnsafeMutableRawBufferPointer(rebasing: buffer[kept..<count])
                    .initializeMemory(as: UInt8.self, repeating: 0)
            }
            return count
        }
    }

    func write(_ bytes: RawSpan, at offset: Int64) { bytes.withUnsafeBytes { write($0, at: offset) } }

    private func write(_ source: UnsafeRawBufferPointer, at offset: Int64) {
        tree.stateLock.withLock {
            let start = Int(offset)
            if bytes.count < start { bytes.append(contentsOf: repeatElement(0, count: start - bytes.count)) }
            let overlap = min(bytes.count - start, source.count)
            if overlap > 0 {
                bytes.withUnsafeMutableBytes { target in
                    UnsafeMutableRawBufferPointer(rebasing: target[start..<start + overlap])
                        .copyMemory(from: .init(rebasing: source[..<overlap]))
                }
            }
            bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: source[max(0, overlap)...]))
            logicalSize = max(logicalSize, Int64(start + source.count))
            tree.changed()
        }
    }

    func allocate(_ size: Int64) { tree.stateLock.withLock { logicalSize = max(logicalSize, size) } }

    func truncate(_ size: Int64) {
        tree.stateLock.withLock {
            if size < bytes.count { bytes.removeLast(bytes.count - Int(size)) }
            logicalSize = size
        }
    }

    func size() -> Int64 { tree.stateLock.withLock { logicalSize } }

    func sync() {}
}

private final class MemoryLock: FileLock {
    private let tree: MemoryTree
    private let path: String

    init(_ tree: MemoryTree, _ path: String) {
        self.tree = tree
        self.path = path
    }

    func acquire(waiting: Bool) -> Bool { tree.acquire(path, waiting: waiting) }
    func release() { tree.release(path) }
}

private final class MemoryWatch: DirectoryWatch {
    /// Its lock orders everything here too.
    private let tree: MemoryTree
    private let seen: Atomic<Int>
    private let isCancelled = Atomic(false)

    init(_ tree: MemoryTree) {
        self.tree = tree
        seen = Atomic(tree.stateLock.withLock { tree.changes })
    }

    func wait() -> Bool {
        tree.stateLock.withLock {
            while true {
                if isCancelled.load(ordering: .relaxed) { return false }
                if seen.exchange(tree.changes, ordering: .relaxed) != tree.changes { return true }
                tree.stateLock.wait()
            }
        }
    }

    func cancel() {
        tree.stateLock.withLock {
            isCancelled.store(true, ordering: .relaxed)
            tree.stateLock.signalAll()
        }
    }
}

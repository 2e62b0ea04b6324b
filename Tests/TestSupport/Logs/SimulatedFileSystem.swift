package import FirnLog

/// A disk that can be made to fail and to lose power.
///
/// Each file has what a program sees and what is on the disk. A write changes the first; `sync` copies it to the
/// second. On a loss of power every 8-byte-aligned piece of an unsynced write survives or does not, by the seed; sizes
/// and names that were not synced likewise.
package final class SimulatedFileSystem: FileSystem, @unchecked Sendable {
    package enum Fault { case none, crash, noSpace, ioError }

    /// Not locked: tests use it from one thread.
    private var files: [String: SimulatedFile] = [:]
    private var durableNames: [String: SimulatedFile] = [:]
    private var directories: Set<String> = []
    private var locks: Set<String> = []
    package var random: SeededGenerator
    /// Operations that change something, so far.
    package private(set) var steps = 0
    /// The fault that happens at step `faultStep`.
    package var fault = Fault.none
    package var faultStep = Int.max
    package private(set) var isDead = false
    /// Whether the fault has happened.
    package var hasFailed = false
    /// Whether one sync in eight is left out: a fault that nothing can survive, to see that tests find it.
    package var liesAboutSync = false

    package init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// What the next program finds after the power came back: another file system.
    package func afterCrash() -> SimulatedFileSystem {
        let next = SimulatedFileSystem(seed: random.next())
        next.directories = directories
        // A name that was not synced is there or not; a synced one that was renamed has either name; one that was
        // removed is gone or not.
        for (path, file) in durableNames where files[path] === file { next.durableNames[path] = file }
        for (path, file) in files where durableNames[path] !== file {
            if random.next() % 2 == 0 { next.durableNames[path] = file }
        }
        for (path, file) in durableNames where files[path] !== file {
            let isElsewhere = next.durableNames.values.contains { $0 === file }
            let isRemoved = files[path] == nil && !files.values.contains { $0 === file }
            if isRemoved, random.next() % 2 == 0 { continue }
            if !isElsewhere, next.durableNames[path] == nil { next.durableNames[path] = file }
        }
        for (path, file) in next.durableNames {
            let survivor = SimulatedFile(next, file.afterCrash(&random))
            next.durableNames[path] = survivor
            next.files[path] = survivor
        }
        return next
    }

    /// Ends what began with a crash as if only a program had been killed: what it wrote is there, its locks are free.
    package func revive() {
        (isDead, hasFailed, fault) = (false, false, .none)
        locks = []
    }

    /// Bytes of a file, as a program sees them.
    package func contents(_ path: String) -> [UInt8] { files[path]?.seen ?? [] }

    package func replace(_ path: String, with bytes: [UInt8]) {
        let file = SimulatedFile(self, bytes)
        files[path] = file
        durableNames[path] = file
    }

    /// Counts a step; throws if the fault is due, after `partly` has done a part of it.
    package func step(_ path: String, partly: (inout SeededGenerator) -> Void = { _ in }) throws(FileError) {
        if isDead { throw FileError("do anything after the crash", path: path, errno: 5) }
        steps += 1
        guard steps == faultStep else { return }
        hasFailed = fault != .none
        switch fault {
        case .none: return
        case .noSpace:
            partly(&random)
            throw FileError("write it", path: path, errno: 28)
        case .ioError:
            partly(&random)
            throw FileError("write it", path: path, errno: 5)
        case .crash:
            partly(&random)
            isDead = true
            throw FileError("survive", path: path, errno: 5)
        }
    }

    package func open(_ path: String, _ access: FileAccess) throws(FileError) -> any File {
        if let file = files[path] {
            if access == .create { throw FileError("create it", path: path, errno: 17) }
            return file
        }
        guard access == .create else { throw FileError("open it", path: path, errno: 2) }
        try step(path)
        let file = SimulatedFile(self, [])
        files[path] = file
        return file
    }

    package func kind(of path: String) throws(FileError) -> FileKind? {
        files[path] != nil ? .file : directories.contains(path) || path == "/" ? .directory : nil
    }

    package func list(_ directory: String) throws(FileError) -> [String] {
        files.keys.filter { $0.hasPrefix(directory + "/") }.map { String($0.dropFirst(directory.count + 1)) }
    }

    package func createDirectory(_ path: String) throws(FileError) {
        try step(path)
        directories.insert(path)
    }

    package func remove(_ path: String) throws(FileError) {
        try step(path)
        files[path] = nil
    }

    package func rename(_ path: String, to newPath: String) throws(FileError) {
        try step(path)
        files[newPath] = files.removeValue(forKey: path)
    }

    package func exchange(_ path: String, with otherPath: String) throws(FileError) {
        try step(path)
        let file = files[path]
        files[path] = files[otherPath]
        files[otherPath] = file
    }

    package func syncDirectory(_ path: String) throws(FileError) {
        try step(path)
        durableNames = files
    }

    package func lock(_ path: String) throws(FileError) -> any FileLock { SimulatedLock(self, path) }
    package func watch(_ directory: String) throws(FileError) -> any DirectoryWatch {
        try MemoryFileSystem().watch(directory)
    }
    package func networkFileSystem(at path: String) throws(FileError) -> String? { nil }

    fileprivate func take(_ path: String) -> Bool { locks.insert(path).inserted }
    fileprivate func give(_ path: String) { locks.remove(path) }
}

private final class SimulatedLock: FileLock, @unchecked Sendable {
    private let files: SimulatedFileSystem
    private let path: String

    init(_ files: SimulatedFileSystem, _ path: String) {
        self.files = files
        self.path = path
    }

    func acquire(waiting: Bool) throws(FileError) -> Bool {
        let isTaken = files.take(path)
        if !isTaken, waiting { fatalError("a lock that is never given back") }
        return isTaken
    }

    func release() { files.give(path) }
}

package final class SimulatedFile: File, @unchecked Sendable {
    private unowned let files: SimulatedFileSystem
    package private(set) var seen: [UInt8]
    private var durable: [UInt8]

    init(_ files: SimulatedFileSystem, _ bytes: [UInt8]) {
        self.files = files
        seen = bytes
        durable = bytes
    }

    /// What is on the disk when the power is gone: of what was not synced, any pieces.
    func afterCrash(_ random: inout SeededGenerator) -> [UInt8] {
        let size = random.next() % 2 == 0 ? seen.count : durable.count
        var bytes = [UInt8](repeating: 0, count: size)
        // Three kinds of disks: all or nothing, and any mixture.
        let mood = random.next() % 3
        for start in stride(from: 0, to: size, by: 8) {
            let isNew = mood == 0 ? false : mood == 1 ? true : random.next() % 2 == 0
            let source = isNew ? seen : durable
            for index in start..<min(start + 8, size) where index < source.count {
                bytes[index] = source[index]
            }
        }
        return bytes
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileError) -> Int {
        let count = max(0, min(buffer.count, seen.count - Int(offset)))
        if count > 0 {
            seen.withUnsafeBytes { source in
                buffer.copyMemory(from: .init(rebasing: source[Int(offset)..<Int(offset) + count]))
            }
        }
        return count
    }

    package func write(_ bytes: RawSpan, at offset: Int64) throws(FileError) {
        let bytes = bytes.withUnsafeBytes { Array($0) }
        try files.step("a file") { random in
            let part = Int(random.next() % UInt64(bytes.count + 1))
            put(bytes[..<part], at: Int(offset))
        }
        put(bytes[...], at: Int(offset))
    }

    package func allocate(_ size: Int64) throws(FileError) {
        try files.step("a file")
        if seen.count < size { seen += [UInt8](repeating: 0, count: Int(size) - seen.count) }
    }

    package func truncate(_ size: Int64) throws(FileError) {
        try files.step("a file")
        if size < seen.count {
            seen.removeLast(seen.count - Int(size))
        } else {
            seen += [UInt8](repeating: 0, count: Int(size) - seen.count)
        }
    }

    package func size() throws(FileError) -> Int64 { Int64(seen.count) }

    package func sync() throws(FileError) {
        try files.step("a file")
        if files.liesAboutSync, files.random.next() % 8 == 0 { return }
        durable = seen
    }

    private func put(_ bytes: ArraySlice<UInt8>, at offset: Int) {
        let end = offset + bytes.count
        if seen.count < end { seen += [UInt8](repeating: 0, count: end - seen.count) }
        for index in 0..<bytes.count { seen[offset + index] = bytes[index] }
    }
}

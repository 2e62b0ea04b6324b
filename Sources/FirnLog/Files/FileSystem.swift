/// All that the log asks of an operating system.
///
/// All access uses this protocol, so that a store can be in memory and a test can lose, tear and refuse writes.
/// Paths are separated by `/`. A name that was created, renamed or removed is durable after `syncDirectory`; a
/// file's bytes and size are durable after `File.sync`.
public protocol FileSystem: Sendable {
    func open(_ path: String, _ access: FileAccess) throws(FileError) -> any File
    /// The kind of file at `path`, links followed; nil if there is none.
    func kind(of path: String) throws(FileError) -> FileKind?
    /// The names in a folder, in no order, without `.` and `..`.
    func list(_ directory: String) throws(FileError) -> [String]
    /// Creates a folder in a folder that is there. One that is there already is an error.
    func createDirectory(_ path: String) throws(FileError)
    /// Removes a file; one that is not there is an error.
    func remove(_ path: String) throws(FileError)
    /// Gives a file or a folder another name, in one step; a file of that name is replaced.
    func rename(_ path: String, to newPath: String) throws(FileError)
    /// Gives two files or folders each other's names, in one step. Both must be there.
    func exchange(_ path: String, with otherPath: String) throws(FileError)
    /// Makes the names in a folder durable.
    func syncDirectory(_ path: String) throws(FileError)
    /// A lock on the file at `path`, which is created if it is missing. It is not acquired yet.
    func lock(_ path: String) throws(FileError) -> any FileLock
    /// A watch on the files in a folder, which sees everything that happens from now on.
    func watch(_ directory: String) throws(FileError) -> any DirectoryWatch
    /// The name of the network file system that `path` is on; nil for a local one.
    func networkFileSystem(at path: String) throws(FileError) -> String?
}

extension FileSystem {
    /// Creates a folder unless there is one. Several programs may do so at once.
    func createMissingDirectory(_ path: String) throws(FileError) {
        guard try kind(of: path) == nil else { return }
        do throws(FileError) { try createDirectory(path) } catch {
            guard try kind(of: path) == .directory else { throw error }
        }
    }
}

/// How a file is opened.
public enum FileAccess: Hashable, Sendable {
    /// For reading; it must be there.
    case read
    /// For reading and writing; it must be there.
    case write
    /// For reading and writing; it must not be there yet.
    case create
}

/// The kind of file under a name.
public enum FileKind: Hashable, Sendable {
    case file
    case directory
    case other
}

/// An open file. It may be used from several threads, and is closed with its last reference.
public protocol File: AnyObject, Sendable {
    /// Reads into `buffer` until it is full or the file ends; returns how many bytes were read.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileError) -> Int
    /// Writes all of `bytes`; after an error any part of them may have been written.
    func write(_ bytes: RawSpan, at offset: Int64) throws(FileError)
    /// Makes the file at least `size` bytes long, with zeros, and allocates their space.
    func allocate(_ size: Int64) throws(FileError)
    /// Makes the file exactly `size` bytes long, with zeros if it grows.
    func truncate(_ size: Int64) throws(FileError)
    func size() throws(FileError) -> Int64
    /// Returns when all that was written so far is durable.
    func sync() throws(FileError)
    /// Starts writing these bytes to the disk and returns at once, so that the next `sync` waits for less. A hint only.
    func startWriting(_ count: Int, at offset: Int64)
}

extension File {
    public func startWriting(_ count: Int, at offset: Int64) {}
}

protocol ReadOnlyFile: File {
    /// The error of a write.
    var refusal: FileError { get }
}

extension ReadOnlyFile {
    func write(_ bytes: RawSpan, at offset: Int64) throws(FileError) { throw refusal }
    func allocate(_ size: Int64) throws(FileError) { throw refusal }
    func truncate(_ size: Int64) throws(FileError) { throw refusal }
    func sync() throws(FileError) {}
}

/// A lock that one holder has at a time, across threads and processes. It is released when its holder ends.
public protocol FileLock: AnyObject, Sendable {
    /// Acquires the lock. Without `waiting`, returns false if another holder has it. Throws if the file at the path was
    /// removed since.
    func acquire(waiting: Bool) throws(FileError) -> Bool
    func release()
}

/// Reports when something may have happened in a folder.
public protocol DirectoryWatch: AnyObject, Sendable {
    /// Waits until something may have happened since the last call; false after `cancel`.
    func wait() throws(FileError) -> Bool
    /// Ends the present and every later `wait`. It may be called from any thread.
    func cancel()
}

/// An operation on a file that the operating system refused.
public struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Reason: Hashable, Sendable {
        case noSpace, notPermitted, readOnly, missing, exists, notADirectory, replaced, damaged, other
    }

    /// The operation that was tried, to be read after "could not": `write it`, `list the folder`.
    public var operation: String
    public var path: String
    /// The operating system's number for what went wrong.
    public var errno: Int32
    /// The place in the file, if it is known.
    public var offset: Int64?

    public init(_ operation: String, path: String, errno: Int32, offset: Int64? = nil) {
        self.operation = operation
        self.path = path
        self.errno = errno
        self.offset = offset
    }

    public var reason: Reason { SystemCall.classify(errno) }

    /// One line: place, operation, the operating system's reason.
    public var description: String { "\(path): could not \(operation) (\(SystemCall.reason(errno)))" }
}

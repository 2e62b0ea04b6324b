/// The values of a store that are kept in files of their own, in a folder inside the log's.
///
///     Library.sqlite-log/external/
///         8c6d…64 digits          a value, named by its SHA-256
///         8c6d….77ab….tmp         one that is being written; it counts for nothing
///
/// A file is whole from the moment it has its name, and it has it durably before a record names it. What no record
/// names is left over: `LogMaintenance.collectExternalValues` removes it. To be written to with the writer's lock.
public struct ExternalValues: Sendable {
    /// The folder. It is made with the first value.
    public let directory: String
    private let logDirectory: String
    let fileSystem: any FileSystem
    /// Whether `syncNames` leaves everything durable; else the operating system decides when it is.
    public var isSynced: Bool

    init(logDirectory: String, fileSystem: any FileSystem, durability: Durability) {
        self.logDirectory = logDirectory
        directory = logDirectory + "/" + Format.externalName
        self.fileSystem = fileSystem
        isSynced = durability != .system
    }

    public func path(of reference: ExternalReference) -> String { directory + "/" + reference.fileName }

    /// Whether the file of a value is there, as large as the value.
    public func has(_ reference: ExternalReference) -> Bool {
        (try? fileSystem.open(path(of: reference), .read).size()) == Int64(reference.size)
    }

    /// Throws `damaged`, with the file's path, unless the file of a value is there, as large as the value.
    package func check(_ reference: ExternalReference) throws(LogError) {
        if !has(reference), let problem = problem(reference) { throw problem }
    }

    /// Reads a value, and checks it against its name. O(bytes). Throws `damaged`, with the file's path, if it cannot.
    package func value(of reference: ExternalReference) throws(LogError) -> [UInt8] {
        // A reference that was damaged itself may name a size that no memory has.
        try check(reference)
        var value = [UInt8](repeating: 0, count: reference.size)
        try value.withMutableBytes { target throws(LogError) in try read(reference, into: target) }
        return value
    }

    /// Keeps a value. It is durable once `syncNames` has returned. O(bytes).
    ///
    /// A damaged file of the same value is replaced.
    public func store(_ value: UnsafeRawBufferPointer) throws(LogError) -> ExternalReference {
        let reference = ExternalReference(to: value)
        if has(reference), problem(reference) == nil { return reference }
        try attempt { () throws(FileError) in
            do throws(FileError) { try write(value, reference) } catch {
                // A trim or an erasure elsewhere takes an unfinished file for one that was left.
                guard error.reason == .missing else { throw error }
                try write(value, reference)
            }
        }
        return reference
    }

    private func write(_ value: UnsafeRawBufferPointer, _ reference: ExternalReference) throws(FileError) {
        let unfinished = unfinishedPath(of: reference)
        let file = try create(unfinished)
        do throws(FileError) {
            try file.write(value.bytes, at: 0)
            try finish(file, unfinished, reference)
        } catch {
            try? fileSystem.remove(unfinished)
            throw error
        }
    }

    /// Makes the names of values durable, also of earlier ones: the process that wrote them may have ended before it
    /// did so.
    public func syncNames() throws(LogError) {
        guard isSynced else { return }
        try attempt { () throws(FileError) in try fileSystem.syncDirectory(directory) }
    }

    /// Reads a value into a buffer of its size, and checks it against its name. O(bytes).
    ///
    /// Throws `damaged`, with the file's path, if the file is missing or holds another value. The buffer's content
    /// means nothing then.
    public func read(_ reference: ExternalReference, into buffer: UnsafeMutableRawBufferPointer) throws(LogError) {
        let path = path(of: reference)
        do throws(FileError) {
            let file = try fileSystem.open(path, .read)
            let size = try file.size()
            guard size == Int64(reference.size), try file.read(into: buffer, at: 0) == reference.size else {
                throw FileError("read it", path: path, errno: 0)
            }
        } catch {
            if error.errno != 0, error.reason != .missing { throw LogError(error) }
            throw problem(reference) ?? LogError(error)
        }
        let digest = ChainValue(digestOf: UnsafeRawBufferPointer(buffer))
        if digest != reference.digest { throw otherBytes(reference, found: digest) }
    }

    /// The problem with the file of a value; nil if there is none. The file is read piece by piece. O(bytes).
    func problem(_ reference: ExternalReference) -> LogError? {
        let path = path(of: reference)
        do throws(FileError) {
            guard try fileSystem.kind(of: path) == .file else {
                return damage(reference, "A value that is kept in a file of its own is gone", "a file", "none")
            }
            let file = try fileSystem.open(path, .read)
            let size = try file.size()
            if size != Int64(reference.size) {
                return damage(
                    reference, "The file of a value has another size than the value", "\(reference.size) bytes",
                    "\(size) bytes")
            }
            let digest = try digest(of: file)
            return digest == reference.digest ? nil : otherBytes(reference, found: digest)
        } catch {
            return LogError(error)
        }
    }

    private func digest(of file: any File) throws(FileError) -> ChainValue {
        var digest = RunningDigest()
        var piece = [UInt8](repeating: 0, count: Self.pieceSize)
        var offset: Int64 = 0
        while true {
            let count = try piece.withMutableBytes { target throws(FileError) in
                try file.read(into: target, at: offset)
            }
            if count == 0 { return digest.value }
            piece.withUnsafeBytes { digest.update(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            offset += Int64(count)
        }
    }

    private func otherBytes(_ reference: ExternalReference, found: ChainValue) -> LogError {
        damage(
            reference, "The file of a value holds other bytes than were saved", "\(reference.digest)", "\(found)")
    }

    private func damage(
        _ reference: ExternalReference, _ what: String, _ expected: String, _ found: String
    ) -> LogError {
        LogError(
            .damaged, "\(what); restore the file from a backup of the store.", path: path(of: reference),
            expected: expected, found: found)
    }

    /// The names in the folder, those of unfinished files included.
    func names() throws(LogError) -> [String] {
        try attempt { () throws(FileError) in
            try fileSystem.kind(of: directory) == nil ? [] : try fileSystem.list(directory)
        }
    }

    func remove(_ names: some Sequence<String>) throws(LogError) {
        try attempt { () throws(FileError) in
            for name in names {
                // A save may have renamed its file by now.
                do throws(FileError) { try fileSystem.remove(directory + "/" + name) } catch {
                    if error.reason != .missing { throw error }
                }
            }
            try fileSystem.syncDirectory(directory)
        }
    }

    /// Copies all values into a new folder in another log's.
    func copy(to newLogDirectory: String, on other: any FileSystem) throws(LogError) {
        let names = try names().filter { !$0.hasSuffix(Format.unfinishedSuffix) }
        if names.isEmpty { return }
        let target = newLogDirectory + "/" + Format.externalName
        try attempt { () throws(FileError) in
            try other.createDirectory(target)
            for name in names.sorted() {
                try fileSystem.copyFile(directory + "/" + name, to: target + "/" + name, on: other)
            }
            try other.syncDirectory(target)
        }
    }

    func makeFolder() throws(FileError) {
        guard try fileSystem.kind(of: directory) == nil else { return }
        try fileSystem.createMissingDirectory(directory)
        if isSynced { try fileSystem.syncDirectory(logDirectory) }
    }
}

extension SegmentLog {
    /// Copies the log, with all active files of its folder, into a new folder: the same store with the same
    /// records. All of it is durable but the folder's own name.
    ///
    /// Nobody appends meanwhile, if the log is open for writing; of one that is open for reading, what another
    /// process appends meanwhile may be cut off when the copy is opened. Complexity: O(bytes).
    public func copy(to newDirectory: String, on other: any FileSystem = PosixFileSystem()) throws {
        guard isWritable else { return try copyFiles(to: newDirectory, on: other) }
        try exclusively { try copyFiles(to: newDirectory, on: other) }
    }

    /// As `copy(to:on:)`, for a caller that keeps others from appending: inside of `exclusively`.
    package func copyFiles(to newDirectory: String, on other: any FileSystem) throws(LogError) {
        let names = try attempt { () throws(FileError) in try fileSystem.list(directory) }
        let contents = LogContents(names: names)
        let wanted = names.filter { name in
            if contents.leftovers.contains(name) { return false }
            return name.hasSuffix(Format.segmentSuffix) || name.hasSuffix(Format.baselineSuffix)
                || name.hasSuffix(Format.subscriptionSuffix) || name.hasSuffix(Format.dictionarySuffix)
                || name == Format.attachmentName || name == Format.pendingErasureName
        }
        try attempt { () throws(FileError) in
            try other.createDirectory(newDirectory)
            for name in wanted.sorted() {
                try fileSystem.copyFile(directory + "/" + name, to: newDirectory + "/" + name, on: other)
            }
        }
        try externalValues.copy(to: newDirectory, on: other)
        try attempt { () throws(FileError) in try other.syncDirectory(newDirectory) }
    }

    /// Runs `body` while nobody appends to the log in the folder, damaged or not. Writers that waited for
    /// the lock meanwhile throw `replaced`, if `body` removed the folder.
    public static func withFolderLock<R>(
        directory: String, timeout: Int64? = nil, fileSystem: any FileSystem = PosixFileSystem(),
        _ body: () throws -> R
    ) throws -> R {
        let lock = try attempt { () throws(FileError) in
            try fileSystem.lock(directory + "/" + Format.lockName)
        }
        try lock.acquire(for: directory, timeout: timeout)
        defer { lock.release() }
        return try body()
    }

    /// Whether the log in the folder is a copy; nothing but its shared log may add to it.
    public var isCopy: Bool { sharedPlace != nil }

    /// Whether the folder's log, sound or not, is a copy of a shared one.
    public static func isCopy(
        directory: String, fileSystem: any FileSystem = PosixFileSystem()
    ) throws -> Bool { try sharedPlace(of: directory, fileSystem) != nil }

    /// The place of the shared log that the folder's log is a copy of; nil if it is no copy.
    static func sharedPlace(of directory: String, _ fileSystem: any FileSystem) throws(LogError) -> String? {
        let path = directory + "/" + Format.sharedPlaceName
        return try attempt { () throws(FileError) in
            guard try fileSystem.kind(of: path) != nil else { return nil }
            return String(decoding: try fileSystem.contents(of: path), as: UTF8.self)
        }
    }

    /// Stores in the folder which shared log its log is a copy of. For nil it removes the mark of a copy that was begun
    /// there.
    static func markCopy(
        of place: String?, in directory: String, _ fileSystem: any FileSystem
    ) throws(LogError) {
        if try sharedPlace(of: directory, fileSystem) == place { return }
        let path = directory + "/" + Format.sharedPlaceName
        try attempt { () throws(FileError) in
            if let place {
                try fileSystem.replaceFile(path, in: directory, with: [UInt8](place.utf8))
            } else {
                try fileSystem.remove(path)
            }
        }
    }
}

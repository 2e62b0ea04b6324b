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

    private func copyFiles(to newDirectory: String, on other: any FileSystem) throws(LogError) {
        let names = try attempt { () throws(FileError) in try fileSystem.list(directory) }
        let contents = LogContents(names: names)
        let wanted = names.filter { name in
            if contents.leftovers.contains(name) { return false }
            return name.hasSuffix(Format.segmentSuffix) || name.hasSuffix(Format.baselineSuffix)
                || name.hasSuffix(Format.subscriptionSuffix) || name.hasSuffix(Format.dictionarySuffix)
                || name == Format.attachmentName
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
        try acquire(lock, directory, timeout: timeout)
        defer { lock.release() }
        return try body()
    }
}

extension SegmentLog {
    /// Whether there is a log in the folder, sound or not.
    public static func exists(
        directory: String, fileSystem: any FileSystem = PosixFileSystem()
    ) throws -> Bool {
        guard try attempt({ () throws(FileError) in try fileSystem.kind(of: directory) }) == .directory
        else { return false }
        return try !LogContents(of: directory, fileSystem).starts.isEmpty
    }

    /// The store whose log is in the folder; nil if there is none.
    public static func storeID(
        directory: String, fileSystem: any FileSystem = PosixFileSystem()
    ) throws -> StoreID? {
        guard try exists(directory: directory, fileSystem: fileSystem),
            let last = try LogContents(of: directory, fileSystem).starts.last
        else { return nil }
        return try Segment.open(last, in: directory, storeID: nil, forWriting: false, fileSystem: fileSystem)
            .header.storeID
    }

    /// Makes a log without records in a folder that is made too, or is empty.
    ///
    /// - Parameters:
    ///   - date: in microseconds since 1970.
    ///   - sharedPlace: the place of the shared log that the new one is this machine's copy of.
    public static func create(
        directory: String, storeID: StoreID, options: LogOptions = LogOptions(),
        fileSystem: any FileSystem = PosixFileSystem(), date: Int64, sharedPlace: String? = nil
    ) throws -> SegmentLog {
        let kind = try attempt { () throws(FileError) in try fileSystem.kind(of: directory) }
        if let kind, kind != .directory { throw notADirectory(directory) }
        let lock = try lockOfNew(directory, options, fileSystem)
        defer { lock.release() }
        try refuseOtherFiles(directory, fileSystem)
        // The mark comes first: without it, a log whose file is not there yet is that of a deleted store.
        try markCopy(of: sharedPlace, in: directory, fileSystem)
        let header = SegmentHeader(
            storeID: storeID, firstSequence: 1, modelSequence: .zero, creationDate: date,
            previousDate: .min, chain: .zero)
        let segment = try attempt { () throws(FileError) in
            try Segment.create(
                header, in: directory, size: options.fileSize(), fileSystem: fileSystem)
        }
        let folder = LogFolder(
            storeID: storeID, directory: directory, options: options, fileSystem: fileSystem, fileLock: lock)
        return SegmentLog(
            folder, tail: LogTail(segment, capacity: options.fileSize()),
            contents: LogContents(names: [Format.segmentName(1)]))
    }

    /// Makes a folder and acquires its lock.
    static func lockOfNew(
        _ directory: String, _ options: LogOptions, _ fileSystem: any FileSystem
    ) throws(LogError) -> any FileLock {
        try attempt { () throws(FileError) in
            try fileSystem.createMissingDirectory(directory)
            try fileSystem.syncDirectory(parent(of: directory))
        }
        try refuseNetwork(directory, fileSystem)
        let lock = try attempt { () throws(FileError) in try fileSystem.lock(directory + "/" + Format.lockName) }
        try lock.acquire(for: directory, timeout: options.lockTimeout)
        return lock
    }

    /// Opens the log in a folder.
    ///
    /// For writing, a tail that a crash tore off is removed first, and what is left is synced. For reading,
    /// nothing is changed, and damage at the end is reported when it is read or by `LogMaintenance.verify`.
    ///
    /// - Parameters:
    ///   - atLeast: a record that is known to have been durable. A log that ends before it is damaged.
    ///   - checked: a record that is known to have been durable, up to which only the headers of frames are looked at
    ///     now, so that opening takes a tenth of the time. What was damaged since is reported when it is read, or by
    ///     `LogMaintenance.verify`.
    public static func open(
        directory: String, forWriting: Bool, atLeast: SequenceNumber = .zero, checked: SequenceNumber = .zero,
        options: LogOptions = LogOptions(), fileSystem: any FileSystem = PosixFileSystem()
    ) throws -> SegmentLog {
        try open(
            directory: directory, forWriting: forWriting, atLeast: atLeast, checked: checked, options: options,
            fileSystem: fileSystem
        ) { SegmentLog($0, tail: $1, contents: $2) }
    }

    /// As the other `open`, with a log that `make` makes of the folder.
    static func open<Log: SegmentLog>(
        directory: String, forWriting: Bool, atLeast: SequenceNumber, checked: SequenceNumber, options: LogOptions,
        fileSystem: any FileSystem, _ make: (LogFolder, LogTail, LogContents) -> Log
    ) throws -> Log {
        let kind = try attempt { () throws(FileError) in try fileSystem.kind(of: directory) }
        switch kind {
        case .directory: break
        case nil: throw LogError(.missing, "There is no log folder here.", path: directory)
        default: throw notADirectory(directory)
        }
        let contents = try LogContents(of: directory, fileSystem)
        guard let last = contents.starts.last else {
            throw LogError(.notALog, "The folder holds no segment of a log.", path: directory)
        }
        try refuseNetwork(directory, fileSystem)
        let segment = try Segment.open(
            last, in: directory, storeID: nil, forWriting: forWriting, fileSystem: fileSystem)
        let size = try attempt { () throws(FileError) in try segment.file.size() }
        let lock =
            forWriting
            ? try attempt { () throws(FileError) in
                try fileSystem.lock(directory + "/" + Format.lockName)
            } : nil
        let folder = LogFolder(
            storeID: segment.header.storeID, directory: directory, options: options, fileSystem: fileSystem,
            fileLock: lock, sharedPlace: try sharedPlace(of: directory, fileSystem))
        let log = make(folder, LogTail(segment, capacity: size), contents)
        if forWriting {
            try log.recover(atLeast: atLeast, checked: checked)
        } else {
            try log.look(atLeast: atLeast, checked: checked)
        }
        return log
    }

    private static func notADirectory(_ path: String) -> LogError {
        LogError(
            .notALog, "This is a file and not the folder of a log; move it away, or name another store.",
            path: path)
    }

    private static func refuseNetwork(
        _ directory: String, _ fileSystem: any FileSystem
    ) throws(LogError) {
        let type = try attempt { () throws(FileError) in
            try fileSystem.networkFileSystem(at: directory)
        }
        guard let type else { return }
        throw LogError(
            .networkFileSystem,
            "The log cannot be kept on the network file system \(type); put it on a local disk.",
            path: directory)
    }

    private static func refuseOtherFiles(
        _ directory: String, _ fileSystem: any FileSystem
    ) throws(LogError) {
        let names = try attempt { () throws(FileError) in try fileSystem.list(directory) }
        if names.contains(where: { Format.firstSequence(ofSegmentNamed: $0) != nil }) {
            throw LogError(.alreadyExists, "There is a log here already; open it.", path: directory)
        }
        let own = [
            Format.lockName, Format.trimLockName, Format.packLockName, Format.unfinishedName,
            Format.unfinishedBaselineName, Format.unfinishedErasureName, Format.sharedPlaceName,
            Format.sharedPlaceName + Format.unfinishedSuffix, Format.tablesName,
        ]
        if let name = names.first(where: { !own.contains($0) }) {
            throw LogError(
                .notALog, "The folder holds something else (\(name)); choose another or empty it.",
                path: directory)
        }
    }

    private static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}

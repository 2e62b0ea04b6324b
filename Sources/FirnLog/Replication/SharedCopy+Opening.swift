extension SharedCopy {
    /// Opens this machine's copy of a shared log, or makes it. A copy that exists is opened even if the server
    /// is unreachable; `Upstream.currentState` says so then.
    ///
    /// Throws `storeMismatch` if the folder holds the log of another store, `diverged` if it holds records that the
    /// shared log does not have. Nothing is written then.
    ///
    /// - Parameters:
    ///   - atLeast: as for `open`.
    ///   - progress: called with the last record here, and the last one there, while records are fetched.
    ///   - date: in microseconds since 1970.
    public static func open(
        of upstream: Upstream, directory: String, atLeast: SequenceNumber = .zero, options: LogOptions = LogOptions(),
        fileSystem: any FileSystem = PosixFileSystem(), date: Int64,
        progress: (_ here: SequenceNumber, _ there: SequenceNumber) -> Void = { _, _ in }
    ) throws -> SharedCopy {
        var options = options
        // What is acknowledged is on the server.
        options.durability = .system
        var answers = true
        do {
            if try exists(directory: directory, fileSystem: fileSystem) {
                answers = try check(directory: directory, upstream, fileSystem)
            } else {
                let source = try upstream.open(expecting: nil) ?? upstream.create()
                try create(
                    directory: directory, continuing: source, options: options, fileSystem: fileSystem, date: date,
                    sharedPlace: upstream.place
                ).close()
            }
        } catch let error as LogError where error.code == .alreadyExists {
            // Another program was faster.
            answers = try check(directory: directory, upstream, fileSystem)
        }
        try markCopy(of: upstream.place, in: directory, fileSystem)
        let log = try open(
            directory: directory, forWriting: true, atLeast: atLeast, checked: .zero, options: options,
            fileSystem: fileSystem
        ) { SharedCopy(of: upstream, $0, tail: $1, contents: $2) }
        // What is here can be read.
        guard answers else { return log }
        do {
            let end = try upstream.perform(log.storeID) { try $0.end().sequence }
            upstream.recordHead(end)
            try log.pullUpstream { progress($0, end) }
            try log.pullAttachment()
        } catch let error as LogError where error.code == .unreachable {
            // The server became unreachable meanwhile.
        } catch {
            log.close()
            throw error
        }
        return log
    }

    /// Checks that the folder's log and the shared one belong together, before anything is written. False if the
    /// server does not answer.
    private static func check(
        directory: String, _ upstream: Upstream, _ fileSystem: any FileSystem
    ) throws -> Bool {
        let place = try sharedPlace(of: directory, fileSystem)
        let log = try open(directory: directory, forWriting: false, fileSystem: fileSystem)
        defer { log.close() }
        do {
            try upstream.perform(log.storeID) { shared in
                if let divergence = try log.divergence(from: shared, endingAt: shared.end()) { throw divergence }
            }
            return true
        } catch let error as LogError where error.code == .unreachable {
            // A log that was never a copy could be anybody's.
            guard place != nil else { throw error }
            return false
        }
    }
}

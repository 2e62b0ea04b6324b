package import FirnLog
internal import FirnSQLite

extension Projection {
    /// Opens the projection at `location` and returns what must happen before it can be used. `modelSequence` is the
    /// record of the log that carries `schema.logModel`.
    ///
    /// A missing projection of an empty log is made. Otherwise nothing is written: with `.mustRebuild` call `rebuild`,
    /// with `.behind` apply the records after `checkpoint`.
    ///
    /// `head` is evaluated after the checkpoint was read. Records are appended before the tables are written, so the
    /// log then has all records that another program may have committed meanwhile.
    ///
    /// The projection may be ahead of `head`, the last record of the log, or hold another record than the log does,
    /// which `link` tells. If the log lost only records that were never known to be durable, the projection must be
    /// rebuilt. Else this throws, since durable records were lost, and a rebuild would lose them here too. It also
    /// throws `ProjectionError` for a file that cannot be a projection of this store.
    package static func open(
        _ location: ProjectionLocation, schema: StoreSchema, storeID: String,
        modelSequence: SequenceNumber, head: @autoclosure () throws -> SequenceNumber, readOnly: Bool = false,
        link: ((SequenceNumber) throws -> ChainValue?)? = nil
    ) throws -> (Projection, ProjectionState) {
        let projection = Projection(
            location, layout: schema.layout, storeID: storeID, modelSequence: modelSequence, isReadOnly: readOnly)
        let state = try projection.openConnection(head: head, link: link)
        return (projection, state)
    }

    /// Opens the tables for writing, if they are those of this model.
    package func openedForWriting() throws -> Projection {
        let (projection, state) = try openedAgain(isReadOnly: false)
        guard state == .behind || state == .ready else { throw notOpen }
        return projection
    }

    func openedAgain(isReadOnly: Bool) throws -> (Projection, ProjectionState) {
        let other = Projection(
            location, layout: layout, storeID: storeID, modelSequence: modelSequence, isReadOnly: isReadOnly)
        return (other, try other.openConnection(head: { SequenceNumber(UInt64.max) }, link: nil))
    }

    private func openConnection(
        head: () throws -> SequenceNumber, link: ((SequenceNumber) throws -> ChainValue?)?
    ) throws -> ProjectionState {
        guard case .file(let path) = location else {
            try use(Self.create(location.connectionLocation, self))
            return try head() == .zero ? .ready : .behind
        }
        switch try ProjectionFile(inspecting: path) {
        case .missing:
            guard try head() == .zero, !isReadOnly else { return .mustRebuild(.missing) }
            try use(Self.create(.file(path), self))
            return .ready
        case .otherDatabase:
            guard try Self.isEmptyDatabase(path) else { throw ProjectionFile.foreign(path) }
            return .mustRebuild(.missing)
        case .ours: break
        }
        do {
            return try openExisting(path, head: head, link: link)
        } catch let error as SQLiteError where error.isDamage || error.code == .error {
            // Damage, or tables that have our name and other columns.
            return .mustRebuild(.damaged(error.message))
        }
    }

    private func openExisting(
        _ path: String, head: () throws -> SequenceNumber, link: ((SequenceNumber) throws -> ChainValue?)?
    ) throws -> ProjectionState {
        let connection =
            try isReadOnly ? Self.configuredForReading(path) : Self.configured(.file(path), mode: .readWrite)
        if let reason = try identity.mismatch(on: connection) { return .mustRebuild(reason) }
        let known = try connection.transaction(.deferred) {
            try use(connection)
            return try ProjectionMark(connection)
        }
        let head = try head()
        let isHeld = try checkpoint <= head && (known.link == nil || known.link == link?(checkpoint) ?? known.link)
        guard isHeld else {
            session = nil
            // The power may fail between a commit here and the log's sync.
            if known.link != nil, known.durable <= head, known.durable < checkpoint {
                return .mustRebuild(.unsyncedRecordsLost(after: known.durable))
            }
            throw ProjectionError(
                .aheadOfLog,
                "the tables hold records up to \(checkpoint), but the log ends with \(head), or has different ones: "
                    + "the log has lost records; restore it from a backup or a replica. \(LostRecords.remedy(path))",
                path: path)
        }
        return checkpoint == head ? .ready : .behind
    }

    /// Makes `connection` the one that writes.
    func use(_ connection: Connection) throws {
        let session = makeSession(connection)
        try session.load()
        try applyPragmas(to: connection)
        self.session = session
        fileIdentity = location.path.flatMap(ProjectionFile.identity)
        pool.reset()
        checkpoint = session.checkpoint
    }

    /// A connection with our settings, functions and collations.
    static func configured(_ location: Connection.Location, mode: Connection.Mode) throws -> Connection {
        guard case .file(let path) = location else { return try opened(location, mode: mode) }
        return try FolderLock.opening.held(for: path) {
            let connection = try opened(location, mode: mode)
            try connection.openFiles()
            return connection
        }
    }

    /// See `configured(_:mode:)`. The caller has the folder's lock.
    static func opened(_ location: Connection.Location, mode: Connection.Mode) throws -> Connection {
        let connection = try Connection(location, mode: mode)
        try configure(connection)
        if mode == .readWrite { try useWriteAheadLog(connection) }
        return connection
    }

    /// While another program uses a file that is new, the mode stays as it is. The next program tries again.
    static func useWriteAheadLog(_ connection: Connection) throws {
        connection.setBusyTimeout(milliseconds: 100)
        defer { connection.setBusyTimeout(milliseconds: Connection.busyTimeout) }
        do {
            try connection.execute("PRAGMA journal_mode = WAL")
        } catch let error as SQLiteError where error.code == .busy {
        }
    }

    /// Opens a connection for reading the file at `path`, also where nothing can be written.
    static func configuredForReading(_ path: String) throws -> Connection {
        let connection = try ProjectionFile.connectionForReading(path)
        try configure(connection)
        return connection
    }

    private static func configure(_ connection: Connection) throws {
        try ProjectionFunctions.install(on: connection)
        try connection.execute(
            "PRAGMA temp_store = MEMORY; PRAGMA cache_size = -8000; PRAGMA synchronous = NORMAL")
    }

    /// An empty projection with its tables and indexes. The write-ahead log comes last, so that our mark is in the
    /// file itself from the start.
    private static func create(_ location: Connection.Location, _ projection: Projection) throws
        -> Connection
    {
        let connection = try configured(location, mode: .create)
        try connection.transaction(.immediate) {
            try projection.identity.mark(connection)
            for sql in projection.layout.tableDefinitions { try connection.execute(sql) }
            try projection.identity.describe(on: connection, checkpoint: .zero)
            for sql in projection.layout.indexDefinitions { try connection.execute(sql) }
        }
        try useWriteAheadLog(connection)
        return connection
    }
}

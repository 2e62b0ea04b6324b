package import FirnLog
internal import FirnSQLite

extension Projection {
    /// Opens the projection at `location` and says what must happen before it can be used.
    ///
    /// A missing projection of an empty log is made. Otherwise nothing is written: with `.mustRebuild` call
    /// `rebuild`, with `.behind` apply the records after `checkpoint`.
    ///
    /// Throws `ProjectionError` for what can be no projection of this store, or one that is ahead of `head`, the
    /// last record of the log: then records were lost, and a rebuild would lose them here too.
    package static func open(
        _ location: ProjectionLocation, layout: TableLayout, storeID: String,
        modelSequence: SequenceNumber, head: SequenceNumber, isReadOnly: Bool = false,
        renamed: [EntityNumber: [String: String]] = [:]
    ) throws -> (Projection, ProjectionState) {
        let projection = Projection(
            location, layout: layout, storeID: storeID, modelSequence: modelSequence,
            renamed: renamed, isReadOnly: isReadOnly)
        let state = try projection.openConnection(head: head)
        return (projection, state)
    }

    private func openConnection(head: SequenceNumber) throws -> ProjectionState {
        guard case .file(let path) = location else {
            try use(Self.create(.memory, self))
            return head == .zero ? .ready : .behind
        }
        switch try ProjectionFile(inspecting: path) {
        case .missing:
            guard head == .zero, !isReadOnly else { return .mustRebuild(.missing) }
            try use(Self.create(.file(path), self))
            return .ready
        case .otherDatabase:
            let connection = try Connection(.file(path), mode: .readOnly)
            let tables = try connection.integer("SELECT count(*) FROM sqlite_schema") ?? 0
            guard tables == 0 else { throw ProjectionFile.foreign(path) }
            return .mustRebuild(.missing)
        case .ours: break
        }
        do {
            return try openExisting(path, head: head)
        } catch let error as SQLiteError
            where error.code == .corrupt || error.code == .notADatabase
        {
            return .mustRebuild(.damaged(error.message))
        }
    }

    private func openExisting(_ path: String, head: SequenceNumber) throws -> ProjectionState {
        let connection = try Self.configured(
            .file(path), mode: isReadOnly ? .readOnly : .readWrite)
        let hasStore = try connection.integer(
            "SELECT count(*) FROM sqlite_schema WHERE name = 'firn_store'")
        guard hasStore == 1 else { return .mustRebuild(.missing) }
        let reason = try connection.withStatement(
            "SELECT format, store, model, layout, checkpoint FROM firn_store"
        ) { statement -> RebuildReason? in
            guard try statement.step() else { return .missing }
            let format = statement.integer(0)
            guard format == ProjectionFormat.version else { return .otherFormat(format) }
            guard statement.text(1) == storeID else { return .otherStore(statement.text(1)) }
            guard statement.integer(2) == Int64(modelSequence.rawValue),
                statement.text(3) == layout.fingerprint
            else { return .otherModel }
            return nil
        }
        if let reason { return .mustRebuild(reason) }
        try use(connection)
        guard checkpoint <= head else {
            session = nil
            throw ProjectionError(
                .aheadOfLog,
                "the projection holds records up to \(checkpoint), but the log ends at \(head): the log "
                    + "has lost records; restore it from a copy, or delete this file to go on without "
                    + "them", path: path)
        }
        return checkpoint == head ? .ready : .behind
    }

    /// Makes `connection` the one that writes.
    func use(_ connection: Connection) throws {
        let session = makeSession(connection)
        try session.load()
        self.session = session
        checkpoint = session.checkpoint
        fileIdentity = location.path.flatMap(ProjectionFile.identity)
        pool.reset()
    }

    /// A connection with our settings, functions and collations.
    static func configured(_ location: Connection.Location, mode: Connection.Mode) throws
        -> Connection
    {
        let connection = try Connection(location, mode: mode)
        connection.setBusyTimeout(milliseconds: 10_000)
        try ProjectionFunctions.install(on: connection)
        try connection.execute(
            "PRAGMA temp_store = MEMORY; PRAGMA cache_size = -8000; PRAGMA synchronous = NORMAL")
        if mode == .readWrite { try connection.execute("PRAGMA journal_mode = WAL") }
        return connection
    }

    /// An empty projection with its tables and indexes. The write-ahead log comes last, so that our mark is in the
    /// file itself from the start.
    private static func create(_ location: Connection.Location, _ projection: Projection) throws
        -> Connection
    {
        let connection = try configured(location, mode: .create)
        try connection.transaction(.immediate) {
            try projection.define(connection, definitions: projection.layout.tableDefinitions)
            for sql in projection.layout.indexDefinitions { try connection.execute(sql) }
        }
        try connection.execute("PRAGMA journal_mode = WAL")
        return connection
    }

    /// Makes the tables, with our mark and the row that says whose they are.
    func define(_ connection: Connection, definitions: [String]) throws {
        try connection.execute("PRAGMA application_id = \(ProjectionFormat.applicationID)")
        try connection.execute("PRAGMA user_version = \(ProjectionFormat.version)")
        let own = [
            ProjectionFormat.storeTable, ProjectionFormat.entityTable, ProjectionFormat.keyTable,
        ]
        for sql in own + definitions { try connection.execute(sql) }
        try connection.withStatement("INSERT INTO firn_store VALUES (1, ?1, ?2, ?3, ?4, 0)") {
            try $0.bind(ProjectionFormat.version, at: 1)
            try $0.bind(storeID, at: 2)
            try $0.bind(Int64(modelSequence.rawValue), at: 3)
            try $0.bind(layout.fingerprint, at: 4)
            try $0.run()
        }
        for entity in layout.model.entities.sorted(by: { $0.number < $1.number }) {
            try connection.withStatement("INSERT INTO firn_entities VALUES (?1, ?2, ?3, ?4)") {
                try $0.bind(Int64(entity.number.rawValue), at: 1)
                try $0.bind(entity.name, at: 2)
                if let parent = entity.parent { try $0.bind(Int64(parent.rawValue), at: 3) }
                try $0.bind(layout.known(entity.number).tableName, at: 4)
                try $0.run()
            }
        }
    }
}

internal import FirnLog
internal import FirnSQLite

/// The store, the model and the tables that a projection's file belongs to.
struct ProjectionIdentity {
    let layout: TableLayout
    let storeID: String
    let modelSequence: SequenceNumber
    /// The definitions of the tables, as text.
    let fingerprint: String

    /// Why the file of `connection` is not this projection; nil if it is.
    func mismatch(on connection: Connection) throws -> RebuildReason? {
        let hasStore = try connection.integer(
            "SELECT count(*) FROM sqlite_schema WHERE name = 'firn_store'")
        guard hasStore == 1 else { return .missing }
        return try connection.withStatement(
            "SELECT format, store, model, layout FROM firn_store"
        ) { statement in
            guard try statement.step() else { return .missing }
            let format = statement.integer(0)
            guard format == ProjectionFormat.version else { return .otherFormat(format) }
            guard statement.text(1) == storeID else { return .otherStore(statement.text(1)) }
            guard statement.integer(2) == Int64(modelSequence.rawValue),
                statement.text(3) == fingerprint
            else { return .otherModel }
            return nil
        }
    }

    /// Throws if another program migrated the store, so that the file has other tables than ours, or if another store
    /// took its place.
    func refuseOtherTables(on connection: Connection) throws {
        let found = try connection.withStatement("SELECT layout, store FROM firn_store") { statement in
            try statement.step() ? (layout: statement.text(0), store: statement.text(1)) : (layout: "", store: storeID)
        }
        guard found.store == storeID else {
            throw ProjectionError(
                .replaced, "another store took the place of this one since it was opened; open it again",
                path: connection.path)
        }
        guard found.layout == fingerprint else {
            throw ProjectionError(
                .migrated, "the store was migrated to another model meanwhile; open it again with that model",
                path: connection.path)
        }
    }

    /// Marks the file as ours, and makes the tables that every projection has.
    func mark(_ connection: Connection) throws {
        try connection.execute("PRAGMA application_id = \(ProjectionFormat.applicationID)")
        try connection.execute("PRAGMA user_version = \(ProjectionFormat.version)")
        let own = [
            ProjectionFormat.storeTable, ProjectionFormat.entityTable, ProjectionFormat.keyTable,
        ]
        for sql in own { try connection.execute(sql) }
    }

    /// Writes the identity and the checkpoint of these tables, replacing earlier ones.
    func describe(on connection: Connection, checkpoint: SequenceNumber) throws {
        let metadata = try ProjectionMetadata(connection)
        try connection.execute("DELETE FROM firn_store; DELETE FROM firn_entities")
        try connection.withStatement(
            "INSERT INTO firn_store(id, format, store, model, layout, checkpoint, description) "
                + "VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6)"
        ) {
            try $0.bind(ProjectionFormat.version, at: 1)
            try $0.bind(storeID, at: 2)
            try $0.bind(Int64(modelSequence.rawValue), at: 3)
            try $0.bind(fingerprint, at: 4)
            try $0.bind(Int64(checkpoint.rawValue), at: 5)
            try $0.bind(layout.model.encoded, at: 6)
            try $0.run()
        }
        try metadata.write(to: connection)
        for entity in layout.model.entities.sorted(by: { $0.number < $1.number }) {
            try connection.withStatement("INSERT INTO firn_entities VALUES (?1, ?2, ?3, ?4)") {
                try $0.bind(Int64(entity.number.rawValue), at: 1)
                try $0.bind(entity.name, at: 2)
                if let parent = entity.parent { try $0.bind(Int64(parent.rawValue), at: 3) }
                try $0.bind(layout.existingPlace(entity.number).tableName, at: 4)
                try $0.run()
            }
        }
    }
}

/// The application's metadata of a store, as its tables have it.
struct ProjectionMetadata {
    let bytes: [UInt8]?

    init(_ connection: Connection) throws {
        bytes = try connection.withStatement("SELECT metadata FROM firn_store") { statement -> [UInt8]? in
            guard try statement.step(), case .blob(let bytes) = statement.value(0) else { return nil }
            return bytes
        }
    }

    func write(to connection: Connection) throws {
        guard let bytes else { return }
        try connection.withStatement("UPDATE firn_store SET metadata = ?1") {
            try $0.bind(bytes, at: 1)
            try $0.run()
        }
    }
}

extension ProjectionMetadata {
    init(bytes: [UInt8]?) { self.bytes = bytes }
}

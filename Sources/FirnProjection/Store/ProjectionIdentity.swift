internal import FirnLog
internal import FirnSQLite

/// Whose projection a file is: the store, the model, the tables.
struct ProjectionIdentity {
    let layout: TableLayout
    let storeID: String
    let modelSequence: SequenceNumber
    /// What the tables are made of.
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

    /// Makes the tables, with our mark and the row that says whose they are.
    func define(on connection: Connection, tables: [String]) throws {
        try connection.execute("PRAGMA application_id = \(ProjectionFormat.applicationID)")
        try connection.execute("PRAGMA user_version = \(ProjectionFormat.version)")
        let own = [
            ProjectionFormat.storeTable, ProjectionFormat.entityTable, ProjectionFormat.keyTable,
        ]
        for sql in own + tables { try connection.execute(sql) }
        try connection.withStatement(
            "INSERT INTO firn_store(id, format, store, model, layout, checkpoint) VALUES (1, ?1, ?2, ?3, ?4, 0)"
        ) {
            try $0.bind(ProjectionFormat.version, at: 1)
            try $0.bind(storeID, at: 2)
            try $0.bind(Int64(modelSequence.rawValue), at: 3)
            try $0.bind(fingerprint, at: 4)
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

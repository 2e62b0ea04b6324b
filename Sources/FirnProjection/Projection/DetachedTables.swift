internal import Foundation
package import FirnLog
internal import FirnSQLite

/// The tables of a store in a file that was moved or copied without its log: its rows, its model and its metadata are
/// what a new log begins with.
package struct DetachedTables {
    private let path: String
    private let mark: ProjectionMark
    private let modelSequence: SequenceNumber
    package let model: LogModel
    /// The application's bytes about the store.
    package let metadata: [UInt8]?

    /// The store's UUID.
    package var store: String { mark.store }
    /// The last record that the rows hold.
    package var checkpoint: SequenceNumber { mark.checkpoint }

    /// Nil if the file is no sound projection of this format.
    package init?(path: String) {
        guard (try? ProjectionFile(inspecting: path)) == .ours,
            let tables = try? Self(path, ProjectionFile.connectionForReading(path))
        else { return nil }
        self = tables
    }

    private init?(_ path: String, _ connection: Connection) throws {
        let content = try connection.withStatement(
            "SELECT model, description FROM firn_store WHERE format = \(ProjectionFormat.version)"
        ) { statement -> (SequenceNumber, LogModel)? in
            guard try statement.step(), case .blob(let bytes) = statement.value(1),
                let model = LogModel(encoded: bytes)
            else { return nil }
            return (SequenceNumber(stored: statement.integer(0)), model)
        }
        guard let content else { return nil }
        self.path = path
        (modelSequence, model) = content
        mark = try ProjectionMark(connection)
        metadata = try ProjectionMetadata(connection).bytes
    }

    /// Makes a log with the rows in a folder that is made too. Returns the large values that the rows name, which were
    /// in the folder of the log that they came from.
    ///
    /// - Parameter date: in microseconds since 1970.
    @discardableResult
    package func makeLog(
        in directory: String, _ fileSystem: any FileSystem, date: Int64
    ) throws -> Set<ExternalReference> {
        guard let storeID = StoreID(uuidString: store) else { throw damaged("no UUID, but “\(store)”") }
        var named: Set<ExternalReference> = []
        if checkpoint == .zero {
            try SegmentLog.create(directory: directory, storeID: storeID, fileSystem: fileSystem, date: date).close()
        } else {
            let schema = try StoreSchema(model, name: path)
            let (projection, state) = try Projection.open(
                .file(path), schema: schema, storeID: store, modelSequence: modelSequence, head: checkpoint,
                readOnly: true)
            defer { projection.closeFile() }
            if case .mustRebuild(let reason) = state { throw damaged("\(reason)") }
            try projection.read { reader in
                guard try reader.checkpoint == checkpoint else { throw damaged("a program that writes it") }
                try SegmentLog.create(
                    directory: directory, storeID: storeID, after: checkpoint, link: mark.link ?? .zero, date: date,
                    model: (modelSequence, model), fileSystem: fileSystem
                ) { write in
                    try reader.baseline(model: modelSequence) { part in
                        if case .rows(let rows, _) = part { named.formUnion(rows.externalReferences) }
                        try write(part)
                    }
                }
            }
        }
        if let metadata {
            try SegmentLog.store(attachment: metadata, directory: directory, fileSystem: fileSystem)
        }
        return named
    }

    private func damaged(_ what: String) -> ProjectionError {
        ProjectionError(.damaged, "no log can be made of the file, which has \(what)", path: path)
    }
}

extension Projection {
    /// Stores what the application says of the store, so that the file alone has it too. Nothing happens while a write
    /// transaction is open, or if the tables have it.
    package func store(metadata: [UInt8]) throws {
        lock.lock()
        defer { lock.unlock() }
        guard !isWriting, !isReadOnly, let session,
            try ProjectionMetadata(session.connection).bytes != metadata
        else { return }
        pool.expire()
        try ProjectionMetadata(bytes: metadata).write(to: session.connection)
        pool.expire()
    }
}

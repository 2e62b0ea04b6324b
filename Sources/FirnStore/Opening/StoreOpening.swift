package import FirnLog
package import FirnModel
import FirnProjection
import FirnSQLite
import Foundation
import Synchronization

/// Opening a store: what is there, what has to be made, what has to be rebuilt.
///
///     log    tables   what happens
///     –      –        a new store; so is an empty file
///     yes    –        the tables are rebuilt from the log
///     yes    older    the tables catch up
///     –      yes      an error: tables without their log are never overwritten
///
/// An application's opening comes here when it is settled whether a deleted file or a missing log is a wish
/// (`MissingTables`, `MissingLog`).
package struct StoreOpening {
    package enum Place {
        case disk(String)
        /// A copy, at a path, of the shared log at an address.
        case copy(String, of: String)
        case memory(MemoryLogFiles)

        /// Nil for a store in memory.
        package var path: String? {
            switch self {
            case .disk(let path), .copy(let path, of: _): path
            case .memory: nil
            }
        }

        /// Whether others may write the log.
        package var isShared: Bool {
            if case .memory(let files) = self { files.isShared } else { true }
        }

        /// The folder of the log on disk.
        package var logDirectory: String? { path.map { $0 + "-log" } }
    }

    package let place: Place
    package let isReadOnly: Bool
    package let durability: Durability
    package let model: NSManagedObjectModel
    package let entities: [NSEntityDescription]
    package var migration = MigrationOptions()
    /// The metadata of a record that a migration writes.
    package var metadata: [String: String] = [:]
    package var progress: (@Sendable (Double) -> Void)?

    /// How long to wait for another program that writes, in microseconds; nil for as long as that takes.
    package var lockTimeout: Int64?
    /// The store's name in errors; nil for its path.
    package var name: String?
    package var engineOptions = EngineOptions()
    /// The file system of the log, unless the store is in memory.
    package var diskFileSystem: any FileSystem = PosixFileSystem()

    private let attemptsMax = 3

    package init(
        place: Place, isReadOnly: Bool, durability: Durability, model: NSManagedObjectModel,
        entities: [NSEntityDescription], migration: MigrationOptions = MigrationOptions(),
        progress: (@Sendable (Double) -> Void)? = nil, lockTimeout: Int64? = nil, name: String? = nil,
        engineOptions: EngineOptions = EngineOptions(), diskFileSystem: any FileSystem = PosixFileSystem()
    ) {
        self.place = place
        self.isReadOnly = isReadOnly
        self.durability = durability
        self.model = model
        self.entities = entities
        self.migration = migration
        self.progress = progress
        self.lockTimeout = lockTimeout
        self.name = name
        self.engineOptions = engineOptions
        self.diskFileSystem = diskFileSystem
    }

    /// Nil for a store in memory.
    private var path: String? { place.path }
    private var sharedAddress: String? {
        switch place {
        case .copy(_, let address): address
        case .disk(let path): SharedLogs.everywhere.withLock { $0 }.address?(path)
        case .memory: nil
        }
    }
    private var fileSystem: any FileSystem {
        if case .memory(let files) = place { files.fileSystem } else { diskFileSystem }
    }
    private var directory: String { place.logDirectory ?? Self.memoryDirectory }
    /// Where a log in memory is in its file system.
    package static let memoryDirectory = "/memory-log"

    /// Opens the store, or makes it. An opening that fails or is killed may leave an empty file and a log without
    /// objects, which the next one uses. It removes nothing, since another program may be opening the store too.
    package func open() throws -> StoreEngine {
        if case .memory(let files) = place, let tables = files.removeTables(for: model) { return try open(tables) }
        let log = try openLog()
        do {
            // Of several programs that open a store with a new model at once, one migrates it.
            for _ in 0..<attemptsMax {
                do {
                    return try openEngine(log)
                } catch let error as ProjectionError where error.code == .migrated {
                    try log.refresh()
                }
            }
            return try openEngine(log)
        } catch {
            log.close()
            throw error
        }
    }

    /// Opens a copy in memory with the tables that were copied with its log.
    private func open(_ tables: CopiedTables) throws -> StoreEngine {
        var options = LogOptions()
        (options.durability, options.lockTimeout) = (durability, lockTimeout)
        let checkpoint = tables.projection.checkpoint
        let log = try SegmentLog.open(
            directory: directory, forWriting: true, atLeast: checkpoint, checked: checkpoint, options: options,
            fileSystem: fileSystem)
        let engine = StoreEngine(
            log: log, projection: tables.projection, schema: tables.schema, modelSequence: tables.modelSequence,
            isShared: place.isShared, options: engineOptions, forkPoint: log.head)
        try engine.refresh()
        try engine.endErasure(header)
        return engine
    }

    private func openLog() throws -> SegmentLog {
        let fileSystem = fileSystem
        var options = LogOptions()
        options.durability = durability
        options.lockTimeout = lockTimeout
        if let sharedAddress, !isReadOnly { return try openCopy(of: sharedAddress, options) }
        if try SegmentLog.exists(directory: directory, fileSystem: fileSystem) {
            let durable = durableThrough
            return try SegmentLog.open(
                directory: directory, forWriting: !isReadOnly, atLeast: durable, checked: durable, options: options,
                fileSystem: fileSystem)
        }
        if let path {
            try Self.refuseForeignFile(path)
            guard !isReadOnly else {
                throw CoreDataError.make(
                    .persistentStoreOpen, "there is no store at \(path): open it for writing to make one",
                    [NSFilePathErrorKey: path])
            }
        }
        if case .disk(let path) = place {
            try StoreFiles(URL(fileURLWithPath: path), fileSystem: fileSystem).reserve()
        }
        do {
            return try SegmentLog.create(
                directory: directory, storeID: .random(), options: options, fileSystem: fileSystem,
                date: SystemClock.now())
        } catch let error as LogError where error.code == .alreadyExists {
            // Another program was faster.
            return try SegmentLog.open(
                directory: directory, forWriting: true, options: options, fileSystem: fileSystem)
        }
    }

    /// A store that is opened for reading only asks nobody, and shows what this machine has.
    private func openCopy(of address: String, _ options: LogOptions) throws -> SegmentLog {
        if let path, try !SegmentLog.exists(directory: directory, fileSystem: fileSystem) {
            try Self.refuseForeignFile(path)
        }
        return try SharedCopy.open(
            of: Upstream(address), directory: directory, atLeast: durableThrough, options: options,
            fileSystem: fileSystem, date: SystemClock.now()
        ) { here, there in
            progress?(Double(here.rawValue) / Double(max(there.rawValue, 1)))
        }
    }

    /// The tables remember what was durable: a log that ends before is damaged, not torn.
    private var durableThrough: SequenceNumber {
        guard let path else { return .zero }
        return ProjectionMark.durable(path: path, logDirectory: directory, fileSystem: fileSystem)
    }

    /// Something without a log is at the store's place: it is not ours, so it stays as it is.
    static func refuseForeignFile(_ path: String) throws {
        try refuseDanglingLink(path)
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory), !StoreFiles.isEmptyFile(path)
        else { return }
        let what = isDirectory.boolValue ? "a folder" : "a file without a log"
        throw CoreDataError.make(
            .persistentStoreOpen,
            "\(path) is \(what): choose another path, put \(path)-log back, or import it if another program wrote it",
            [NSFilePathErrorKey: path])
    }

    private func openEngine(_ log: SegmentLog) throws -> StoreEngine {
        guard let known = try log.currentModel else {
            let schema = StoreSchema(model: model, entities: entities)
            return try openEngine(log, schema, try record(schema.logModel, in: log))
        }
        let schema = StoreSchema(model: model, entities: entities, previous: known.model)
        if schema.logModel.isSame(as: known.model) {
            return try openEngine(log, schema, known.sequence)
        }
        let stored = try StoreSchema(known.model, name: "\(directory), record \(known.sequence)")
        // A store of all entities stays one, whatever configuration it is opened with.
        let isWhole = entities.count < model.entities.count && ModelChange.holdsAll(stored.entities, of: model)
        let whole = isWhole ? StoreSchema(model: model, entities: model.entities, previous: known.model) : nil
        if let whole, whole.logModel.isSame(as: known.model) { return try openEngine(log, whole, known.sequence) }
        let change = ModelChange(
            from: stored, to: model, entities: isWhole ? model.entities : entities, known)
        if isReadOnly {
            if migration.reusesTables(change) { return try openEngine(log, change.schema, known.sequence) }
            throw change.incompatible(name ?? path ?? "memory", "open it for writing once, so that it can be migrated")
        }
        guard path != nil || migration.reusesTables(change) else {
            throw change.incompatible(name ?? "memory", "use the model of the coordinator that added it first")
        }
        let mapping = migration.mappingModel(for: change)
        if mapping == nil { try change.check(migration, path: name ?? path ?? "memory") }
        let old = try openEngine(log, stored, known.sequence)
        var work = StoreMigration(
            old, change, header: header, mapping: mapping, options: migration, progress: progress)
        let sequence = try work.run()
        return try openEngine(log, change.schema, sequence)
    }

    private func openEngine(
        _ log: SegmentLog, _ schema: StoreSchema, _ modelSequence: SequenceNumber
    ) throws -> StoreEngine {
        let (projection, state) = try openProjection(log, schema, modelSequence)
        if case .mustRebuild(let reason) = state { try rebuild(projection, log, reason) }
        if state == .behind, projection.checkpoint < log.baseline { try rebuild(projection, log, .trimmed) }
        // A log that was copied into memory may have records of older models.
        if state == .behind, path == nil, try log.currentModel?.model.migration != nil {
            try rebuild(projection, log, .missing)
        }
        let engine = StoreEngine(
            log: log, projection: projection, schema: schema, modelSequence: modelSequence, isShared: place.isShared,
            options: engineOptions)
        if !isReadOnly {
            try engine.refresh()
            try engine.endErasure(header)
            if path != nil { ClosedTables(logDirectory: directory).discard(after: projection.checkpoint) }
            // Metadata may have been set while the store was closed.
            if path != nil, let metadata = try log.attachment() { try? projection.store(metadata: metadata) }
        }
        engine.history?.schedule()
        return engine
    }

    /// The log carries the model under which its change sets are written: a new store's comes first.
    private func record(_ model: LogModel, in log: SegmentLog) throws -> SequenceNumber {
        try log.exclusively {
            if let now = try log.currentModel {
                if now.model.isSame(as: model) { return now.sequence }
                throw ProjectionError(.migrated, "another program made the store meanwhile; open it again", path: path)
            }
            let sequence = try log.append(.model(model), header: header)
            try log.acknowledge(through: sequence)
            return sequence
        }
    }

    private var header: TransactionHeader {
        var header = TransactionHeader.ofProcess(date: SystemClock.now())
        header.metadata = metadata
        return header
    }
}

import FirnLog
import FirnModel
import FirnProjection
import FirnRuntime
import FirnSQLite
public import FirnStore
import Foundation
import Synchronization

/// The stages that lead a store through versions of its model before it is opened, if its options name some.
protocol OpeningStages: StagedMigrating {
    /// Whether a stage does more than an inferred migration.
    var hasHandlers: Bool { get }
    func run(
        on url: URL, at place: StoreOpening.Place, configuration: String, options: [AnyHashable: Any],
        model: NSManagedObjectModel
    ) throws
}

/// The store that this package is about: a change log, and tables that are a projection of it. This one is on disk,
/// unless it is at `/dev/null`; `InMemoryStore` is the same engine in memory.
class LoggedStore: NSPersistentStore {
    private(set) var engine: StoreEngine!
    /// The metadata, of which `values` is what the application added.
    private let added = Mutex(Added())

    private struct Added: @unchecked Sendable {
        var standard: [String: Any] = [:]
        var values: [String: Any] = [:]
    }

    override var type: String { NSSQLiteStoreType }
    package override var historyEngine: StoreEngine? { engine }
    /// The files in memory that have the log; nil for a store on disk. A copy may be put there before the store is
    /// opened.
    var memoryFiles: MemoryLogFiles? { nullDeviceFiles }
    private lazy var nullDeviceFiles = NullDevice.holds(url) ? url.map(NullDevice.files) : nil
    final var isInMemory: Bool { memoryFiles != nil }

    /// Where the log and the tables are.
    final var opening: StoreOpening.Place {
        if let memoryFiles { return .memory(memoryFiles) }
        guard let url, !url.isFileURL else { return .disk(url?.path ?? "") }
        return .copy(LocalCopy.url(options ?? [:])?.path ?? "", of: url.absoluteString)
    }

    /// The store's metadata, which is written with the next save. The store's own keys stay as they are.
    override var metadata: [String: Any]! {
        get { added.withLock { $0.values.merging($0.standard) { $1 } } }
        set {
            let values = StoreMetadata.additions(in: newValue ?? [:])
            added.withLock { $0.values = values }
            hasUnsavedMetadata = true
        }
    }

    /// Opens the log, making it if there is none, and brings the tables up to date.
    override func open(model: NSManagedObjectModel, entities: [NSEntityDescription]) throws {
        let path = placeName
        if case .copy = opening, let url { try SharedStore(url, options).checkLocalCopy() }
        var logFiles = LogFileSystem.of(options)
        if case .disk(let path) = opening {
            let files = FileAndLog(path, options)
            if !isReadOnly { try files.resolve() } else if let memory = try files.logForReading() { logFiles = memory }
        }
        if !isInMemory, !isReadOnly, let url {
            var options = options ?? [:]
            let stages = StoreOptions.stages.value(in: options)
            options[StoreOptions.stages.key] = nil
            try (stages as? any OpeningStages)?.run(
                on: url, at: opening, configuration: configurationName, options: options, model: model)
        }
        do {
            let opened = try StoreOpening(
                place: opening, isReadOnly: isReadOnly, durability: Durability(options: options), model: model,
                entities: entities, migration: MigrationOptions(options), progress: OpeningProgress.of(options),
                lockTimeout: lockTimeout, engineOptions: EngineOptions(options), diskFileSystem: logFiles
            ).open()
            try finishMigration(opened)
            let values = try StoreMetadata.decoded(opened.log.attachment(), path: path)
            try TableOptions(options).apply(to: opened.projection, isReadOnly: isReadOnly)
            engine = opened
            tables = StoreReader(opened, of: self)
            identifier = opened.log.storeID.uuidString
            let standard = StoreMetadata.standard(
                identifier: identifier, type: type, model: model, entities: entities,
                isUnfinished: try opened.projection.deferredIndexCount() > 0)
            added.withLock { $0 = Added(standard: standard, values: values) }
        } catch {
            throw StoreError.opening(error, path: path)
        }
        identity = StoreIdentity(identifier: identifier, store: self)
        listen()
        if engine.copy != nil { engine.watch(.server) }
        if postsRemoteChanges { startWatching() }
    }

    /// Finishes what a migration left to do once the store is open.
    private func finishMigration(_ opened: StoreEngine) throws {
        guard !isReadOnly, !isInMemory, try opened.isDerivationDue else { return }
        try opened.computeDerivations()
    }

    /// Does one task that a deferred migration left. False if there is none.
    func finishDeferredTask() throws -> Bool {
        if isReadOnly { return false }
        do {
            let isDone = try engine.exclusively { _ in try engine.projection.makeDeferredIndex() }
            if try engine.projection.deferredIndexCount() == 0 {
                added.withLock { $0.standard[NSPersistentStoreDeferredLightweightMigrationOptionKey] = nil }
            }
            return isDone
        } catch {
            throw StoreError.saving(error, path: placeName)
        }
    }

    /// Opens the copy of this store that is at another place, and continues with it. False if there is none.
    override func move(to url: URL, model: NSManagedObjectModel, entities: [NSEntityDescription]) -> Bool {
        let place = StoreOpening.Place.disk(url.path)
        guard !isInMemory, self.url?.isFileURL == true, StoreFiles(url).hasLog,
            let opened = try? StoreOpening(
                place: place, isReadOnly: isReadOnly, durability: Durability(options: options), model: model,
                entities: entities, migration: MigrationOptions(options), lockTimeout: lockTimeout,
                engineOptions: EngineOptions(options), diskFileSystem: LogFileSystem.of(options)
            ).open()
        else { return false }
        guard opened.log.storeID == engine.log.storeID else {
            opened.close()
            return false
        }
        let old = engine
        engine = opened
        tables = StoreReader(opened, of: self)
        self.url = url
        listen()
        if old?.feed.isWatching(.folder) == true { startWatching() }
        old?.close()
        old?.rowCache.removeAll()
        return true
    }

    private var lockTimeout: Int64? { StoreOptions.lockTimeout(in: options) }

    /// Hears of what others write, and tells the coordinator, which may be told on any thread.
    private func listen() {
        engine.feed.subscribe { [store = Transferred(WeakReference(self))] news in
            switch news {
            case .gap: if let store = store.value.object { store.persistentStoreCoordinator?.historyGap(of: store) }
            case .records(let records):
                guard let store = store.value.object else { return }
                store.persistentStoreCoordinator?.remoteRecords(records, in: store)
            case .growth, .end: break
            }
        }
    }

    override func dequeueMetadata() throws -> [UInt8]? {
        guard hasUnsavedMetadata else { return nil }
        hasUnsavedMetadata = false
        do {
            return try StoreMetadata.encoded(StoreMetadata.additions(in: metadata), path: placeName)
        } catch {
            hasUnsavedMetadata = true
            throw error
        }
    }

    override func saveMetadata(in context: NSManagedObjectContext, isEmpty: Bool) throws {
        guard let engine = tables?.engine, let metadata = try dequeueMetadata() else { return }
        do {
            var transaction = Transaction(
                context.transactionHeader(engine), ChangeSet(model: engine.modelSequence))
            transaction.metadata = metadata
            _ = try engine.commit(engine.prepare(transaction))
        } catch {
            hasUnsavedMetadata = true
            throw StoreError.saving(error, path: placeName)
        }
    }

    override class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
        try StoredMetadata(url: url.standardizedFileURL).read()
    }

    override class func setMetadata(_ metadata: [String: Any]?, forPersistentStoreAt url: URL) throws {
        try StoredMetadata(url: url.standardizedFileURL).write(metadata ?? [:])
    }

    override class func destroyStore(at url: URL, options: [AnyHashable: Any]?) throws {
        let isForced = StoreOptions.isDestroyedByForce.isSet(in: options)
        guard url.isFileURL else { return try SharedStore(url, options).destroy(isForced: isForced) }
        if NullDevice.holds(url) { return NullDevice.discard(url) }
        try StorePlace.refuseDevice(url)
        do {
            try StoreFiles(url, fileSystem: LogFileSystem.of(options)).empty(isForced: isForced)
        } catch {
            throw StoreError.opening(error, path: url.path)
        }
    }

    override class func replaceStore(
        at destination: URL, with source: URL, options: [AnyHashable: Any]?, closing close: () throws -> Void
    ) throws {
        try StoreReplacement(of: destination, with: source, fileSystem: LogFileSystem.of(options))
            .run(closing: close)
    }

    /// From now on, saves of other processes are noticed when they happen. Idempotent.
    override func startWatching() {
        if memoryFiles?.isShared ?? true { engine?.watch() }
    }

    override func saving(_ change: ObjectChange, in context: NSManagedObjectContext) -> any StoreSaving {
        SaveOperation(change, context: context, store: self, engine: engine)
    }

    override func willRemove(from coordinator: NSPersistentStoreCoordinator?) {
        engine?.close()
        nullDeviceFiles = nil
    }

    deinit { engine?.close() }
}

extension NSPersistentStore {
    /// The state of the store's shared log as this machine knows it, without asking anybody; nil for a store that has
    /// none. While the server is away, fetches show the state after `head`, and saves fail. Ours, not Apple's.
    public var sharedLogState: SharedLogState? {
        tables?.engine.flatMap { SharedLogState($0.log) }
    }
}

/// A logged store whose log and tables are in memory: all is gone when it is closed. Its URL is only a label.
final class InMemoryStore: LoggedStore {
    private lazy var files = NullDevice.unregister(url) ?? MemoryLogFiles()

    override var type: String { NSInMemoryStoreType }
    override var memoryFiles: MemoryLogFiles? { files }

    override class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
        throw unsupported("have metadata when it is not open", url)
    }

    override class func setMetadata(_ metadata: [String: Any]?, forPersistentStoreAt url: URL) throws {
        throw unsupported("have metadata when it is not open", url)
    }

    override class func destroyStore(at url: URL, options: [AnyHashable: Any]?) {}

    override class func replaceStore(
        at destination: URL, with source: URL, options: [AnyHashable: Any]?, closing close: () throws -> Void
    ) throws {
        throw unsupported("be replaced: it has no file of its own", destination)
    }
}

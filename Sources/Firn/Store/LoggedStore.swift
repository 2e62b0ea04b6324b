import FirnLog
import FirnModel
import FirnProjection
import FirnSQLite
import Foundation
import Synchronization

/// The store that this package is about: a change log, and tables that are a projection of it. On disk (`SQLite`)
/// or in memory (`InMemory`), the same engine.
final class LoggedStore: NSPersistentStore, @unchecked Sendable {
    private let storeType: String
    private let logDirectory: String
    private var watcher: RecordWatcher?
    private(set) var engine: StoreEngine!

    override var type: String { storeType }

    init(
        type: String, coordinator: NSPersistentStoreCoordinator, configurationName: String?, url: URL,
        options: [AnyHashable: Any]?
    ) {
        storeType = type
        logDirectory = Self.logDirectory(of: url)
        super.init(
            persistentStoreCoordinator: coordinator, configurationName: configurationName, at: url,
            options: options)
    }

    required init(
        persistentStoreCoordinator root: NSPersistentStoreCoordinator?, configurationName name: String?,
        at url: URL, options: [AnyHashable: Any]? = nil
    ) {
        preconditionFailure("stores of this type are made by addPersistentStore")
    }

    /// `Library.sqlite` has its log in `Library.sqlite-log`.
    static func logDirectory(of url: URL) -> String { url.path + "-log" }

    static func isThere(_ url: URL) -> Bool {
        [url.path, logDirectory(of: url)].contains { FileManager.default.fileExists(atPath: $0) }
    }

    /// Removes a store that nobody has open.
    static func removeFiles(_ url: URL) {
        for suffix in ["", "-wal", "-shm", "-log"] { try? FileManager.default.removeItem(atPath: url.path + suffix) }
    }

    /// Opens the log, making it if there is none, and brings the tables up to date.
    func open(model: NSManagedObjectModel, entities: [NSEntityDescription]) throws {
        do {
            let opened = try StoreOpening(
                path: storeType == NSInMemoryStoreType ? nil : url!.path, isReadOnly: isReadOnly,
                durability: Durability(options: options), model: model, entities: entities,
                migration: MigrationOptions(options)
            ).open()
            engine = opened
            backend = opened
        } catch {
            throw StoreError.opening(error, path: url?.path ?? "memory")
        }
        identifier = engine.log.storeID.uuidString
        identity = StoreIdentity(identifier: identifier, store: self)
        metadata = [
            NSStoreUUIDKey: identifier as Any, NSStoreTypeKey: storeType,
            NSStoreModelVersionHashesKey: model.entityVersionHashesByName,
            NSStoreModelVersionIdentifiersKey: Array(model.versionIdentifiers),
        ]
        engine.onForeignRecords.withLock { handler in
            handler = { [weak self] records in self?.foreignRecords(records) }
        }
        engine.onLostTrack.withLock { handler in
            handler = { [weak self] in
                guard let self else { return }
                persistentStoreCoordinator?.lostTrack(of: self)
            }
        }
        if (options?[NSPersistentStoreRemoteChangeNotificationPostOptionKey] as? NSNumber)?.boolValue == true {
            startWatching()
        }
    }

    /// From now on, saves of other processes are noticed when they happen. Idempotent.
    func startWatching() {
        guard watcher == nil, storeType != NSInMemoryStoreType, let engine else { return }
        watcher = RecordWatcher(engine: engine)
    }

    private func foreignRecords(_ records: [LogRecord]) {
        guard let coordinator = persistentStoreCoordinator else { return }
        coordinator.foreignRecords(records, in: self)
    }

    override func willRemove(from coordinator: NSPersistentStoreCoordinator?) {
        watcher?.stop()
        watcher = nil
        engine?.close()
    }

    deinit {
        watcher?.stop()
        engine?.close()
    }
}

#if SwiftData
import Firn
import FirnFoundation
import class FirnFoundation.NSPredicate
import FirnModel
import Foundation

/// The folder of the copy on which a stage works, next to the store.
///
/// The copy takes the store's place when the stage is done: whatever ends it before, the store is as it was. One
/// process has the folder at a time. The next one removes what a process left that was killed.
struct MigrationFolder {
    private let url: URL

    /// Calls `body` while no other process migrates the store.
    static func held(for store: URL, _ body: (MigrationFolder) throws -> Void) throws {
        let url = store.deletingLastPathComponent().appendingPathComponent(".migration-\(store.lastPathComponent)")
        let lock = try lock(url)
        defer { close(lock) }
        for file in try FileManager.default.contentsOfDirectory(at: url, includingPropertiesForKeys: nil) {
            try FileManager.default.removeItem(at: file)
        }
        defer { try? FileManager.default.removeItem(at: url) }
        try body(MigrationFolder(url: url))
    }

    /// A lock of the system, which ends with the process. Where a folder cannot be locked, nothing waits.
    private static func lock(_ url: URL) throws -> Int32 {
        while true {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
            let file = open(url.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            if file < 0, errno == ENOENT { continue }
            guard file >= 0 else { throw CocoaError(.fileReadUnknown, userInfo: [NSFilePathErrorKey: url.path]) }
            while flock(file, LOCK_EX) != 0, errno == EINTR {}
            // The process that had the folder removes it at the end.
            var (own, current) = (stat(), stat())
            if fstat(file, &own) == 0, stat(url.path, &current) == 0, own.st_ino == current.st_ino { return file }
            close(file)
        }
    }

    /// Calls `work` with a copy of a store, which then takes the store's place. Containers of the copy, and with them
    /// the files, are to be closed when `work` returns.
    func replace(_ store: ModelConfiguration, _ work: (_ copy: ModelConfiguration) throws -> Void) throws {
        // In a folder of its own: who opens a file locks the folder that it is in.
        let folder = url.appendingPathComponent("copy")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var copy = ModelConfiguration(store.name, url: folder.appendingPathComponent(store.url.lastPathComponent))
        copy.missingTables = store.missingTables
        copy.missingLog = store.missingLog
        copy.historyTables = store.historyTables
        let files = NSPersistentStoreCoordinator(managedObjectModel: NSManagedObjectModel())
        try files.replacePersistentStore(at: copy.url, withPersistentStoreFrom: store.url, ofType: NSSQLiteStoreType)
        try work(copy)
        try files.replacePersistentStore(at: store.url, withPersistentStoreFrom: copy.url, ofType: NSSQLiteStoreType)
    }
}

extension ModelContext {
    /// The model of this context that a migration made of a model of the version before; nil if there is none. Ours,
    /// not Apple's: for stages of `MigrationStage.sideBySide`.
    public final func counterpart<New: PersistentModel>(
        of model: any PersistentModel, as type: New.Type
    ) throws -> New? {
        let old = model.persistentModelID
        let entity = ModelShape.of(type).entityName
        guard let url = URL(string: old.id.uri), let store = old.storeIdentifier,
            let uri = URL(string: "x-coredata://\(store)/\(entity)/\(url.lastPathComponent)"),
            let id = container.coordinator.managedObjectID(forURIRepresentation: uri)
        else { return nil }
        let request = NSFetchRequest<ModelObject>(entityName: entity)
        request.predicate = NSPredicate(format: "SELF == %@", id)
        return try managed.fetch(request).first.flatMap { self.model(of: $0) as? New }
    }
}
#endif

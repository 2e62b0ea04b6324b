#if SwiftData
import Firn
import FirnFoundation
import class FirnFoundation.NSPredicate
import FirnModel
import Foundation

/// A stage that has a store as it was and as it will be at the same time.
///
/// A copy of the store is migrated and worked on, and takes the store's place at the end.
struct SideBySideMigration {
    private let configuration: ModelConfiguration
    private let from: any VersionedSchema.Type
    private let to: any VersionedSchema.Type
    private let copy: URL

    init(_ configuration: ModelConfiguration, from: any VersionedSchema.Type, to: any VersionedSchema.Type) {
        self.configuration = configuration
        self.from = from
        self.to = to
        let folder = configuration.url.deletingLastPathComponent()
        copy = folder.appendingPathComponent(".migration-\(UUID().uuidString)/\(configuration.url.lastPathComponent)")
    }

    func run(_ migrate: (_ old: ModelContext, _ new: ModelContext) throws -> Void) throws {
        let folder = copy.deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = NSPersistentStoreCoordinator(managedObjectModel: NSManagedObjectModel())
        try files.replacePersistentStore(
            at: copy, withPersistentStoreFrom: configuration.url, ofType: NSSQLiteStoreType)
        try work(migrate)
        try files.replacePersistentStore(
            at: configuration.url, withPersistentStoreFrom: copy, ofType: NSSQLiteStoreType)
    }

    /// The containers, and with them the files, are closed when this returns.
    private func work(_ migrate: (_ old: ModelContext, _ new: ModelContext) throws -> Void) throws {
        let old = ModelContext(
            try ModelContainer(
                for: Schema(versionedSchema: from),
                configurations: [ModelConfiguration(configuration.name, url: configuration.url, allowsSave: false)]))
        let new = ModelContext(
            try ModelContainer(
                for: Schema(versionedSchema: to), configurations: [ModelConfiguration(configuration.name, url: copy)]))
        try migrate(old, new)
        if new.hasChanges { try new.save() }
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

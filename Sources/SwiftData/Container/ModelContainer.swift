#if SwiftData
package import Firn
import FirnModel
import FirnRuntime
import Foundation
import Synchronization

/// The stores of a schema's models. Unchecked as it may be subclassed: its properties are constant or have locks.
///
/// https://developer.apple.com/documentation/swiftdata/modelcontainer
public class ModelContainer: Equatable, @unchecked Sendable {
    /// The models.
    public final let schema: Schema
    /// How older stores are brought up to date; nil for automatic migration alone.
    public final let migrationPlan: (any SchemaMigrationPlan.Type)?
    /// Where the models are.
    public final let configurations: Set<ModelConfiguration>

    /// Core Data's side of the container: contexts made with it share the stores. Ours, not Apple's.
    package final let coordinator: NSPersistentStoreCoordinator
    /// The data stores that are not this module's.
    final let adapters: [DataStoreAdapter]
    private final let storeIdentifiers: [String: String]
    final let siblings: SiblingContexts
    private final let remoteChanges: RemoteChangePosting
    final let types: [String: any PersistentModel.Type]
    /// Transferred: the context is handed out on the main actor only.
    private final let main = Mutex<Transferred<MainContext>?>(nil)

    private struct MainContext {
        let context: WeakReference<ModelContext>
        /// Nil in the container that the context itself keeps.
        let kept: ModelContext?
    }

    /// Opens the stores of these models and of those that they are related to, making them where there are none.
    public convenience init(
        for forTypes: any PersistentModel.Type..., migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
        configurations: ModelConfiguration...
    ) throws {
        try self.init(for: Schema(forTypes), migrationPlan: migrationPlan, configurations: configurations)
    }

    /// Opens the stores of a schema, making them where there are none.
    public convenience init(
        for givenSchema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
        configurations: ModelConfiguration...
    ) throws {
        try self.init(for: givenSchema, migrationPlan: migrationPlan, configurations: configurations)
    }

    /// Opens the stores of a schema, making them where there are none.
    public convenience init(
        for givenSchema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
        configurations: [ModelConfiguration]
    ) throws {
        let configurations = configurations.isEmpty ? [ModelConfiguration(schema: givenSchema)] : configurations
        if let migrationPlan {
            try ContainerOpening(schema: givenSchema, configurations: configurations).validate()
            for configuration in configurations {
                let part = configurations.count > 1 ? configuration.schema : nil
                try MigrationRun(plan: migrationPlan, configuration: configuration, target: givenSchema, part: part)
                    .run()
            }
        }
        try self.init(givenSchema, migrationPlan, configurations)
    }

    /// Opens the stores of these models, stores of one's own among them.
    @_disfavoredOverload
    public convenience init(
        for forTypes: any PersistentModel.Type..., configurations: any DataStoreConfiguration...
    ) throws {
        try self.init(for: Schema(forTypes), configurations: configurations)
    }

    /// Opens the stores of a schema, stores of one's own among them.
    ///
    /// Throws the error of a configuration that is invalid, and `loadIssueModelContainer` with the error of a store
    /// that cannot be opened.
    @_disfavoredOverload
    public convenience init(for givenSchema: Schema, configurations: [any DataStoreConfiguration]) throws {
        try self.init(
            givenSchema, nil, configurations.isEmpty ? [ModelConfiguration(schema: givenSchema)] : configurations)
    }

    private init(
        _ schema: Schema, _ migrationPlan: (any SchemaMigrationPlan.Type)?,
        _ configurations: [any DataStoreConfiguration]
    ) throws {
        self.schema = schema
        self.migrationPlan = migrationPlan
        self.configurations = Set(configurations.compactMap { $0 as? ModelConfiguration })
        types = Dictionary(schema.types.map { (String(describing: $0), $0) }) { first, _ in first }
        let opening = ContainerOpening(schema: schema, configurations: configurations)
        try opening.validate()
        let opened = try opening.open()
        coordinator = opened.coordinator
        adapters = opened.adapters
        storeIdentifiers = opened.identifiers
        (siblings, remoteChanges) = (SiblingContexts(), RemoteChangePosting())
        start()
    }

    /// A container of the same models on the stores of another coordinator.
    init(_ other: ModelContainer, on coordinator: NSPersistentStoreCoordinator) {
        schema = other.schema
        migrationPlan = other.migrationPlan
        configurations = other.configurations
        types = other.types
        self.coordinator = coordinator
        adapters = []
        storeIdentifiers = other.storeIdentifiers
        (siblings, remoteChanges) = (SiblingContexts(), RemoteChangePosting())
        start()
    }

    /// Another reference to a container, for its main context to keep: container and context may not keep each other.
    private init(again other: ModelContainer) {
        schema = other.schema
        migrationPlan = other.migrationPlan
        configurations = other.configurations
        types = other.types
        coordinator = other.coordinator
        adapters = other.adapters
        storeIdentifiers = other.storeIdentifiers
        (siblings, remoteChanges) = (other.siblings, other.remoteChanges)
    }

    deinit {
        // A main context that outlives the container has the same one again.
        if let context = main.withLock({ $0 })?.value.kept { remoteChanges.start(context.container) }
    }

    private func start() {
        siblings.follow(coordinator)
        for adapter in adapters { adapter.siblings = siblings }
        remoteChanges.start(self)
    }

    /// The context of the main actor: it saves by itself.
    @MainActor public final var mainContext: ModelContext {
        if let known = main.withLock({ $0 })?.value.context.object { return known }
        let again = ModelContainer(again: self)
        let context = ModelContext(again)
        context.origin = WeakReference(self)
        context.autosaveEnabled = true
        let kept = Transferred(MainContext(context: WeakReference(context), kept: context))
        let known = Transferred(MainContext(context: WeakReference(context), kept: nil))
        main.withLock { $0 = kept }
        again.main.withLock { $0 = known }
        return context
    }

    /// Deletes all models of all stores, with their history. Use `erase()`, which throws what goes wrong.
    public final func deleteAllData() { try? erase() }

    /// Deletes all models of all stores, with the history of those of this module. Contexts see them as deleted.
    public final func erase() throws {
        for adapter in adapters {
            // A store that cannot erase has its models deleted with the others.
            do { try adapter.erase() } catch DataStoreError.unsupportedFeature {}
        }
        let context = ModelContext(self)
        for type in schema.types where ModelShape.of(type).superclass == nil {
            try context.deleteAll(of: type)
        }
        try context.save()
        try context.deleteAllHistory()
    }

    /// The identifier of a configuration's store.
    public final func storeIdentifier(forConfigurationNamed name: String) -> String? { storeIdentifiers[name] }

    /// The name of the configuration of a store.
    public final func configurationName(forStoreIdentifier identifier: String) -> String? {
        storeIdentifiers.first { $0.value == identifier }?.key
    }

    /// The ID of the object that an identifier stands for; nil for one of a store that is not open here.
    final func objectID(
        for identifier: PersistentIdentifier, in coordinator: NSPersistentStoreCoordinator
    ) -> NSManagedObjectID? {
        if identifier.isTemporary { return nil }
        if let adapter = adapters.first(where: { $0.identifier == identifier.storeIdentifier }) {
            return adapter.objectID(for: identifier)
        }
        return URL(string: identifier.id.uri).flatMap { coordinator.managedObjectID(forURIRepresentation: $0) }
    }

    /// The data store of one's own that has an entity; nil if it is in a store of this module.
    final func adapter(of entityName: String) -> DataStoreAdapter? {
        adapters.first { $0.schema.entitiesByName[entityName] != nil }
    }

    /// The class of an entity's models.
    final func type(of entity: NSEntityDescription) -> any PersistentModel.Type {
        guard let name = entity.name, let type = types[name] else {
            fatalError("The container's schema was not made of classes: it has none for \(entity.name ?? "?")")
        }
        return type
    }

    /// The shape of an entity's models, from their class; nil for an entity without a class.
    final func shape(of entity: NSEntityDescription) -> ModelShape? {
        entity.name.flatMap { types[$0] }.map(ModelShape.of)
    }

    public static func == (lhs: ModelContainer, rhs: ModelContainer) -> Bool { lhs.coordinator === rhs.coordinator }
}
#endif

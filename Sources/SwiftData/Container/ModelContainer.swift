#if SwiftData
package import Firn
import FirnModel
import Foundation
import Synchronization

/// The stores of a schema's models.
///
/// https://developer.apple.com/documentation/swiftdata/modelcontainer
public class ModelContainer: Equatable, @unchecked Sendable {
    /// The models.
    public final let schema: Schema
    /// How older stores are brought up to date; nil for automatic migration alone.
    public final let migrationPlan: (any SchemaMigrationPlan.Type)?
    /// Where the models are.
    public private(set) final var configurations: Set<ModelConfiguration>

    /// Core Data's side of the container: contexts made with it share the stores. Ours, not Apple's.
    package final let coordinator: NSPersistentStoreCoordinator
    final let siblings = SiblingContexts()
    private final let types: [String: any PersistentModel.Type]
    private final let main = Mutex<MainContext?>(nil)

    /// A context that is handed out on the main actor only.
    private struct MainContext: @unchecked Sendable {
        let context: ModelContext
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
    public init(
        for givenSchema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
        configurations: [ModelConfiguration]
    ) throws {
        let configurations = configurations.isEmpty ? [ModelConfiguration(schema: givenSchema)] : configurations
        schema = givenSchema
        self.migrationPlan = migrationPlan
        self.configurations = Set(configurations)
        types = Dictionary(givenSchema.types.map { (String(describing: $0), $0) }) { first, _ in first }
        let opening = StoreOpening(schema: givenSchema, configurations: configurations)
        try opening.validate()
        if let migrationPlan {
            for configuration in configurations {
                try MigrationRun(plan: migrationPlan, configuration: configuration, target: givenSchema).run()
            }
        }
        coordinator = try opening.open()
        siblings.follow(coordinator)
    }

    /// The context of the main actor: it saves by itself.
    @MainActor public final var mainContext: ModelContext {
        let known = main.withLock { $0 }
        if let known { return known.context }
        let context = ModelContext(self)
        context.autosaveEnabled = true
        main.withLock { $0 = MainContext(context: context) }
        return context
    }

    /// Deletes all models of all stores, with their history. Use `erase()`, which throws what goes wrong.
    public final func deleteAllData() { try? erase() }

    /// Deletes all models of all stores. Contexts see them as deleted.
    public final func erase() throws {
        let context = ModelContext(self)
        for type in schema.types where ModelShape.of(type).superclass == nil {
            try context.deleteAll(of: type)
        }
        try context.save()
    }

    /// The identifier of a configuration's store.
    public final func storeIdentifier(forConfigurationNamed name: String) -> String? {
        guard let configuration = configurations.first(where: { $0.name == name }) else { return nil }
        return coordinator.persistentStores.first { $0.url == configuration.url }?.identifier
    }

    /// The name of the configuration of a store.
    public final func configurationName(forStoreIdentifier identifier: String) -> String? {
        guard let store = coordinator.persistentStores.first(where: { $0.identifier == identifier }) else { return nil }
        return configurations.first { $0.url == store.url }?.name
    }

    /// The class of an entity's models.
    final func type(of entity: NSEntityDescription) -> any PersistentModel.Type {
        guard let name = entity.name, let type = types[name] else {
            fatalError("The container's schema was not made of classes: it has none for \(entity.name ?? "?")")
        }
        return type
    }

    /// What the class of an entity's models says of them; nil for an entity without a class.
    final func shape(of entity: NSEntityDescription) -> ModelShape? {
        entity.name.flatMap { types[$0] }.map(ModelShape.of)
    }

    public static func == (lhs: ModelContainer, rhs: ModelContainer) -> Bool { lhs === rhs }
}
#endif

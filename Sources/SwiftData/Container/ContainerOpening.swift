#if SwiftData
import Firn
import FirnFoundation
import class FirnFoundation.ValueTransformer
import FirnModel
import FirnStore
import Foundation

/// Opens the stores of a container's configurations.
struct ContainerOpening {
    let schema: Schema
    let configurations: [any DataStoreConfiguration]

    /// The store that was opened.
    struct Opened {
        let coordinator: NSPersistentStoreCoordinator
        /// The data stores that are not this module's.
        let adapters: [DataStoreAdapter]
        /// The identifiers of the stores by the names of their configurations.
        let identifiers: [String: String]
    }

    func validate() throws {
        let problems = SchemaCheck(schema: schema).problems
        if !problems.isEmpty {
            throw SwiftDataError.loadIssueModelContainer.because(
                "the schema is wrong: " + problems.joined(separator: "; "))
        }
        try validateTransformers()
        var urls: Set<URL> = []
        var others: Set<AnyHashable> = []
        for configuration in configurations {
            try configuration.validate()
            if let configuration = configuration as? ModelConfiguration {
                if !configuration.isStoredInMemoryOnly, !urls.insert(configuration.url).inserted {
                    throw SwiftDataError.duplicateConfiguration.because(configuration.url.path)
                }
            } else if !others.insert(AnyHashable(configuration)).inserted {
                throw SwiftDataError.duplicateConfiguration.because(configuration.name)
            }
            for entity in configuration.schema?.entities ?? [] where schema.entitiesByName[entity.name] == nil {
                throw SwiftDataError.configurationSchemaNotFoundInContainerSchema.because(
                    "the container's schema has no \(entity.name), which \(configuration.name) has")
            }
        }
    }

    /// Throws if a transformer of an attribute is not registered: its values could not be stored.
    private func validateTransformers() throws {
        for entity in schema.entities {
            for attribute in entity.storedProperties.compactMap({ $0 as? Schema.Attribute }) {
                guard let name = attribute.transformerName, ValueTransformer(forName: .init(name)) == nil
                else { continue }
                throw SwiftDataError.loadIssueModelContainer.because(
                    "\(entity.name).\(attribute.name) needs the transformer \(name): call "
                        + "ValueTransformer.setValueTransformer(_:forName:) before the container is made")
            }
        }
    }

    func open() throws -> Opened {
        let model = ManagedModelMaking(schema: schema, className: String(reflecting: ModelObject.self)).model()
        let names = configurations.indices.map { "Configuration\($0)" }
        for (name, configuration) in zip(names, configurations) {
            guard configurations.count > 1, let part = configuration.schema else { continue }
            model.setEntities(part.entities.compactMap { model.entitiesByName[$0.name] }, forConfigurationName: name)
        }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        var identifiers: [String: String] = [:]
        for (name, configuration) in zip(names, configurations) {
            let isPart = configurations.count > 1 && configuration.schema != nil
            let store =
                if let configuration = configuration as? ModelConfiguration {
                    try add(configuration, isPart ? name : nil, to: coordinator)
                } else { try addDataStore(configuration, isPart ? name : nil, to: coordinator) }
            identifiers[configuration.name] = store.identifier
        }
        let adapters = coordinator.persistentStores.compactMap { $0 as? DataStoreAdapter }
        return Opened(coordinator: coordinator, adapters: adapters, identifiers: identifiers)
    }

    private func addDataStore(
        _ configuration: some DataStoreConfiguration, _ name: String?, to coordinator: NSPersistentStoreCoordinator
    ) throws -> NSPersistentStore {
        NSPersistentStoreCoordinator.registerStoreClass(
            DataStoreAdapter.self, forStoreType: DataStoreAdapter.storeType)
        let part = configuration.schema ?? schema
        do {
            let store = try SnapshotModels.$schema.withValue(schema) { try configuration.openStore(of: schema) }
            return try coordinator.addPersistentStore(
                ofType: DataStoreAdapter.storeType, configurationName: name, at: nil,
                options: [DataStoreAdapter.storeKey: DataStoreAdapter.Opened(store, part)])
        } catch let error as SwiftDataError {
            throw error
        } catch {
            throw SwiftDataError.loadIssueModelContainer.because(
                "the store of \(configuration.name) cannot be opened: \(error)", error)
        }
    }

    private func add(
        _ configuration: ModelConfiguration, _ name: String?, to coordinator: NSPersistentStoreCoordinator
    ) throws -> NSPersistentStore {
        var options: [AnyHashable: Any] = [
            NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
            NSPersistentHistoryTrackingKey: true, NSPersistentStoreRemoteChangeNotificationPostOptionKey: true,
            PersistentStoreMissingTablesOption: configuration.missingTables.rawValue,
            PersistentStoreMissingLogOption: configuration.missingLog.rawValue,
            PersistentStoreHistoryTablesOption: configuration.historyTables.rawValue,
        ]
        if !configuration.allowsSave { options[NSReadOnlyPersistentStoreOption] = true }
        do {
            if !configuration.isStoredInMemoryOnly, configuration.allowsSave {
                try FileManager.default.createDirectory(
                    at: configuration.url.deletingLastPathComponent(), withIntermediateDirectories: true)
            }
            return try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: name, at: configuration.url, options: options)
        } catch {
            throw SwiftDataError.loadIssueModelContainer.because(
                "the store \(configuration.url.path) cannot be opened, and is left as it is: \(error)", error)
        }
    }
}
#endif

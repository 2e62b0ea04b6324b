public import FirnFoundation
public import FirnModel
import FirnStore
public import Foundation

/// Leads the objects of one store into another one by a mapping model, in three passes: objects, relationships,
/// validation.
///
/// It works on copies of both models whose objects are plain `NSManagedObject`s, and checks no validation rules: the
/// program's classes and rules are those of one version. `performCustomValidation(forMapping:manager:)` is where a
/// policy checks.
///
/// Not thread-safe, except for `cancelMigrationWithError(_:)`, `migrationProgress` and `migrationProgressHandler`.
/// https://developer.apple.com/documentation/coredata/nsmigrationmanager
open class NSMigrationManager: NSObject {
    /// A copy of the model that was given, equal to it, whose objects are plain managed objects.
    open private(set) var sourceModel: NSManagedObjectModel
    /// A copy of the model that was given, equal to it, whose objects are plain managed objects.
    open private(set) var destinationModel: NSManagedObjectModel
    /// The mapping that is being run.
    open private(set) var mappingModel = NSMappingModel()
    /// Has the objects of the old store.
    open private(set) var sourceContext = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    /// Has the objects of the new store.
    open private(set) var destinationContext = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    /// The entity mapping in progress. Outside a migration an empty mapping.
    open private(set) var currentEntityMapping = NSEntityMapping()
    /// Whatever policies want to share.
    open var userInfo: [AnyHashable: Any]?
    /// Without effect: what a mapping alone can tell is led over in tables when a store is opened.
    open var usesStoreSpecificMigrationManager = true

    private let state = NSLock()
    /// Guarded by `state`.
    private var cancellation: (any Error)?
    /// Guarded by `state`.
    private var progress: Float = 0
    /// Guarded by `state`.
    private var progressHandler: (@Sendable (Float) -> Void)?
    private(set) var associations = MigrationAssociations()
    /// The relationship whose members are looked for, one source object of which may have become several objects.
    var currentRelationship: NSRelationshipDescription?

    /// A manager that migrates from one model to another.
    public init(sourceModel: NSManagedObjectModel, destinationModel: NSManagedObjectModel) {
        self.sourceModel = sourceModel.withPlainObjects()
        self.destinationModel = destinationModel.withPlainObjects()
        super.init()
    }

    /// How far the migration is, from 0 to 1.
    open var migrationProgress: Float { state.withLock { progress } }

    /// Hears how far the migration is, from 0 to 1, on the thread that migrates. Apple's manager is observed by
    /// key-value observing, which needs Objective-C; this is ours.
    public final var migrationProgressHandler: (@Sendable (Float) -> Void)? {
        get { state.withLock { progressHandler } }
        set { state.withLock { progressHandler = newValue } }
    }

    /// Makes the migration that runs stop with this error before its next object. From any thread.
    open func cancelMigrationWithError(_ error: any Error) {
        state.withLock { cancellation = error }
    }

    /// Reads the store at `sourceURL` and writes a new one at `dURL`. A failure leaves no new store. An inferred
    /// mapping can migrate a store in its place.
    open func migrateStore(
        from sourceURL: URL, sourceType sStoreType: String, options sOptions: [AnyHashable: Any]? = nil,
        with mappings: NSMappingModel?, toDestinationURL dURL: URL, destinationType dStoreType: String,
        destinationOptions dOptions: [AnyHashable: Any]? = nil
    ) throws {
        guard let mappings else {
            throw CoreDataError.make(.migrationMissingMappingModel, "a migration needs a mapping model")
        }
        let source = NSPersistentStoreCoordinator(past: sourceModel)
        let destination = NSPersistentStoreCoordinator(past: destinationModel)
        let (from, to): (NSPersistentStore, NSPersistentStore)
        do {
            from = try source.addPersistentStore(
                ofType: sStoreType, configurationName: nil, at: sourceURL, options: sOptions)
        } catch {
            throw CoreDataError.make(
                .migrationManagerSourceStore, "cannot read the store to migrate: \(error.localizedDescription)",
                underlying: error)
        }
        defer { try? source.remove(from) }
        let inferred = NSMappingModel(ModelMatching(from: sourceModel, to: destinationModel))
        if sourceURL.standardizedFileURL == dURL.standardizedFileURL, mappings == inferred {
            try source.remove(from)
            let options = [NSMigratePersistentStoresAutomaticallyOption, NSInferMappingModelAutomaticallyOption]
                .reduce(into: dOptions ?? [:]) { $0[$1] = true }
            let place = NSPersistentStoreCoordinator(managedObjectModel: destinationModel)
            try place.remove(
                place.addPersistentStore(ofType: dStoreType, configurationName: nil, at: dURL, options: options))
            return state.withLock { progress = 1 }
        }
        let isInMemory = dStoreType == NSInMemoryStoreType || NullDevice.holds(dURL)
        let files = StoreFiles(dURL, fileSystem: LogFileSystem.of(dOptions))
        guard isInMemory || !files.isTaken else {
            throw CoreDataError.make(
                .migrationManagerDestinationStore,
                "there is a store at \(dURL.path) already: migrate to another place, or remove it first",
                [NSFilePathErrorKey: dURL.path])
        }
        do {
            to = try destination.addPersistentStore(
                ofType: dStoreType, configurationName: nil, at: dURL, options: dOptions)
        } catch {
            throw CoreDataError.make(
                .migrationManagerDestinationStore, "cannot make the new store: \(error.localizedDescription)",
                underlying: error)
        }
        do {
            try migrate(source, to: destination, mappings)
            try destination.remove(to)
        } catch {
            try? destination.remove(to)
            if to.loggedStore != nil {
                if !isInMemory { try? files.remove(isForced: true) }
            } else if !isInMemory {
                let options = [NSPersistentStoreForceDestroyOption: NSNumber(value: true)]
                try? destination.destroyPersistentStore(at: dURL, ofType: dStoreType, options: options)
            }
            throw error
        }
    }

    /// Migrates a store into a new one.
    open func migrateStore(
        from sourceURL: URL, type sourceType: NSPersistentStore.StoreType,
        options sourceOptions: [AnyHashable: Any]? = nil, mapping: NSMappingModel, to destinationURL: URL,
        type destinationType: NSPersistentStore.StoreType, options destinationOptions: [AnyHashable: Any]? = nil
    ) throws {
        try migrateStore(
            from: sourceURL, sourceType: sourceType.rawValue, options: sourceOptions, with: mapping,
            toDestinationURL: destinationURL, destinationType: destinationType.rawValue,
            destinationOptions: destinationOptions)
    }

    /// Forgets what a migration left: contexts, associations, progress.
    open func reset() {
        sourceContext = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        destinationContext = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        associations = MigrationAssociations()
        currentEntityMapping = NSEntityMapping()
        state.withLock { (cancellation, progress) = (nil, 0) }
    }

    /// Records which new object an old one became.
    open func associate(
        sourceInstance: NSManagedObject, withDestinationInstance destinationInstance: NSManagedObject,
        for entityMapping: NSEntityMapping
    ) {
        associations.add(sourceInstance, destinationInstance, .init(entityMapping))
    }

    /// The objects that a mapping made of source objects; of all for nil.
    open func destinationInstances(
        forEntityMappingName mappingName: String, sourceInstances: [NSManagedObject]?
    ) -> [NSManagedObject] {
        associations.destinations(of: sourceInstances, mapping: .named(mappingName))
    }

    /// The objects from which a mapping made objects; all for nil.
    open func sourceInstances(
        forEntityMappingName mappingName: String, destinationInstances: [NSManagedObject]?
    ) -> [NSManagedObject] {
        associations.sources(of: destinationInstances, mapping: .named(mappingName))
    }

    /// The entity that a mapping reads.
    open func sourceEntity(for mEntity: NSEntityMapping) -> NSEntityDescription? {
        mEntity.sourceEntityName.flatMap { sourceModel.entitiesByName[$0] }
    }

    /// The entity that a mapping writes.
    open func destinationEntity(for mEntity: NSEntityMapping) -> NSEntityDescription? {
        mEntity.destinationEntityName.flatMap { destinationModel.entitiesByName[$0] }
    }

    /// Leads all objects of one coordinator into another one, and saves there.
    func migrate(
        _ source: NSPersistentStoreCoordinator, to destination: NSPersistentStoreCoordinator, _ mappings: NSMappingModel
    ) throws {
        reset()
        mappingModel = mappings
        sourceContext.persistentStoreCoordinator = source
        destinationContext.persistentStoreCoordinator = destination
        destinationContext.checksValidation = false
        try destinationContext.performAndWait {
            try sourceContext.performAndWait {
                try source.persistentStores[0].checkingLargeValues { try MigrationPasses(self, mappings).run() }
                try destinationContext.save()
            }
        }
        report(1)
    }

    func report(_ part: Float) {
        state.lock()
        progress = part
        let handler = progressHandler
        state.unlock()
        handler?(part)
    }

    /// The value of `FUNCTION($manager, "name:", …)` in a value expression. A subclass with methods of its own
    /// overrides it, answers those, and leaves the others to `super`.
    open func value(ofMethod name: String, arguments: [Any?]) throws -> Any? {
        try ownValue(ofMethod: name, arguments: arguments)
    }

    /// Begins with a mapping's next object, unless the migration was cancelled.
    func enter(_ mapping: NSEntityMapping) throws {
        currentEntityMapping = mapping
        try state.withLock { if let cancellation { throw cancellation } }
    }
}

extension NSMigrationManager: ExpressionAnswering {
    /// The methods of Core Data's manager that value expressions call.
    private func ownValue(ofMethod name: String, arguments: [Any?]) throws -> Any? {
        if arguments.isEmpty, let known = Self.members.value(of: self, name) { return known }
        guard let first = arguments.first as? String else { throw unknown(name) }
        let objects = NSEntityMigrationPolicy.members(arguments.count > 1 ? arguments[1] : nil)
        switch name {
        case MappingExpression.fetchMethod:
            return try sourceRequest(first, arguments.count > 1 ? arguments[1] as? String : nil)
        case "destinationInstancesForEntityMappingNamed:sourceInstances:":
            return destinationInstances(forEntityMappingName: first, sourceInstances: objects)
        case "destinationInstancesForSourceRelationshipNamed:sourceInstances:":
            let wanted = currentRelationship?.destinationEntity
            return associations.destinations(of: objects, mapping: nil)
                .filter { object in wanted.map { object.entity.isKindOf(entity: $0) } ?? true }
        case "sourceInstancesForEntityMappingNamed:destinationInstances:":
            return sourceInstances(forEntityMappingName: first, destinationInstances: objects)
        default: throw unknown(name)
        }
    }

    /// A request for the objects of an entity itself, which the source expression of a mapping executes.
    private func sourceRequest(_ entityName: String, _ predicate: String?) throws -> NSFetchRequest<NSManagedObject> {
        guard sourceModel.entitiesByName[entityName] != nil else {
            throw CoreDataError.make(
                .migration, "a mapping fetches objects of \(entityName), which the source model does not have")
        }
        let request = NSFetchRequest<NSManagedObject>(entityName: entityName)
        request.includesSubentities = false
        request.predicate = try predicate.map { try NSPredicate(validatingFormat: $0) }
        return request
    }

    private func unknown(_ name: String) -> NSError {
        CoreDataError.make(
            .migration, "a value expression calls \(name) of the migration manager, which has no such method")
    }
}

extension NSMigrationManager: KeyValueCoding {
    private static let members = KeyedMembers<NSMigrationManager>([
        "sourceModel": .init(\.sourceModel), "destinationModel": .init(\.destinationModel),
        "sourceContext": .init(\.sourceContext), "destinationContext": .init(\.destinationContext),
        "mappingModel": .init(\.mappingModel), "currentEntityMapping": .init(\.currentEntityMapping),
        "migrationProgress": .init(\.migrationProgress), "userInfo": .init(\.userInfo),
        "usesStoreSpecificMigrationManager": .init(\.usesStoreSpecificMigrationManager),
    ])

    public func value(forKey key: String) -> Any? { value(forKey: key, among: Self.members.value(of: self, key)) }

    public func setValue(_ value: Any?, forKey key: String) {
        if !Self.members.set(value, of: self, key) { setValue(value, forUndefinedKey: key) }
    }
}

extension NSPersistentStore {
    /// The class that migrates stores whose class names no other.
    static var standardMigrationManagerClass: AnyClass { NSMigrationManager.self }
}

extension NSManagedObjectModel {
    /// A copy whose objects are plain `NSManagedObject`s, whatever classes it names: a migration meets versions of a
    /// model that the program's classes were not written for.
    func withPlainObjects() -> NSManagedObjectModel {
        guard let model = copy() as? NSManagedObjectModel else { fatalError("a model copies to a model") }
        for entity in model.entities { entity.knownObjectClass = NSManagedObject.self }
        return model
    }
}

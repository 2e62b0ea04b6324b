import Firn
import FirnLog
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// A store that a test leads from model to model.
final class MigratingStore {
    private let directory: TemporaryDirectory
    var url: URL { directory.file("Library.sqlite") }
    static var lightweight: [AnyHashable: Any] {
        [
            NSMigratePersistentStoresAutomaticallyOption: NSNumber(value: true),
            NSInferMappingModelAutomaticallyOption: NSNumber(value: true),
        ]
    }

    /// The same, with the log on another file system.
    static func options(on fileSystem: any FileSystem) -> [AnyHashable: Any] {
        lightweight.merging([PersistentStoreFileSystemOption: fileSystem]) { $1 }
    }

    init() throws { directory = try TemporaryDirectory() }

    func coordinator(
        _ model: NSManagedObjectModel, _ options: [AnyHashable: Any]? = MigratingStore.lightweight
    ) throws -> NSPersistentStoreCoordinator {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        _ = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
        return coordinator
    }

    /// Opens the store with a model, works in a context, saves, and closes it.
    @discardableResult
    func with(_ text: String, _ body: (NSManagedObjectContext) throws -> Void = { _ in }) throws -> StoreState {
        try with(ModelText.model(text), body)
    }

    /// Opens the store with a model, its log on another file system.
    func open(_ text: String, on fileSystem: any FileSystem) throws {
        _ = try coordinator(ModelText.model(text), Self.options(on: fileSystem))
    }

    @discardableResult
    func with(
        _ model: NSManagedObjectModel, _ body: (NSManagedObjectContext) throws -> Void = { _ in }
    ) throws -> StoreState {
        let coordinator = try coordinator(model)
        let context = coordinator.context()
        try body(context)
        if context.hasChanges { try context.save() }
        let state = try StoreState(coordinator.context())
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        return state
    }

    /// Opens with the second model what was made with the first, and holds the result to what holds always.
    func migrate(
        _ old: String, to new: String, sourceLocation: SourceLocation = #_sourceLocation,
        _ fill: (NSManagedObjectContext) throws -> Void
    ) throws -> (before: StoreState, after: StoreState) {
        let before = try with(old, fill)
        let sequence = try StoredTables.head(url)
        let after = try with(new)
        try check(before, at: sequence, new, sourceLocation)
        return (before, after)
    }

    /// The tables are those that the log gives, and the past answers in its own terms.
    func check(
        _ before: StoreState, at sequence: SequenceNumber, _ new: String, _ sourceLocation: SourceLocation
    ) throws {
        try check(before, at: sequence, ModelText.model(new), sourceLocation: sourceLocation)
    }

    func check(
        _ before: StoreState, at sequence: SequenceNumber, _ new: NSManagedObjectModel,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let dumps = try StoredTables.dumps(url)
        #expect(dumps.present == dumps.rebuilt, sourceLocation: sourceLocation)
        let coordinator = try coordinator(new)
        let past = try coordinator.newContext(asOf: .sequence(sequence))
        #expect(try StoreState(past) == before, sourceLocation: sourceLocation)
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }

    /// The error of opening the store with a model.
    func refusal(
        _ text: String, _ options: [AnyHashable: Any]? = MigratingStore.lightweight,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> NSError? {
        let model = try ModelText.model(text)
        return #expect(throws: NSError.self, sourceLocation: sourceLocation) { try self.coordinator(model, options) }
    }
}

extension MigratingStore {
    /// The model that the log says is in force.
    func storedModel() throws -> NSManagedObjectModel {
        try StoredTables.model(url)
    }
}

import FirnStore
import FirnLog
import FirnModel
import FirnProjection
import Foundation
import Synchronization

extension StoreEngine {
    /// Whether a migration was the last thing that happened to a store with derived attributes: their values for the
    /// objects that were there are still to be computed. Once anything came after it, they were.
    var isDerivationDue: Bool {
        get throws {
            guard hasDerivations, try log.refresh() == modelSequence else { return false }
            return try log.currentModel?.model.migration != nil
        }
    }
}

/// Computes the derived attributes of all objects after a migration, in one change set of their own. History and
/// followers see it as the updates that it is.
///
/// It works as a save does, in a context of plain `NSManagedObject`s: no class of the program is asked, and no rule is
/// checked. A process that dies before it is done leaves it to the next program that opens the store for writing;
/// nothing else is written before. Complexity: O(objects with derived attributes), which are in memory together.
struct MigratedDerivations {
    let url: URL
    let configuration: String
    let options: [AnyHashable: Any]?
    let model: NSManagedObjectModel

    func run() throws {
        let model = model.withPlainObjects()
        let coordinator = NSPersistentStoreCoordinator(past: model)
        let store = DerivingStore(
            persistentStoreCoordinator: coordinator, configurationName: configuration, at: url, options: options)
        try store.open(model: model, entities: coordinator.entities(of: configuration))
        coordinator.adopt(store)
        defer { try? coordinator.remove(store) }
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait { try derive(context, store) }
    }

    private func derive(_ context: NSManagedObjectContext, _ store: LoggedStore) throws {
        var touched: [NSManagedObject] = []
        for entity in store.engine.schema.entities where !entity.isAbstract {
            let slots = entity.layout.derivedSlots
            guard !slots.isEmpty, let name = entity.name else { continue }
            let request = NSFetchRequest<NSManagedObject>(entityName: name)
            request.includesSubentities = false
            request.returnsObjectsAsFaults = false
            for object in try context.fetch(request) {
                for slot in slots { object.changed.insert(slot) }
                touched.append(object)
            }
        }
        if touched.isEmpty { return }
        var change = ObjectChange()
        change.updated = touched
        try SaveOperation(change, context: context, store: store, engine: store.engine).run()
    }
}

/// The store that derived attributes are computed in: opening it does not compute them.
private final class DerivingStore: LoggedStore, @unchecked Sendable {
    override func finishMigration(_ opened: StoreEngine, _ model: NSManagedObjectModel) {}
}

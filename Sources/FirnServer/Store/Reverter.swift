#if Server
import Firn
import FirnInspection
import FirnLog
import FirnModel
import Foundation
import HTTPTypes
import Synchronization

/// Undoes transactions, as `NSManagedObjectContext.revert(_:)` does, and shows before what that would do. The only part
/// of the service that writes; it is not made unless the options allow it.
final class Reverter: Sendable {
    static let author = "firn serve"

    private let store: ServedStore
    private let coordinator: Mutex<NSPersistentStoreCoordinator?>

    /// - Parameter coordinator: the application's own; nil to open the store when it is first needed.
    init(_ store: ServedStore, _ coordinator: NSPersistentStoreCoordinator?) {
        self.store = store
        self.coordinator = Mutex(coordinator)
    }

    /// The name of the context that reverts a record, which the new record carries.
    static func contextName(reverting number: SequenceNumber) -> String { "revert of record \(number)" }

    /// Previews the reversal of a record's changes.
    func preview(_ record: LogRecord) throws -> Reversal { try run(record) { _, _ in } }

    /// Undoes a record's changes, as a transaction of its own.
    func revert(_ record: LogRecord) throws -> Reversal { try run(record) { try $1.save() } }

    private func run(
        _ record: LogRecord, _ body: (Reversal, NSManagedObjectContext) throws -> Void
    ) throws -> Reversal {
        let coordinator = try opened()
        let stores = coordinator.persistentStores
        guard let persistent = stores.first(where: { $0.identifier == store.log.storeID.uuidString }) else {
            throw RequestFailure(
                .conflict, "the store was replaced since it was opened", remedy: "restart firn serve")
        }
        return try Reversal(
            .record(record), in: persistent, of: coordinator, author: Self.author,
            name: Self.contextName(reverting: record.sequence), body)
    }

    private func opened() throws -> NSPersistentStoreCoordinator {
        try coordinator.withLock { open in
            // A store that another process migrated since has another model.
            if let coordinator = open { return coordinator }
            guard let (_, model) = try store.log.currentModel else {
                throw RequestFailure.notFound("the store has no model yet", remedy: "ask again after the first save")
            }
            let described = try NSManagedObjectModel.load(document: model.document, name: store.name).model
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: described)
            _ = try coordinator.addPersistentStore(
                type: .sqlite, at: URL(fileURLWithPath: store.path),
                options: [PersistentStoreMissingTablesOption: MissingTables.rebuild.rawValue])
            open = coordinator
            return coordinator
        }
    }
}
#endif

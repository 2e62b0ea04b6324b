#if Server
import Firn
import FirnInspection
import FirnLog
import FirnModel
import Foundation
import HTTPTypes
import Synchronization

/// Undoes transactions, as `NSManagedObjectContext.revert(_:)` does, puts objects back to a point, and shows before
/// what that would do. The only part of the service that writes; it is not made unless the options allow it.
final class Reverter: Sendable {
    static let author = "firn serve"

    private struct Opened {
        var coordinator: NSPersistentStoreCoordinator
        /// The record with its model; nil for the application's own, which is as the application opened it.
        var model: SequenceNumber?
    }

    private let store: ServedStore
    private let open: Mutex<Opened?>
    /// One at a time: two that bring back one deleted object would make two of it.
    private let turn = Mutex(())

    /// - Parameter coordinator: the application's own; nil to open the store when it is first needed.
    init(_ store: ServedStore, _ coordinator: NSPersistentStoreCoordinator?) {
        self.store = store
        open = Mutex(coordinator.map { Opened(coordinator: $0) })
    }

    /// The name of the context that puts something back, which the new record carries.
    static func contextName(_ target: Reversal.Target) -> String {
        switch target {
        case .record(let record): "revert of record \(record.sequence)"
        case .object(let object, let property, let sequence):
            "\(object.text)\(property.map { "." + $0 } ?? "") as of record \(sequence)"
        }
    }

    func preview(_ target: Reversal.Target) throws -> Reversal { try run(target) { _, _ in } }

    /// Puts it back, by a transaction of its own.
    func revert(_ target: Reversal.Target) throws -> Reversal { try run(target) { try $1.save() } }

    private func run(
        _ target: Reversal.Target, _ body: (Reversal, NSManagedObjectContext) throws -> Void
    ) throws -> Reversal {
        let coordinator = try opened()
        let stores = coordinator.persistentStores
        guard let persistent = stores.first(where: { $0.identifier == store.log.storeID.uuidString }) else {
            throw RequestFailure(
                .conflict, "the store was replaced since it was opened", remedy: "restart firn serve")
        }
        return try turn.withLock { _ in
            try Reversal(
                target, in: persistent, of: coordinator, author: Self.author, name: Self.contextName(target), body)
        }
    }

    private func opened() throws -> NSPersistentStoreCoordinator {
        try store.refresh()
        return try open.withLock { open in
            if let open, open.model == nil { return open.coordinator }
            guard let (sequence, model) = try store.log.currentModel else {
                throw RequestFailure.notFound("the store has no model yet", remedy: "ask again after the first save")
            }
            // A store that another process migrated since has another model.
            if let open, open.model == sequence { return open.coordinator }
            let described = try NSManagedObjectModel.load(document: model.document, name: store.name).model
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: described)
            _ = try coordinator.addPersistentStore(
                type: .sqlite, at: URL(fileURLWithPath: store.path),
                options: [PersistentStoreMissingTablesOption: MissingTables.rebuild.rawValue])
            open = Opened(coordinator: coordinator, model: sequence)
            return coordinator
        }
    }
}
#endif

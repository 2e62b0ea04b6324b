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
    /// The change that a revert makes to one object.
    struct Change: Sendable {
        enum Kind: Sendable { case insert, update, delete }

        struct Property: Sendable {
            let name: String
            let old: String?
            let new: String?
        }

        let kind: Kind
        let object: String
        let properties: [Property]
    }

    struct Outcome: Sendable {
        var changes: [Change] = []
        /// Why it cannot be done; nothing is changed then.
        var obstacles: [String] = []
    }

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
    func preview(_ record: LogRecord) throws -> Outcome { try run(record) { _ in } }

    /// Undoes a record's changes, as a transaction of its own.
    func revert(_ record: LogRecord) throws -> Outcome { try run(record) { try $0.save() } }

    private func run(_ record: LogRecord, _ body: (NSManagedObjectContext) throws -> Void) throws -> Outcome {
        let coordinator = try opened()
        let stores = coordinator.persistentStores
        guard let persistent = stores.first(where: { $0.identifier == store.log.storeID.uuidString }) else {
            throw RequestFailure(
                .conflict, "the store was replaced since it was opened", remedy: "restart firn serve")
        }
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        context.transactionAuthor = Self.author
        context.name = Self.contextName(reverting: record.sequence)
        return try context.performAndWait {
            var outcome = Outcome()
            do {
                try context.revert(NSPersistentHistoryTransaction(record, store: persistent, includesChanges: true))
                context.processPendingChanges()
                outcome.changes = Self.changes(in: context)
                try body(context)
            } catch let conflicts as HistoryConflicts {
                outcome.obstacles = conflicts.conflicts.map(Self.text)
            } catch let error as NSError where error.domain == NSCocoaErrorDomain {
                outcome.obstacles = [error.localizedDescription]
            }
            return outcome
        }
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

    private static func changes(in context: NSManagedObjectContext) -> [Change] {
        let kinds: [(Change.Kind, Set<NSManagedObject>)] = [
            (.insert, context.insertedObjects), (.update, context.updatedObjects), (.delete, context.deletedObjects),
        ]
        return kinds.flatMap { kind, objects in
            objects.map { change($0, kind) }.filter { $0.kind != .update || !$0.properties.isEmpty }
                .sorted { $0.object < $1.object }
        }
    }

    private static func change(_ object: NSManagedObject, _ kind: Change.Kind) -> Change {
        let names = object.entity.properties.filter { !$0.isTransient }.map(\.name).sorted()
        let changed = object.changedValues()
        let committed = kind == .insert ? [:] : object.committedValues(forKeys: names)
        let properties = names.compactMap { name -> Change.Property? in
            let old = kind == .insert ? nil : text(committed[name])
            let new = kind == .delete ? nil : text(kind == .update ? changed[name] : object.value(forKey: name))
            if kind == .update, changed[name] == nil || old == new { return nil }
            return old == nil && new == nil ? nil : Change.Property(name: name, old: old, new: new)
        }
        return Change(kind: kind, object: name(object.objectID), properties: properties)
    }

    private static func name(_ id: NSManagedObjectID) -> String {
        let entity = id.entity.name ?? ""
        if id.isTemporaryID { return "a new \(entity)" }
        return entity + "/" + id.uriRepresentation().lastPathComponent.drop { !$0.isNumber }
    }

    /// Nil for nil.
    private static func text(_ value: Any?) -> String? {
        switch value {
        case nil, is NSNull: nil
        case let object as NSManagedObject: name(object.objectID)
        case let objects as Set<NSManagedObject>: members(Array(objects))
        case let objects as NSOrderedSet: members(objects.array.compactMap { $0 as? NSManagedObject })
        case let date as Date:
            Int64(exactly: (date.timeIntervalSince1970 * 1e6).rounded()).map { LogDate($0).iso8601 } ?? "\(date)"
        case let data as Data: "\(data.count) bytes"
        case let value?: "\(value)"
        }
    }

    private static func members(_ objects: [NSManagedObject]) -> String? {
        objects.isEmpty ? nil : objects.map { name($0.objectID) }.sorted().joined(separator: ", ")
    }

    private static func text(_ conflict: HistoryConflict) -> String {
        switch conflict.reason {
        case .changed(let property): "\(property) of \(name(conflict.objectID)) was changed later"
        case .deleted: "\(name(conflict.objectID)) was deleted later"
        }
    }
}
#endif

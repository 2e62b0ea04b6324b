#if SwiftData
import Firn
import FirnModel
import FirnRuntime
import FirnStore
public import Foundation

extension ModelContext {
    /// Posted before a save, with the context as its object.
    public static let willSave = Notification.Name("ModelContext.willSave")
    /// Posted after a save, with the context as its object. The user info says what was saved.
    public static let didSave = Notification.Name("ModelContext.didSave")

    /// The keys in the user info of `didSave`, each there under the key and under its raw value.
    public enum NotificationKey: String, Sendable {
        /// Not filled in: contexts are at no generation.
        case queryGeneration
        /// Not filled in by saves.
        case invalidatedAllIdentifiers
        /// The identifiers of the inserted models.
        case insertedIdentifiers
        /// The identifiers of the changed models.
        case updatedIdentifiers
        /// The identifiers of the deleted models.
        case deletedIdentifiers
        /// The token of the saved transaction, by the identifier of its store: `[String: any HistoryToken]`.
        case historyTokens

        public var rawValue: String {
            switch self {
            case .queryGeneration: "queryGeneration"
            case .invalidatedAllIdentifiers: "invalidatedAllIdentifiers"
            case .insertedIdentifiers: "insertedIdentifiers"
            case .updatedIdentifiers: "updatedIdentifiers"
            case .deletedIdentifiers: "deletedIdentifiers"
            case .historyTokens: "historyTokens"
            }
        }
    }

    /// Saves all changes, or throws and saves none.
    public final func save() throws {
        guard !isSaving else { return }
        try use.during("save") {
            catchUp()
            NotificationCenter.default.post(name: Self.willSave, object: self)
            try saveChanges()
        }
    }

    private func saveChanges() throws {
        managed.processPendingChanges()
        if let deleted = try deletedSets() {
            completeSave()
            return NotificationCenter.default.post(
                name: Self.didSave, object: self, userInfo: SavedChanges.userInfo(deleted: deleted, of: self))
        }
        guard managed.hasChanges else { return }
        // The save is over when observers hear of it: they may save again.
        NotificationCenter.default.post(name: Self.didSave, object: self, userInfo: try writeChanges())
    }

    private func writeChanges() throws -> [AnyHashable: Any] {
        defer {
            isSaving = false
            storeSaves = []
            (insertions, savedChanges) = (nil, nil)
        }
        uniqueConflicts = []
        insertions = UniqueInsertions(self)
        let record = managed.beginUndoRecord()
        do {
            if !areUniqueValuesChecked { _ = try insertions?.resolve() }
            savedChanges = SavedChanges(self)
            isSaving = true
            try managed.save()
        } catch {
            managed.revert(record)
            insertions?.revert()
            throw Self.translated(error)
        }
        managed.endUndoRecord(record)
        savedChanges?.complete()
        discardTemporaryIdentifiers()
        completeSave()
        finishStoreSaves()
        return savedChanges?.userInfo ?? [:]
    }

    /// Whether the save itself finds unique values that other models have, and asks the merge policy: a store of ours
    /// does, among its own rows.
    private var areUniqueValuesChecked: Bool { container.adapters.isEmpty && coordinator.persistentStores.count == 1 }

    private func completeSave() {
        for storage in changedLists { storage.object?.relatedLists = [:] }
        changedLists = []
        autosave.didSave()
        saveCount += 1
    }

    private func deletedSets() throws -> [PersistentIdentifier]? {
        isSaving = true
        defer { isSaving = false }
        do {
            return try saveSetDeletions()
        } catch {
            throw Self.translated(error)
        }
    }

    /// Merges what data stores have changed in the models themselves.
    private func finishStoreSaves() {
        if storeSaves.isEmpty { return }
        isSaving = false
        for save in storeSaves { save.adapter.finish(save) }
        mergeArrived()
    }

    private static func translated(_ error: any Error) -> any Error {
        let code = (error as NSError).code
        guard (error as NSError).domain == NSCocoaErrorDomain, (1550...1699).contains(code) else { return error }
        return SwiftDataError.modelValidationFailure.because((error as NSError).localizedDescription, error)
    }
}

/// The models of a save, noted before it.
struct SavedChanges {
    private let context: ModelContext
    private let inserted: [NSManagedObject]
    private let updated: [NSManagedObject]
    private let deleted: [(id: NSManagedObjectID, models: [any PersistentModel])]

    init(_ context: ModelContext) {
        self.context = context
        let managed = context.managed
        inserted = managed.insertedList
        updated = managed.updatedList
        deleted = managed.deletedList.compactMap { $0 as? ModelObject }.map { object in
            let models = object.models
            for model in models { model.storage.captureValues() }
            return (object.objectID, models)
        }
    }

    /// Deleted models leave the context.
    func complete() {
        for (_, models) in deleted { for model in models { model.storage.detach(isDeleted: true) } }
    }

    /// The user info of a save that deleted sets of models.
    static func userInfo(deleted: [PersistentIdentifier], of context: ModelContext) -> [AnyHashable: Any] {
        let tokens = historyTokens(Set(deleted.compactMap(\.storeIdentifier)), context)
        return userInfo([], [], deleted, tokens)
    }

    private static func userInfo(
        _ inserted: [PersistentIdentifier], _ updated: [PersistentIdentifier], _ deleted: [PersistentIdentifier],
        _ tokens: [String: any HistoryToken]
    ) -> [AnyHashable: Any] {
        var info: [AnyHashable: Any] = [:]
        func add(_ key: ModelContext.NotificationKey, _ identifiers: [PersistentIdentifier]) {
            info[key] = identifiers
            info[key.rawValue] = identifiers
        }
        add(.insertedIdentifiers, inserted)
        add(.updatedIdentifiers, updated)
        add(.deletedIdentifiers, deleted)
        if !tokens.isEmpty {
            info[ModelContext.NotificationKey.historyTokens] = tokens
            info[ModelContext.NotificationKey.historyTokens.rawValue] = tokens
        }
        return info
    }

    var userInfo: [AnyHashable: Any] {
        let (inserted, updated) = (inserted.map(\.objectID), updated.map(\.objectID))
        let deleted = deleted.map(\.id)
        let tokens = Self.historyTokens(Self.stores([inserted, updated, deleted].joined()), context)
        return Self.userInfo(
            inserted.map { PersistentIdentifier($0) }, updated.map { PersistentIdentifier($0) },
            deleted.map { PersistentIdentifier($0) }, tokens)
    }

    private static func stores(_ ids: some Sequence<NSManagedObjectID>) -> Set<String> {
        var (saved, last): (Set<String>, AnyObject?) = ([], nil)
        for id in ids {
            // Mostly the store of the one before.
            guard let store = id.storeObject, store !== last, let identifier = id.storeIdentifier else { continue }
            saved.insert(identifier)
            last = store
        }
        return saved
    }

    /// For each store that was saved to and has a history, where that ends.
    private static func historyTokens(
        _ saved: Set<String>, _ context: ModelContext
    ) -> [String: any HistoryToken] {
        var tokens: [String: any HistoryToken] = [:]
        // As far as this coordinator knows: the current token could be behind a transaction that nobody here has seen.
        for store in context.coordinator.persistentStores where saved.contains(store.identifier) {
            guard let engine = store.historyEngine else { continue }
            let token = NSPersistentHistoryToken(store.identifier, engine.observedPosition)
            tokens[store.identifier] = DefaultHistoryToken(token)
        }
        for save in context.storeSaves {
            if let token = save.historyToken { tokens[save.adapter.identifier ?? ""] = token }
        }
        return tokens
    }
}
#endif

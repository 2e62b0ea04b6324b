#if SwiftData
/// The results of a store's fetch, with its snapshots in one form.
struct FetchedSnapshots {
    let found: [DefaultSnapshot]
    let related: [DefaultSnapshot]
}

/// The models of a save.
struct ModelChanges {
    var inserted: [any PersistentModel] = []
    var updated: [any PersistentModel] = []
    var deleted: [any PersistentModel] = []

    var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }
}

/// The results of a save in a store, with its snapshots in one form.
struct SavedSnapshots {
    let remapped: [PersistentIdentifier: PersistentIdentifier]
    /// The inserted and changed models under their permanent identifiers.
    let saved: [DefaultSnapshot]
    let deleted: [PersistentIdentifier]
    /// Models that the store has changed.
    let reregistered: [DefaultSnapshot]
    let historyToken: (any HistoryToken)?
}

/// The requests of a container to stores of any type.
extension DataStore {
    static func opened(_ configuration: Configuration) throws -> any DataStore {
        try Self(configuration, migrationPlan: nil)
    }

    func snapshots<T>(_ request: DataStoreFetchRequest<T>) throws -> FetchedSnapshots {
        let result = try fetch(request)
        return FetchedSnapshots(
            found: try result.fetchedSnapshots.map { try DefaultSnapshot($0) },
            related: try result.relatedSnapshots.values.map { try DefaultSnapshot($0) })
    }

    func snapshotsAtHand(
        _ identifiers: [PersistentIdentifier], _ state: EditingState
    ) throws -> [DefaultSnapshot] {
        try cachedSnapshots(for: identifiers, editingState: state).values.map { try DefaultSnapshot($0) }
    }

    func save(_ changes: ModelChanges, _ state: EditingState) throws -> SavedSnapshots {
        var related: [PersistentIdentifier: any BackingData] = [:]
        for model in changes.inserted + changes.updated + changes.deleted {
            related[model.persistentModelID] = model.anyBackingData
        }
        func snapshots(_ models: [any PersistentModel]) -> [Snapshot] {
            models.map { Snapshot(from: $0.anyBackingData, relatedBackingDatas: &related) }
        }
        let request = DataStoreSaveChangesRequest(
            inserted: snapshots(changes.inserted), updated: snapshots(changes.updated),
            deleted: snapshots(changes.deleted), editingState: state)
        let result = try save(request)
        let remapped = result.remappedIdentifiers
        try check(remapped, request.inserted.map(\.persistentIdentifier))
        let saved = try (request.inserted + request.updated).map { snapshot in
            let identifier = snapshot.persistentIdentifier
            return try DefaultSnapshot(snapshot)
                .copy(persistentIdentifier: remapped[identifier] ?? identifier, remappedIdentifiers: remapped)
        }
        return SavedSnapshots(
            remapped: remapped, saved: saved, deleted: request.deleted.map(\.persistentIdentifier),
            reregistered: try result.snapshotsToReregister.values.map { try DefaultSnapshot($0) },
            historyToken: result.historyToken)
    }

    /// Throws if a new model has no identifier of this store.
    private func check(
        _ remapped: [PersistentIdentifier: PersistentIdentifier], _ inserted: [PersistentIdentifier]
    ) throws {
        for old in inserted {
            guard let new = remapped[old], new.storeIdentifier == identifier, new.entityName == old.entityName else {
                throw SwiftDataError.modelValidationFailure.because(
                    "\(Self.self) saved a new \(old.entityName) and gave it "
                        + (remapped[old].map { "the identifier \($0.id.uri)" } ?? "no identifier")
                        + ": remappedIdentifiers has to have one of the store \(identifier) for each inserted model")
            }
        }
    }
}

extension DataStoreConfiguration {
    /// Opens the store, with a schema if the configuration has none.
    func openStore(of schema: Schema) throws -> any DataStore {
        var configuration = self
        if configuration.schema == nil { configuration.schema = schema }
        return try Store.opened(configuration)
    }
}
#endif

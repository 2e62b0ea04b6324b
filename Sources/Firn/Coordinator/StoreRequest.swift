import FirnModel
import FirnProjection

/// A fetch as it goes down to the stores. Immutable.
final class StoreRequest {
    /// What is asked, its entity known and of the model of the coordinator.
    let settings: FetchSettings
    let entity: NSEntityDescription
    /// The stores to ask; nil for all that hold the entity.
    let affectedStores: [NSPersistentStore]?

    init(settings: FetchSettings, entity: NSEntityDescription, affectedStores: [NSPersistentStore]?) {
        self.settings = settings
        self.entity = entity
        self.affectedStores = affectedStores
    }

    /// The same question put differently.
    func changed(_ change: (inout FetchSettings) -> Void) -> StoreRequest {
        var settings = settings
        change(&settings)
        return StoreRequest(settings: settings, entity: entity, affectedStores: affectedStores)
    }

    /// The same without limit and offset: a caller that adds unsaved changes to the answer applies them afterwards.
    var withoutWindow: StoreRequest { changed { ($0.fetchLimit, $0.fetchOffset) = (0, 0) } }

    var hasWindow: Bool { settings.fetchLimit > 0 || settings.fetchOffset > 0 }

    /// Whether values come with the identities. A fetch in batches reads them later.
    var readsValues: Bool {
        settings.includesPropertyValues && settings.resultType == .managedObjectResultType
            && settings.fetchBatchSize <= 0
    }

    /// Whether only some properties of the objects are read.
    var isPartial: Bool { readsValues && !(settings.propertiesToFetch ?? []).isEmpty }
}

/// One part of what a source has for a request, in order.
struct FetchBatch {
    let found: NamedObjects
    /// Parallel to `found`, for a request that reads some properties only: rows without the others.
    var partial: FetchedRows?
    /// The same for a request whose objects are not to be faults, where the source reads rows itself.
    var rows: FetchedRows?
}

/// All that a source has for a request, part by part.
struct FetchResult {
    var parts: [FetchBatch] = []

    var ids: [NSManagedObjectID] { parts.flatMap { $0.found.ids } }
}

extension FetchSettings {
    /// The part of a list that limit and offset leave.
    func window<T>(_ list: [T]) -> [T] {
        let start = min(max(fetchOffset, 0), list.count)
        let end = fetchLimit > 0 ? start + min(fetchLimit, list.count - start) : list.count
        return start == 0 && end == list.count ? list : Array(list[start..<end])
    }
}

import FirnStore
import FirnFoundation
import class FirnFoundation.NSSortDescriptor
import FirnModel
import FirnProjection
import FirnRuntime
import Foundation

/// One fetch of objects: what the store is asked, and what the context makes of the answer.
///
///     init      on the context's queue     what is asked, and whether unsaved changes could matter
///     read      on any thread              the store's matches
///     finish    on the context's queue     objects, unsaved changes laid over, sorted, cut, prefetched
///
/// With unsaved changes that could matter, or with several stores to ask, the window is cut here and not in SQL: it is
/// exact, where Core Data's is the store's.
struct ObjectFetch {
    let context: NSManagedObjectContext
    let request: StoreRequest
    /// The stores that have the entity.
    private let stores: [NSPersistentStore]
    /// The parent, or the readers of the stores, parallel to them.
    private let readers: [any RowReader]
    private let cutsHere: Bool
    /// The unsaved changes when the store was asked.
    private let pending: PendingOverlay?
    /// Objects evaluate the predicate, as the store cannot.
    private let filtersHere: Bool

    init(_ context: NSManagedObjectContext, _ request: StoreRequest) throws {
        context.adoptPermanentIDs()
        self.context = context
        self.request = request
        let parent = context.parent
        guard parent != nil || context.coordinator != nil else {
            throw CoreDataError.make(
                .persistentStoreOperation,
                "the context has neither a persistent store coordinator nor a parent: set one before fetching")
        }
        let holding = context.persistentStoreCoordinator?.stores(for: request) ?? []
        if let parent {
            (stores, readers) = (holding, [parent])
        } else {
            readers = try holding.compactMap { try context.reader(of: $0) }
            stores = readers.count == holding.count ? holding : try holding.filter { try context.reader(of: $0) != nil }
        }
        filtersHere = request.needsObjects(in: stores)
        pending = PendingOverlay(context, request)
        cutsHere = stores.count > 1 || filtersHere || pending != nil
    }

    func read(_ monitor: FetchMonitor? = nil) throws -> [FetchBatch] {
        guard filtersHere else { return try batches(of: cutsHere ? request.withoutWindow : request, monitor) }
        return try batches(of: request.withoutWindow.changed { $0.predicate = nil }, monitor)
    }

    private func batches(of request: StoreRequest, _ monitor: FetchMonitor?) throws -> [FetchBatch] {
        var all: [FetchBatch] = []
        for reader in readers { try reader.read(request, monitor) { all.append($0) } }
        return all
    }

    /// Dictionaries tell what the stores have, whatever the context has changed.
    func dictionaries(_ monitor: FetchMonitor? = nil) throws -> [NSDictionary] {
        guard readers.count > 1 else { return try readers.first?.dictionaries(request, monitor) ?? [] }
        let spread = SpreadDictionaries(request)
        if try stores.contains(where: { try $0.aggregatesRows(spread.asked) }) {
            let filled = try zip(stores, readers).filter(mayHaveObjects).map(\.1)
            guard filled.count < 2 else { throw SpreadDictionaries.joinedRows(filled.count) }
            return try (filled.first ?? readers[0]).dictionaries(request, monitor)
        }
        return spread.joined(try readers.flatMap { try $0.dictionaries(spread.asked, monitor) })
    }

    /// Calls `body` with the rows of the columns, which are what `dictionaries` would have.
    func readRows(_ columns: ColumnList, _ body: (RowValueCursor) throws -> Void) throws {
        if readers.count == 1 { return try readers[0].readRows(request, columns, body) }
        try body(RowValueCursor(dictionaries(), columns))
    }

    /// Whether the store's configuration has the entity, or an earlier version of the application saved some there.
    private func mayHaveObjects(_ store: NSPersistentStore, _ reader: any RowReader) throws -> Bool {
        if store.schema?.storesPart(of: request.entity) ?? false { return true }
        var all = FetchSettings()
        all.entity = request.entity
        return try reader.count(StoreRequest(settings: all, entity: request.entity, affectedStores: nil)) > 0
    }

    /// How many objects `finish` would return.
    func count() throws -> Int {
        guard cutsHere else { return try readers.first?.count(request) ?? 0 }
        return try objects(read()).count
    }

    /// `read` and `finish` in one, on the context's queue: objects are made while later rows are read.
    func run() throws -> [NSManagedObject] {
        guard !cutsHere else { return try finish(read()) }
        let found = try instances { take in
            for reader in readers { try reader.read(request, nil, take) }
        }
        try prepare(found)
        return found
    }

    func finish(_ matches: [FetchBatch]) throws -> [NSManagedObject] {
        let found = try objects(matches)
        try prepare(found)
        return found
    }

    /// The identities of what the request finds. Makes no objects where none have changes.
    func identities() throws -> [NSManagedObjectID] { try identities(read()) }

    func identities(_ matches: [FetchBatch]) throws -> [NSManagedObjectID] {
        guard !cutsHere, PendingOverlay(context, request) == nil else { return try objects(matches).map(\.objectID) }
        return matches.flatMap { $0.found.ids }
    }

    /// The objects that the request finds, nothing of them read that was not.
    func objects(_ matches: [FetchBatch]) throws -> [NSManagedObject] {
        let overlay = PendingOverlay(context, request)
        // While an asynchronous fetch asked the store, its context may have saved, undone or begun changes.
        if pending.map({ !$0.isUnsaved }) ?? (overlay != nil && request.hasWindow) {
            let again = try ObjectFetch(context, request)
            return try again.objects(again.read())
        }
        return try overlay.map { try overlaid(matches, $0) } ?? stored(matches)
    }

    private func stored(_ matches: [FetchBatch]) throws -> [NSManagedObject] {
        let found = try filtered(instances(matches))
        return cutsHere ? request.settings.window(sorted(found)) : found
    }

    /// The stored objects that meet the predicate, if the store could not evaluate it.
    private func filtered(_ objects: [NSManagedObject]) throws -> [NSManagedObject] {
        filtersHere ? try evaluated(objects) : objects
    }

    /// The objects that meet the predicate, as the store compares.
    private func evaluated(_ objects: [NSManagedObject]) throws -> [NSManagedObject] {
        do {
            return try objects.filter(request.settings.isMet)
        } catch {
            throw CoreDataError.make(
                .persistentStoreOperation, "the fetch cannot compare objects in memory: \(error)", underlying: error)
        }
    }

    private func instances(_ matches: [FetchBatch]) -> [NSManagedObject] { instances { matches.forEach($0) } }

    /// The objects of all parts that `read` hands over.
    private func instances(_ read: (_ take: (FetchBatch) -> Void) throws -> Void) rethrows -> [NSManagedObject] {
        var found: [NSManagedObject] = []
        // With the place of their first object among all. Mostly there is one part.
        var first: (start: Int, rows: FetchedRows)?
        var others: [(start: Int, rows: FetchedRows)] = []
        var partial: [(start: Int, rows: FetchedRows)] = []
        try read { part in
            let start = found.count
            if start == 0 { found = context.objects(part.found) } else { found += context.objects(part.found) }
            if let rows = part.rows { if first == nil { first = (start, rows) } else { others.append((start, rows)) } }
            if let rows = part.partial { partial.append((start, rows)) }
        }
        // A save that won over a deletion which was merged here has written it again.
        found.forEachUnretained { object in
            if object.state.contains(.deletedRemotely), context.hasRow(object) { context.reviveAsFault(object) }
        }
        // After all is read: an observer may fetch.
        if let first { visitFaults(found, first.start, first.rows) { $0.realize($1) } }
        for part in others { visitFaults(found, part.start, part.rows) { $0.realize($1) } }
        for part in partial { visitFaults(found, part.start, part.rows) { $0.consumeHints().partial = $1 } }
        return found
    }

    /// Calls `body` with those of `found` that are faults and their rows, which are of the objects from `start` on.
    private func visitFaults(
        _ found: [NSManagedObject], _ start: Int, _ rows: FetchedRows, _ body: (NSManagedObject, Snapshot) -> Void
    ) {
        found.withUnsafeBufferPointer { found in
            rows.forEach { index, batch, row in
                let object = found[start + index]
                if object.isFault { body(object, Snapshot(batch: batch, row: row)) }
            }
        }
    }

    /// The stored matches without what no longer matches, with what now does. Unsaved objects are compared as the store
    /// compares: a fetch finds an object before it is saved if it finds it afterwards.
    private func overlaid(_ matches: [FetchBatch], _ overlay: PendingOverlay) throws -> [NSManagedObject] {
        let changed = Set(overlay.changed.map(ObjectReference.init))
        let unchanged = instances(matches).filter { !$0.isDeleted && !changed.contains(ObjectReference($0)) }
        let found = try filtered(unchanged) + evaluated(overlay.changed + overlay.inserted)
        return request.settings.window(sorted(found))
    }

    /// Sorts objects. Equal ones stay in the order in which a store gives them: by key, new objects last.
    private func sorted(_ objects: [NSManagedObject]) -> [NSManagedObject] {
        let descriptors = request.settings.sortDescriptors ?? []
        if descriptors.isEmpty, !request.hasWindow { return objects }
        let stores = context.persistentStoreCoordinator?.persistentStores ?? []
        let ranks = objects.map { ResultsRank($0, stores: stores) }
        let ranked = objects.indices.sorted { ranks[$0] < ranks[$1] }.map { objects[$0] }
        return DescriptorOrder(descriptors, joinsRows: true).sorted(ranked)
    }

    /// Brings the objects into the form that the request asks for.
    private func prepare(_ found: [NSManagedObject]) throws {
        guard request.settings.resultType == .managedObjectResultType else { return }
        if request.settings.shouldRefreshRefetchedObjects {
            for object in found where !object.isFault && !object.hasChanges {
                context.refresh(object, mergeChanges: true)
            }
        }
        let paths = request.settings.relationshipKeyPathsForPrefetching ?? []
        if request.settings.fetchBatchSize > 0, request.settings.returnsObjectsAsFaults {
            FaultBatch.arrange(found, size: request.settings.fetchBatchSize, prefetching: paths, in: context)
            return
        }
        if !paths.isEmpty { try Prefetch(context).load(paths, of: found, entity: request.entity) }
        if !request.settings.returnsObjectsAsFaults {
            for object in found where object.isFault { object.fulfill(for: nil) }
        }
    }
}

extension ResultsRank {
    init(_ object: NSManagedObject, stores: [NSPersistentStore]) {
        let key = object.identity.key
        if key.isTemporary {
            self.init(temporary: -key.primaryKey)
        } else {
            let store = object.identity.persistentStore
            self.init(store: stores.firstIndex { $0 === store } ?? stores.count, primaryKey: key.primaryKey)
        }
    }
}

extension StoreRequest {
    /// Whether the context has to evaluate the request's predicate: the stores that have the entity are in memory, and
    /// the predicate needs objects, which SQL cannot look into. A store on disk refuses such a predicate, as Apple's
    /// SQLite store does.
    fileprivate func needsObjects(in stores: [NSPersistentStore]) -> Bool {
        guard let predicate = settings.predicate, settings.resultType != .dictionaryResultType,
            stores.allSatisfy({ $0.type == NSInMemoryStoreType })
        else { return false }
        let isRefused = stores.contains { store in
            do {
                _ = try store.schema?.plan(settings)
                return false
            } catch {
                return error is UnsupportedPredicate
            }
        }
        return isRefused && PredicateClassifier(entity).need(of: predicate) == .objects
    }
}

extension NSManagedObject {
    /// Whether a request asks for objects of its kind in its store. A new object may not have one yet.
    func isAsked(
        for entity: NSEntityDescription, includesSubentities: Bool, in stores: [AnyObject]?
    ) -> Bool {
        let own = self.entity
        guard own === entity || includesSubentities && own.isKindOf(entity: entity) else { return false }
        guard let stores, let store else { return true }
        return stores.contains { $0 === store }
    }
}

/// The unsaved changes of a context that could matter to a request.
struct PendingOverlay {
    let inserted: [NSManagedObject]
    let changed: [NSManagedObject]
    private let deleted: [NSManagedObject]
    var isUnsaved: Bool { [inserted, changed, deleted].allSatisfy { $0.allSatisfy(\.hasChanges) } }

    /// Nil if there are none, or if the request ignores them.
    init?(_ context: NSManagedObjectContext, _ request: StoreRequest) {
        guard context.hasChanges, request.settings.includesPendingChanges else { return nil }
        let settings = request.settings
        let concerns: (NSManagedObject) -> Bool = { object in
            object.isAsked(
                for: request.entity, includesSubentities: settings.includesSubentities, in: request.affectedStores)
        }
        inserted = context.inserted.objects.filter(concerns)
        changed = context.updated.objects.filter(concerns)
        // A change of another entity can matter through a key path of the predicate or of a sort descriptor.
        let reachesFar = settings.predicate != nil || !(settings.sortDescriptors ?? []).isEmpty
        deleted = context.deleted.objects.filter(concerns)
        if inserted.isEmpty, changed.isEmpty, deleted.isEmpty, !reachesFar { return nil }
    }
}

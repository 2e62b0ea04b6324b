import FirnStore
import FirnModel
import Foundation
import Synchronization

/// The part of a fetched results controller that does not depend on the type of its results: the list, and keeping it
/// up to date.
///
///     context: ObjectsDidChange ─▶ who goes, comes, is different ─▶ list ─▶ delegate, snapshots
///
/// Belongs to the context's queue, as the controller does.
final class ResultsTracker: ResultsSectionOwner, @unchecked Sendable {
    let request: UntypedFetchRequest
    let context: NSManagedObjectContext
    let sectionNameKeyPath: String?
    let cacheName: String?
    weak var face: UntypedResultsController?
    /// The controller as delegates are given it.
    weak var erased: NSFetchedResultsController<any NSFetchRequestResult>?
    weak var delegate: (any NSFetchedResultsControllerDelegate)? {
        didSet { if oldValue !== delegate { (lacking, known) = ([], []) } }
    }

    /// Nil before the first fetch.
    var list: ResultsList? { didSet { version += 1 } }
    /// The request behind the list; nil when it is not to be kept up to date.
    private var query: ResultsQuery?
    /// Goes up with every change of the list.
    private(set) var version = 0
    /// Goes up with every fetch that was asked for.
    private(set) var fetchCount = 0
    /// Entries whose objects were not saved when they were last looked at.
    private var unsaved: [ResultsEntry] = []
    /// The objects of the context's last notification.
    private var lastTouched: Set<NSManagedObjectID> = []
    private var observers: [any NSObjectProtocol] = []
    private var isReporting = false
    /// Changes that happened while earlier ones were reported.
    private var waiting: [ObjectsChanged] = []
    /// Methods that the delegate was found not to have, and those of which it is known.
    var lacking: DelegateMethods = []
    var known: DelegateMethods = []
    /// The streams of snapshots that are listened to.
    let listeners = Mutex<[Int: AsyncStream<ResultsSnapshot>.Continuation]>([:])

    init(
        request: UntypedFetchRequest, context: NSManagedObjectContext, sectionNameKeyPath: String?, cacheName: String?
    ) {
        self.request = request
        self.context = context
        self.sectionNameKeyPath = sectionNameKeyPath
        self.cacheName = cacheName
        observe(.NSManagedObjectContextObjectsDidChange) { $0.objectsDidChange($1) }
        observe(.NSManagedObjectContextDidMergeChangesObjectIDs) { $0.didMerge($1) }
        observe(.NSManagedObjectContextDidSave) { tracker, _ in tracker.didSave() }
    }

    deinit {
        for observer in observers { NotificationCenter.default.removeObserver(observer) }
        for listener in listeners.withLock({ $0.values }) { listener.finish() }
    }

    private func observe(
        _ name: Notification.Name, _ body: @escaping @Sendable (ResultsTracker, [AnyHashable: Any]) -> Void
    ) {
        observers.append(
            NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) {
                [weak self] notification in
                if let self { body(self, notification.userInfo ?? [:]) }
            })
    }

    /// A result as the controller's user gets it.
    package func given(_ entry: ResultsEntry) -> Any {
        if query?.givesIDs == true || request.settings.resultType == .managedObjectIDResultType,
            let object = entry.object
        {
            return object.objectID
        }
        return entry.result
    }

    /// Fetches, and forgets what was before. Nobody is told of changes, but a delegate that takes snapshots is given
    /// the first one.
    func performFetch() throws {
        let made = try ResultsFetch(self).run()
        query = made.query
        list = made.list
        waiting = []
        fetchCount += 1
        unsaved = made.unsaved
        if made.query.givesObjects { offerSnapshot(reloaded: []) }
        notifyListeners()
    }

    private var isTracking: Bool { delegate != nil || listeners.withLock { !$0.isEmpty } }

    private func objectsDidChange(_ userInfo: [AnyHashable: Any]) {
        // The objects of the list are gone: another fetch has to be performed.
        if userInfo[NSInvalidatedAllObjectsKey] != nil { query = nil }
        guard let query, query.givesObjects, isTracking else { return }
        var changed = ObjectsChanged()
        func collect(_ keys: String..., into objects: WritableKeyPath<ObjectsChanged, Set<NSManagedObject>>) {
            for key in keys {
                for object in userInfo[key] as? Set<NSManagedObject> ?? [] where query.isReached(by: object) {
                    changed[keyPath: objects].insert(object)
                }
            }
        }
        collect(NSInsertedObjectsKey, into: \.inserted)
        collect(NSUpdatedObjectsKey, NSRefreshedObjectsKey, into: \.touched)
        changed.inserted.subtract(changed.touched)
        changed.touched.formUnion(changed.inserted)
        collect(NSDeletedObjectsKey, into: \.gone)
        // An observer that was notified before this one may have brought an object back.
        let returned = changed.gone.filter { !$0.isDeleted && !$0.state.contains(.gone) }
        changed.gone.subtract(returned)
        changed.touched.formUnion(returned)
        collect(NSInvalidatedObjectsKey, into: \.gone)
        lastTouched = Set(changed.touched.map(\.objectID))
        process(changed)
    }

    /// A merge tells of changed objects only if they are held and no faults; here the others count too.
    private func didMerge(_ userInfo: [AnyHashable: Any]) {
        guard let query, query.givesObjects, isTracking else { return }
        var changed = ObjectsChanged()
        for key in [NSManagedObjectContext.NotificationKey.updatedObjectIDs, .refreshedObjectIDs] {
            for id in userInfo[key.rawValue] as? Set<NSManagedObjectID> ?? [] {
                let object = context.object(with: id)
                if query.isReached(by: object) { changed.touched.insert(object) }
            }
        }
        changed.known = lastTouched
        process(changed)
    }

    /// A save changes what a fetch finds where unsaved changes do not count.
    private func didSave() {
        guard let query, query.givesObjects, query.needsFetch, isTracking else { return }
        process(ObjectsChanged(isForced: true))
    }

    /// Objects that a notification told of, as far as they matter.
    private struct ObjectsChanged {
        var touched: Set<NSManagedObject> = []
        var gone: Set<NSManagedObject> = []
        /// Insertions, which a fetch may have found before they were notified.
        var inserted: Set<NSManagedObject> = []
        /// Touched objects that were reported before.
        var known: Set<NSManagedObjectID> = []
        /// Whether to look even if no object is named.
        var isForced = false

        var isEmpty: Bool { touched.isEmpty && gone.isEmpty && !isForced }

        /// Whether a result that stays where it is has to be reported as updated.
        func isUpdated(_ object: NSManagedObject) -> Bool {
            touched.contains(object) && !known.contains(object.objectID) && !inserted.contains(object)
        }
    }

    /// Brings the list up to date and reports it; not while something is being reported, but after it.
    private func process(_ changed: ObjectsChanged) {
        guard !changed.isEmpty else { return }
        context.adoptPermanentIDs()
        waiting.append(changed)
        guard !isReporting else { return }
        isReporting = true
        defer { isReporting = false }
        while !waiting.isEmpty {
            let next = waiting.removeFirst()
            guard let query, list != nil else { continue }
            // Another fetch compares ranks, so the objects that were saved since have theirs before it.
            if query.needsFetch { unsaved += rankSaved(query, reported: []) }
            var event = query.needsFetch ? refetched(next, query) : evaluated(next, query)
            let reported = Set((event.departures + event.updates.map(\.entry)).map { ObjectIdentifier($0) })
            for entry in rankSaved(query, reported: reported) {
                if let object = entry.object { event.updates.append((entry, query.arrival(object))) }
            }
            if !event.isEmpty { report(event) }
        }
    }

    /// The list's changes, found from the objects that changed alone.
    private func evaluated(_ changed: ObjectsChanged, _ query: ResultsQuery) -> ResultsList.Event {
        var event = ResultsList.Event()
        for object in changed.gone {
            if let entry = list?.entry(of: object) { event.departures.append(entry) }
        }
        for object in changed.touched where !changed.gone.contains(object) {
            let entry = list?.entry(of: object)
            guard query.matches(object) else {
                if let entry { event.departures.append(entry) }
                continue
            }
            add(object, entry, to: &event, changed, query)
        }
        return event
    }

    /// Adds a result that comes, or is to be reported as updated.
    private func add(
        _ object: NSManagedObject, _ entry: ResultsEntry?, to event: inout ResultsList.Event,
        _ changed: ObjectsChanged, _ query: ResultsQuery
    ) {
        let now = query.arrival(object)
        if let entry {
            if changed.isUpdated(object) || list?.isSettled(entry, now) == false { event.updates.append((entry, now)) }
        } else {
            event.arrivals.append(now)
        }
    }

    /// The list's changes, found by another fetch.
    private func refetched(_ changed: ObjectsChanged, _ query: ResultsQuery) -> ResultsList.Event {
        var event = ResultsList.Event()
        guard let found = try? ResultsFetch(self).objects(), let list else { return event }
        var alive: Set<ObjectReference> = []
        for object in found {
            alive.insert(ObjectReference(object))
            add(object, list.entry(of: object), to: &event, changed, query)
        }
        list.forEach { entry in
            if let object = entry.object, !alive.contains(ObjectReference(object)) {
                event.departures.append(entry)
            }
        }
        return event
    }

    /// Ranks objects that were saved since by their keys. Nearly always that leaves them in their places; returns the
    /// others, without those in `reported`.
    private func rankSaved(_ query: ResultsQuery, reported: Set<ObjectIdentifier>) -> [ResultsEntry] {
        let saved = unsaved.filter { $0.object?.objectID.isTemporaryID == false }
        guard !saved.isEmpty, let list else { return [] }
        unsaved.removeAll { $0.object?.objectID.isTemporaryID == false }
        return saved.sorted(by: list.order.precedes).filter { entry in
            guard let object = entry.object, list.entry(of: object) === entry, !reported.contains(.init(entry))
            else { return false }
            return !list.rerank(entry, query.rank(of: object))
        }
    }

    private func report(_ event: ResultsList.Event) {
        notifyDelegate(of: event)
        for arrival in event.arrivals where arrival.rank.isTemporary {
            if let entry = list?.entry(of: arrival.result) { unsaved.append(entry) }
        }
        // Saved while the event was made: ranked with the next one.
        unsaved += event.updates.lazy.filter { entry, now in
            now.rank.isTemporary && entry.object?.objectID.isTemporaryID == false
        }.map(\.entry)
        notifyListeners()
    }

    func apply(_ event: ResultsList.Event) -> ResultsChange {
        list?.apply(event) ?? ResultsChange()
    }
}

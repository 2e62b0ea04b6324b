public import FirnStore
public import FirnModel
public import Foundation

/// Keeps the results of a fetch request, in sections, up to date with a context, and tells a delegate what changes.
///
/// The guarantee: what the delegate is told, applied to the old content, gives the new one. A change of k objects
/// among n costs O(k log n) where the request can be decided from the changed objects alone; a request with a window,
/// or one that reads values of related objects, is fetched again.
///
/// Belongs to the context's queue. As with `NSFetchRequest`, the type parameter carries no constraint here, so that
/// `NSFetchedResultsController<any NSFetchRequestResult>` can be written. Delegates are given a controller of that
/// type; it is `==` and `===` to the one they were set on, and shares everything with it.
/// https://developer.apple.com/documentation/coredata/nsfetchedresultscontroller
open class NSFetchedResultsController<ResultType>: UntypedResultsController {
    private let typedRequest: NSFetchRequest<ResultType>
    private let isFace: Bool
    /// The results as an array, and which state of the list they are of.
    private var array: (version: Int, results: [ResultType])?
    private var erasedController: NSFetchedResultsController<any NSFetchRequestResult>?

    /// A controller for the request's results. The request needs sort descriptors; with none in its array, objects come
    /// in the order of their keys. With a section name key path the first one must put the sections in order.
    public init(
        fetchRequest: NSFetchRequest<ResultType>, managedObjectContext context: NSManagedObjectContext,
        sectionNameKeyPath: String?, cacheName name: String?
    ) {
        guard fetchRequest.sortDescriptors != nil else {
            fatalError(
                "an instance of NSFetchedResultsController requires a fetch request with sort descriptors: set them, "
                    + "or an empty array for the order of the keys")
        }
        typedRequest = fetchRequest
        isFace = true
        super.init(
            ResultsTracker(
                request: fetchRequest, context: context, sectionNameKeyPath: sectionNameKeyPath, cacheName: name))
        tracker.face = self
    }

    /// Another face of a controller.
    init(face tracker: ResultsTracker) {
        isFace = false
        typedRequest = NSFetchRequest<ResultType>()
        typedRequest.copySettings(from: tracker.request)
        super.init(tracker)
        tracker.erased = self as? NSFetchedResultsController<any NSFetchRequestResult>
    }

    override var erased: NSFetchedResultsController<any NSFetchRequestResult> {
        if let known = erasedController { return known }
        if let own = self as? NSFetchedResultsController<any NSFetchRequestResult> { return own }
        let made = NSFetchedResultsController<any NSFetchRequestResult>(face: tracker)
        erasedController = made
        return made
    }

    /// May be changed between fetches; the next `performFetch()` takes the changes.
    open var fetchRequest: NSFetchRequest<ResultType> { typedRequest }

    /// The context whose objects it shows.
    open var managedObjectContext: NSManagedObjectContext { tracker.context }

    /// The key path that names a result's section; nil for one section.
    open var sectionNameKeyPath: String? { tracker.sectionNameKeyPath }

    /// The name that was given for a cache of sections. None is kept: the sections are those of the objects as they
    /// are, which costs one value of each.
    open var cacheName: String? { tracker.cacheName }

    /// Does nothing: there is no cache of sections to delete.
    public class func deleteCache(withName name: String?) {}

    /// The receiver of changes. Without a delegate, and without anyone listening to `snapshots()`, the results stay as
    /// they were fetched. Not retained.
    open var delegate: (any NSFetchedResultsControllerDelegate)? {
        get { tracker.delegate }
        set { tracker.delegate = newValue }
    }

    /// Fetches the results. Throws what the fetch throws, and an error if the order of the results is not that of
    /// their sections.
    open func performFetch() throws {
        if !isFace { tracker.request.copySettings(from: typedRequest) }
        try tracker.performFetch()
    }

    /// The results; nil before `performFetch()`. O(n) after each change.
    open var fetchedObjects: [ResultType]? {
        guard let list = tracker.list else { return nil }
        if let array, array.version == tracker.version { return array.results }
        var results: [ResultType] = []
        results.reserveCapacity(list.count)
        list.forEach { results.append(typed($0)) }
        array = (tracker.version, results)
        return results
    }

    /// The result at a place. Traps if there is none.
    open func object(at indexPath: IndexPath) -> ResultType {
        guard let list = tracker.list else {
            fatalError("performFetch() must be called before object(at:)")
        }
        return typed(list.entry(at: indexPath))
    }

    /// The place of a result; nil if it is none. O(log n).
    open func indexPath(forObject object: ResultType) -> IndexPath? {
        var result = object as AnyObject
        if let id = object as? NSManagedObjectID {
            guard let known = tracker.context.registeredObject(for: id) else { return nil }
            result = known
        }
        guard let list = tracker.list, let entry = list.entry(of: result) else { return nil }
        return list.indexPath(of: entry)
    }

    private func typed(_ entry: ResultsEntry) -> ResultType {
        let result = tracker.given(entry)
        guard let typed = result as? ResultType else {
            fatalError(
                "the request gives \(type(of: result)), not \(ResultType.self): let its resultType and the class "
                    + "of its entity fit the controller's type")
        }
        return typed
    }

    /// The sections; nil before `performFetch()`. Without a section name key path there is one, be it empty.
    open var sections: [any NSFetchedResultsSectionInfo]? { tracker.list?.sections }

    open override func sectionIndexTitle(forSectionName sectionName: String) -> String? {
        super.sectionIndexTitle(forSectionName: sectionName)
    }

    /// The titles of the sections for an index, each once.
    open var sectionIndexTitles: [String] {
        var titles: [String] = []
        for section in tracker.list?.sections ?? [] {
            if let title = section.indexTitle, titles.last != title { titles.append(title) }
        }
        return titles
    }

    /// The section that an entry of the index leads to: the first with that title.
    open func section(forSectionIndexTitle title: String, at sectionIndex: Int) -> Int {
        guard let index = tracker.list?.sections.firstIndex(where: { $0.indexTitle == title }) else {
            fatalError("no section has the index title '\(title)': take it from sectionIndexTitles")
        }
        return index
    }
}

#if SwiftData
import Firn
import FirnModel
public import Foundation
public import Observation

/// The models that a fetch finds, kept up to date: with changes of the context, unsaved ones among them, and with what
/// other contexts of the container, other stacks and other processes save.
///
/// Belongs to the context's owner. Observers are notified if other models are among the results, or in another order;
/// of changes of a model's properties the model itself notifies them. Without an owner that is known, from
/// `isolation` or the context, what others save is merged when the results are next read.
/// Complexity: a change of the fetched models is O(results).
/// https://developer.apple.com/documentation/swiftdata/resultsobserver
public final class ResultsObserver<Element: PersistentModel, SectionTitle: Hashable>: Observable,
    CustomDebugStringConvertible
{
    /// The context that is fetched from.
    public final let modelContext: ModelContext
    private let registrar = ObservationRegistrar()
    private var query: ObservedQuery<Element, SectionTitle>
    private var observed: ObservedResults<Element, SectionTitle>
    private var shown: (results: FetchResultsCollection<Element>, sections: SectionedResults<Element, SectionTitle>?)
    private var subscription: ContextSubscription?
    private var isRefreshing = false
    private var error: (any Error)?

    init(
        _ descriptor: FetchDescriptor<Element>, sectionKey: KeyPath<Element, SectionTitle>?, _ context: ModelContext,
        _ owner: (any Actor)?
    ) throws {
        modelContext = context
        if let owner, !context.handle.owner.isKnown { context.setOwner(.of(owner)) }
        query = ObservedQuery(descriptor: descriptor, sectionKey: sectionKey)
        context.catchUp()
        observed = try query.fetch(in: context)
        shown = (observed.list.collection, observed.sections)
        let subscription = ContextSubscription(context) { [weak self] in self?.refresh() }
        self.subscription = subscription
        try updateSubscription()
    }

    private func updateSubscription() throws {
        let request = try query.request(in: modelContext)
        let model = modelContext.coordinator.managedObjectModel
        guard let entity = model.entitiesByName[request.entityName ?? ""] else { return }
        let keys = (request.sortDescriptors ?? []).compactMap(\.key)
        let others = ResultsReach(entity, request.predicate, keys).entityNames
        subscription?.entities = others.union(entity.selfAndDescendants.compactMap(\.name))
        subscription?.waitsForSaves = !query.descriptor.includePendingChanges
    }

    // What is fetched.

    /// The fetch, as it is made: the model's identifier is the last key of the order. The key of sections, which is the
    /// first, is `sectionBy`.
    public final var fetchDescriptor: FetchDescriptor<Element> {
        registrar.access(self, keyPath: \.fetchDescriptor)
        return query.fetchDescriptor
    }

    /// The predicate that the models have to meet; nil for all. Setting it fetches before it returns.
    public final var filterBy: Predicate<Element>? {
        get {
            registrar.access(self, keyPath: \.filterBy)
            return query.descriptor.predicate
        }
        set {
            registrar.withMutation(of: self, keyPath: \.filterBy) { query.descriptor.predicate = newValue }
            queryChanged()
        }
    }

    /// The order. Setting it fetches before it returns.
    public final var sortBy: [SortDescriptor<Element>] {
        get {
            registrar.access(self, keyPath: \.sortBy)
            return query.descriptor.sortBy
        }
        set {
            registrar.withMutation(of: self, keyPath: \.sortBy) { query.descriptor.sortBy = newValue }
            queryChanged()
        }
    }

    /// The key of sections; nil without sections.
    public final var sectionBy: PartialKeyPath<Element>? { query.sectionKey }

    private func queryChanged() {
        registrar.withMutation(of: self, keyPath: \.fetchDescriptor) {}
        modelContext.catchUp()
        refresh()
        do { try updateSubscription() } catch { fail(error) }
    }

    // What was found.

    /// The models. Setting them shows others until the next change.
    public final var results: FetchResultsCollection<Element> {
        get {
            bringUpToDate()
            registrar.access(self, keyPath: \.results)
            return shown.results
        }
        set { registrar.withMutation(of: self, keyPath: \.results) { shown.results = newValue } }
    }

    /// The models in sections; nil without sections. Setting them shows others until the next change.
    public final var sections: SectionedResults<Element, SectionTitle>? {
        get {
            bringUpToDate()
            registrar.access(self, keyPath: \.sections)
            return shown.sections
        }
        set { registrar.withMutation(of: self, keyPath: \.sections) { shown.sections = newValue } }
    }

    /// The error of the last fetch, whose results are those from before; nil if it had none. Ours, not Apple's: setters
    /// and changes elsewhere cannot throw.
    public final var fetchError: (any Error)? {
        registrar.access(self, keyPath: \.fetchError)
        return error
    }

    /// The model at a place: of one index, or of a section's and one within it. Nil if there is none.
    public final func element(at indexPath: IndexPath) -> Element? {
        guard let sections else {
            guard let index = indexPath.last, results.indices.contains(index) else { return nil }
            return results[index]
        }
        guard indexPath.count == 2, sections.indices.contains(indexPath[0]) else { return nil }
        let section = sections[indexPath[0]]
        return section.indices.contains(indexPath[1]) ? section[indexPath[1]] : nil
    }

    /// The place of a model: its section and its index within it; without sections the section is 0. Nil if it is not
    /// among the results.
    public final func indexPath(for element: Element) -> IndexPath? {
        bringUpToDate()
        guard let object = element.storage.object,
            let position = observed.list.objects.firstIndex(where: { $0 === object })
        else { return nil }
        guard let sections = observed.sections else { return [0, position] }
        for (number, section) in sections.enumerated() {
            if let index = section.index(ofResult: position) { return [number, index] }
        }
        return nil
    }

    public final var debugDescription: String {
        let count = observed.sections.map { ", \($0.count) sections" } ?? ""
        return "ResultsObserver<\(Element.self)>: \(observed.list.objects.count) models\(count)"
    }

    // Changes.

    /// Brings the results up to date: what changed in the context since it was last processed counts.
    private func bringUpToDate() {
        if isRefreshing { return }
        modelContext.mergeArrived()
        modelContext.managed.processPendingChanges()
    }

    private func refresh() {
        if isRefreshing { return }
        isRefreshing = true
        defer { isRefreshing = false }
        do {
            show(try query.fetch(in: modelContext))
            if error != nil { fail(nil) }
        } catch {
            fail(error)
        }
    }

    private func fail(_ new: (any Error)?) { registrar.withMutation(of: self, keyPath: \.fetchError) { error = new } }

    /// Notifies observers of what is different.
    private func show(_ new: ObservedResults<Element, SectionTitle>) {
        let hasSameObjects = observed.list.hasSameObjects(as: new.list)
        let hasSameSections = observed.sections == new.sections
        if hasSameObjects, hasSameSections { return }
        if !hasSameObjects { registrar.willSet(self, keyPath: \.results) }
        if !hasSameSections { registrar.willSet(self, keyPath: \.sections) }
        observed = new
        shown = (new.list.collection, new.sections)
        if !hasSameSections { registrar.didSet(self, keyPath: \.sections) }
        if !hasSameObjects { registrar.didSet(self, keyPath: \.results) }
    }
}
#endif

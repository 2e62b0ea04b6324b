import FirnModel
import FirnStore
import Foundation

/// Telling the delegate.
extension ResultsTracker {
    /// Called by the default implementation of a delegate's method.
    func delegateLacks(_ method: DelegateMethods) { lacking.insert(method) }

    /// Applies an event, telling the delegate in the way that it has methods for.
    func notifyDelegate(of event: ResultsList.Event) {
        let kinds: DelegateMethods = list?.isSectioned == true ? [.snapshot] : [.snapshot, .difference]
        guard let delegate, !kinds.subtracting(lacking).isEmpty else {
            return reportSingly(delegate, event)
        }
        // Not known to lack them: it may turn out to have neither, and then wants to see the old list first.
        let before = known.isSuperset(of: kinds) ? nil : list?.copy()
        let change = apply(event)
        if offerSnapshot(reloaded: change.items.filter { $0.type != .insert && $0.type != .delete }) { return }
        if kinds.contains(.difference), offer(change.difference, to: delegate) { return }
        let after = list
        let fetches = fetchCount
        list = before
        delegate.controllerWillChangeContent(controller)
        // A fetch in there has given the controller newer content than what is told here.
        guard fetchCount == fetches else { return delegate.controllerDidChangeContent(controller) }
        list = after
        notifyDelegate(of: change, to: delegate)
    }

    private func reportSingly(
        _ delegate: (any NSFetchedResultsControllerDelegate)?, _ event: ResultsList.Event
    ) {
        let fetches = fetchCount
        delegate?.controllerWillChangeContent(controller)
        guard fetchCount == fetches else {
            delegate?.controllerDidChangeContent(controller)
            return
        }
        notifyDelegate(of: apply(event), to: delegate)
    }

    private func notifyDelegate(of change: ResultsChange, to delegate: (any NSFetchedResultsControllerDelegate)?) {
        guard let delegate else { return }
        let sections = [
            (change.deletedSections, NSFetchedResultsChangeType.delete), (change.insertedSections, .insert),
        ]
        for (items, type) in sections {
            for item in items {
                delegate.controller(controller, didChange: item.section, atSectionIndex: item.index, for: type)
            }
        }
        for item in change.items {
            delegate.controller(
                controller, didChange: given(item.entry), at: item.old, for: item.type, newIndexPath: item.new)
        }
        delegate.controllerDidChangeContent(controller)
    }

    /// Gives the delegate a snapshot of the list. False if it does not take any.
    @discardableResult
    func offerSnapshot(reloaded: [ResultsChange.Item]) -> Bool {
        guard let delegate, let list, !lacking.contains(.snapshot) else { return false }
        let sections = list.sections.map { section in
            var items: [NSObject] = []
            section.entries.forEach { entry in if let id = entry.object?.objectID { items.append(id) } }
            return (name: section.name, items: items)
        }
        let snapshot = NSDiffableDataSourceSnapshotReference(
            sections: sections, reloaded: reloaded.compactMap { $0.entry.object?.objectID })
        delegate.controller(controller, didChangeContentWith: snapshot)
        known.insert(.snapshot)
        return !lacking.contains(.snapshot)
    }

    private func offer(
        _ difference: CollectionDifference<NSManagedObjectID>, to delegate: any NSFetchedResultsControllerDelegate
    ) -> Bool {
        guard !lacking.contains(.difference) else { return false }
        delegate.controller(controller, didChangeContentWith: difference)
        known.insert(.difference)
        return !lacking.contains(.difference)
    }

    /// The title of a section in the index: the delegate's, or the first letter of the section's name.
    func defaultIndexTitle(forSectionName name: String) -> String? {
        if let delegate, !lacking.contains(.indexTitle) {
            let title = delegate.controller(controller, sectionIndexTitleForSectionName: name)
            if !lacking.contains(.indexTitle) { return title }
        }
        return name.first.map { String($0).uppercased() }
    }

    package func indexTitle(forSectionName name: String) -> String? {
        face?.sectionIndexTitle(forSectionName: name) ?? defaultIndexTitle(forSectionName: name)
    }

    /// The controller as its delegate knows it.
    var controller: NSFetchedResultsController<any NSFetchRequestResult> {
        if let erased { return erased }
        if let made = face?.erased { return made }
        return NSFetchedResultsController<any NSFetchRequestResult>(face: self)
    }
}

extension ResultsEntry {
    var object: NSManagedObject? { result as? NSManagedObject }
}

extension ResultsChange {
    /// The change of a list without sections, by object ID. An update is a removal and an insertion that belong
    /// together, as a move is.
    var difference: CollectionDifference<NSManagedObjectID> {
        var changes: [CollectionDifference<NSManagedObjectID>.Change] = []
        for item in items {
            guard let id = item.entry.object?.objectID else { continue }
            if let old = item.old {
                changes.append(.remove(offset: old.item, element: id, associatedWith: item.new?.item))
            }
            if let new = item.new {
                changes.append(.insert(offset: new.item, element: id, associatedWith: item.old?.item))
            }
        }
        guard let difference = CollectionDifference(changes) else {
            fatalError("places of a change to a results list contradict each other")
        }
        return difference
    }
}

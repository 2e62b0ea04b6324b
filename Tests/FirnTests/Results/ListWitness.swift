import Firn
import Foundation
import Testing

/// A delegate that keeps a list of its own from what it is told, and nothing else: the old list with the reported
/// changes applied. Told in single steps.
final class ListWitness: NSObject, NSFetchedResultsControllerDelegate {
    struct Section: Equatable {
        var name: String
        var objects: [NSManagedObject]
    }

    enum Step: Equatable {
        case willChange
        case section(NSFetchedResultsChangeType, Int, name: String)
        case object(NSFetchedResultsChangeType, NSManagedObject, old: IndexPath?, new: IndexPath?)
        case didChange
    }

    private(set) var sections: [Section] = []
    /// All that was told, in order.
    private(set) var steps: [Step] = []
    private var batch: [Step] = []
    private var isStarted = false
    /// Runs in the middle of being told.
    var interference: ((Step) -> Void)?

    /// Takes the content as it is now.
    func start<T>(_ controller: NSFetchedResultsController<T>) {
        sections = Self.content(controller)
        steps = []
        isStarted = true
    }

    /// Makes a controller that has fetched, and tells this witness what comes.
    func watched<T>(
        _ request: NSFetchRequest<T>, in context: NSManagedObjectContext, section: String? = nil
    ) throws -> NSFetchedResultsController<T> {
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: section, cacheName: nil)
        controller.delegate = self
        try controller.performFetch()
        start(controller)
        return controller
    }

    static func content<T>(_ controller: NSFetchedResultsController<T>) -> [Section] {
        (controller.sections ?? []).map {
            Section(name: $0.name, objects: ($0.objects ?? []).compactMap { $0 as? NSManagedObject })
        }
    }

    var objects: [NSManagedObject] { sections.flatMap(\.objects) }

    var types: [NSFetchedResultsChangeType] {
        steps.compactMap { if case .object(let type, _, _, _) = $0 { type } else { nil } }
    }

    func forget() { steps = [] }

    private func note(_ step: Step) {
        steps.append(step)
        batch.append(step)
        interference?(step)
    }

    func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
        batch = []
        note(.willChange)
    }

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
        for type: NSFetchedResultsChangeType
    ) {
        note(.section(type, sectionIndex, name: sectionInfo.name))
    }

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
        at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
        guard let object = anObject as? NSManagedObject else { return }
        note(.object(type, object, old: indexPath, new: newIndexPath))
    }

    func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
        if isStarted { apply(batch) }
        note(.didChange)
    }

    /// Old places first, from the end; then sections; then new places, from the beginning.
    private func apply(_ batch: [Step]) {
        var taken: [IndexPath] = []
        var put: [(IndexPath, NSManagedObject)] = []
        for case .object(let type, let object, let old, let new) in batch where type != .update {
            if let old { taken.append(old) }
            if let new { put.append((new, object)) }
        }
        for path in taken.sorted(by: >) { sections[path.section].objects.remove(at: path.item) }
        for case .section(.delete, let index, _) in batch { sections.remove(at: index) }
        for case .section(.insert, let index, let name) in batch {
            sections.insert(Section(name: name, objects: []), at: index)
        }
        for (path, object) in put.sorted(by: { $0.0 < $1.0 }) {
            sections[path.section].objects.insert(object, at: path.item)
        }
    }
}

/// The same, told in differences.
final class DifferenceWitness: NSObject, NSFetchedResultsControllerDelegate {
    var objects: [NSManagedObject] = []
    private(set) var callCount = 0
    /// Methods that must not be called beside the difference.
    private(set) var otherCallCount = 0

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
    ) {
        callCount += 1
        let context = controller.managedObjectContext
        typealias Change = CollectionDifference<NSManagedObject>.Change
        let changes = diff.map { change -> Change in
            switch change {
            case .insert(let offset, let id, let other):
                .insert(offset: offset, element: context.object(with: id), associatedWith: other)
            case .remove(let offset, let id, let other):
                .remove(offset: offset, element: context.object(with: id), associatedWith: other)
            }
        }
        guard let own = CollectionDifference(changes), let next = objects.applying(own) else {
            Issue.record("the difference does not fit the list that it changes")
            return
        }
        objects = next
    }

    func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
        otherCallCount += 1
    }

    func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
        otherCallCount += 1
    }
}

/// The same, told in snapshots.
final class SnapshotWitness: NSObject, NSFetchedResultsControllerDelegate {
    private(set) var snapshots: [NSDiffableDataSourceSnapshotReference] = []
    private(set) var otherCallCount = 0

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith snapshot: NSDiffableDataSourceSnapshotReference
    ) { snapshots.append(snapshot) }

    func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
        otherCallCount += 1
    }
}

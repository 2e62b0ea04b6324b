public import FirnStore
public import FirnModel
public import Foundation

/// Hears of changes to the results of a fetched results controller.
///
/// Every method is optional. Of those that tell changes one kind is called: the one with a snapshot, if the delegate
/// has it; else the one with a difference, if it has that and the results have no sections; else the single ones in
/// the order willChange, sections, objects, didChange.
///
/// https://developer.apple.com/documentation/coredata/nsfetchedresultscontrollerdelegate
public protocol NSFetchedResultsControllerDelegate: NSObjectProtocol {
    /// Tells all changes at once, as the new content.
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith snapshot: NSDiffableDataSourceSnapshotReference)

    /// Tells all changes at once, as a difference from the old content.
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith diff: CollectionDifference<NSManagedObjectID>)

    /// Tells of one object. `indexPath` is its place before all changes, nil for an insertion; `newIndexPath` its
    /// place after them, nil for a deletion. A move is an update too.
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
        at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?)

    /// Tells of a section that came or went. `sectionIndex` is its place before all changes if it went, after them
    /// if it came.
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
        for type: NSFetchedResultsChangeType)

    /// Called before changes are told. The controller still has the old content.
    func controllerWillChangeContent(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>)

    /// Called after all changes were told.
    func controllerDidChangeContent(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>)

    /// The title in the section index for a section of that name.
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        sectionIndexTitleForSectionName sectionName: String) -> String?
}

// Without the Objective-C runtime nobody can ask whether a delegate has a method: the ones it does not have are these,
// and those whose absence decides something say that they were called.
extension NSFetchedResultsControllerDelegate {
    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith snapshot: NSDiffableDataSourceSnapshotReference
    ) { controller.tracker.delegateLacks(.snapshot) }

    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
    ) { controller.tracker.delegateLacks(.difference) }

    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
        at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {}

    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
        for type: NSFetchedResultsChangeType
    ) {}

    public func controllerWillChangeContent(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>
    ) {}

    public func controllerDidChangeContent(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>
    ) {}

    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        sectionIndexTitleForSectionName sectionName: String
    ) -> String? {
        controller.tracker.delegateLacks(.indexTitle)
        return nil
    }
}

/// Methods of a delegate that matter by being absent.
struct DelegateMethods: OptionSet {
    let rawValue: UInt8

    static let snapshot = DelegateMethods(rawValue: 1)
    static let difference = DelegateMethods(rawValue: 2)
    static let indexTitle = DelegateMethods(rawValue: 4)
}

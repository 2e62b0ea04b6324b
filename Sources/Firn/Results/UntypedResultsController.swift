import FirnModel
public import Foundation

/// All of a fetched results controller but the type of its results.
///
/// In Objective-C the type parameter of `NSFetchedResultsController` is erased. Here a delegate is given another
/// instance than the one that it was set on, of another type; both share one tracker, and are `==` and `===`.
open class UntypedResultsController: NSObject {
    let tracker: ResultsTracker

    init(_ tracker: ResultsTracker) {
        self.tracker = tracker
        super.init()
    }

    /// The controller as delegates are given it.
    var erased: NSFetchedResultsController<any NSFetchRequestResult> {
        fatalError("only NSFetchedResultsController descends from this class")
    }

    /// The first letter of the name, in upper case, unless the delegate has a title for it. To be overridden.
    open func sectionIndexTitle(forSectionName sectionName: String) -> String? {
        tracker.defaultIndexTitle(forSectionName: sectionName)
    }

    /// Whether the other is the same controller, be it of another type.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? UntypedResultsController)?.tracker === tracker
    }

    open override var hash: Int { ObjectIdentifier(tracker).hashValue }
}

/// Whether two controllers are one: a delegate is given its controller under another type.
public func === (lhs: UntypedResultsController?, rhs: UntypedResultsController?) -> Bool {
    lhs?.tracker === rhs?.tracker
}

/// Whether two controllers are not one.
public func !== (lhs: UntypedResultsController?, rhs: UntypedResultsController?) -> Bool {
    lhs?.tracker !== rhs?.tracker
}

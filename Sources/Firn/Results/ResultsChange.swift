import FirnModel
import Foundation

/// What happened to a list of results in one go.
///
/// Applied to the old list it gives the new one: take away deleted items and those that moved, at their old places
/// from the last to the first; take away deleted sections, from the last to the first; put in the new sections, from
/// the first to the last; put in new and moved items at their new places, from the first to the last.
struct ResultsChange {
    struct SectionItem {
        let section: ResultsSection
        let index: Int
    }

    struct Item {
        let entry: ResultsEntry
        let type: NSFetchedResultsChangeType
        /// Before the change; nil for an insertion.
        let old: IndexPath?
        /// After the change; nil for a deletion.
        let new: IndexPath?
    }

    /// At their old places, the last first.
    var deletedSections: [SectionItem] = []
    /// At their new places, the first first.
    var insertedSections: [SectionItem] = []
    /// Deletions, the last first; insertions, the first first; moves; updates.
    var items: [Item] = []

    var isEmpty: Bool { deletedSections.isEmpty && insertedSections.isEmpty && items.isEmpty }

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

/// https://developer.apple.com/documentation/coredata/nsfetchedresultschangetype
public enum NSFetchedResultsChangeType: UInt, Sendable {
    /// The object came.
    case insert = 1
    /// The object went.
    case delete = 2
    /// The object has another place.
    case move = 3
    /// The object changed in its place.
    case update = 4
}

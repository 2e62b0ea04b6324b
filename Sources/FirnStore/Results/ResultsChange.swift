public import FirnModel
package import Foundation

/// The change of a list of results in one go.
///
/// Applied to the old list it gives the new one: take away deleted items and those that moved, at their old places
/// from the last to the first; take away deleted sections, from the last to the first; put in the new sections, from
/// the first to the last; put in new and moved items at their new places, from the first to the last.
package struct ResultsChange {
    package struct SectionItem {
        package let section: ListSection
        package let index: Int
    }

    package struct Item {
        package let entry: ResultsEntry
        package let type: NSFetchedResultsChangeType
        /// Before the change; nil for an insertion.
        package let old: IndexPath?
        /// After the change; nil for a deletion.
        package let new: IndexPath?
    }

    /// At their old places, the last first.
    package var deletedSections: [SectionItem] = []
    /// At their new places, the first first.
    package var insertedSections: [SectionItem] = []
    /// Deletions, the last first; insertions, the first first; moves; updates.
    package var items: [Item] = []

    package init() {}

    package var isEmpty: Bool { deletedSections.isEmpty && insertedSections.isEmpty && items.isEmpty }
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

/// The content of a results controller at one time, to be handed to any thread.
public struct ResultsSnapshot: Hashable, Sendable {
    /// Results that have a section's name in common.
    public struct Section: Hashable, Sendable {
        /// The section's name.
        public let name: String
        /// The section's results, in order.
        public let objectIDs: [NSManagedObjectID]

        package init(name: String, objectIDs: [NSManagedObjectID]) {
            self.name = name
            self.objectIDs = objectIDs
        }
    }

    /// At least one if the controller has no section name key path.
    public let sections: [Section]

    package init(sections: [Section]) { self.sections = sections }

    /// All results, section by section.
    public var objectIDs: [NSManagedObjectID] { sections.flatMap(\.objectIDs) }
}

package import Foundation

/// The change of a list of results in one go.
///
/// Applied to the old list it gives the new one: take away deleted items and those that moved, at their old places
/// from the last to the first; take away deleted sections, from the last to the first; put in the new sections, from
/// the first to the last; put in new and moved items at their new places, from the first to the last.
package struct ResultsChange {
    package struct SectionItem {
        package let section: ResultsSection
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

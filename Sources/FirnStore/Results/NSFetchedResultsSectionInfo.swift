package import Foundation

/// One section of a fetched results controller's results.
///
/// https://developer.apple.com/documentation/coredata/nsfetchedresultssectioninfo
public protocol NSFetchedResultsSectionInfo {
    /// The section's name.
    var name: String { get }

    /// The section's title in an index next to the list.
    var indexTitle: String? { get }

    /// How many objects the section has.
    var numberOfObjects: Int { get }

    /// The results of the section. O(n).
    var objects: [Any]? { get }
}

/// Whose list a section is in: it knows what a user is given.
package protocol ResultsSectionOwner: AnyObject {
    /// The section's title in an index.
    func indexTitle(forSectionName name: String) -> String?
    /// A result as the controller's user gets it.
    func given(_ entry: ResultsEntry) -> Any
}

/// A section as the list keeps it: it follows the list, so that its numbers are those of now. As in Core Data it is an
/// `NSObject`: in a user info or an array it equals itself.
package final class ListSection: NSObject, NSFetchedResultsSectionInfo {
    package let name: String
    /// The section's place among the sections.
    package var index: Int
    package var entries = ChunkedArray<ResultsEntry>()
    /// Answers for the controller; gone with it.
    package weak var owner: (any ResultsSectionOwner)?

    package init(name: String, index: Int, owner: (any ResultsSectionOwner)?) {
        self.name = name
        self.index = index
        self.owner = owner
        super.init()
    }

    package var indexTitle: String? { owner?.indexTitle(forSectionName: name) }

    package var numberOfObjects: Int { entries.count }

    package var objects: [Any]? {
        var result: [Any] = []
        result.reserveCapacity(entries.count)
        entries.forEach { result.append(owner?.given($0) ?? $0.result) }
        return result
    }
}

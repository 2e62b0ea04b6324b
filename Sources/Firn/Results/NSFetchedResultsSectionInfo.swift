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

/// A section as the list keeps it: it follows the list, so that its numbers are those of now.
final class ResultsSection: NSFetchedResultsSectionInfo {
    let name: String
    /// The section's place among the sections.
    var index: Int
    var entries = ChunkedArray<ResultsEntry>()
    /// Answers for the controller; gone with it.
    weak var owner: ResultsTracker?

    init(name: String, index: Int, owner: ResultsTracker?) {
        self.name = name
        self.index = index
        self.owner = owner
    }

    var indexTitle: String? { owner?.indexTitle(forSectionName: name) }

    var numberOfObjects: Int { entries.count }

    var objects: [Any]? {
        var result: [Any] = []
        result.reserveCapacity(entries.count)
        entries.forEach { result.append(owner?.given($0) ?? $0.result) }
        return result
    }
}

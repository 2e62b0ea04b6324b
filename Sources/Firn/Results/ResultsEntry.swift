import FirnFoundation
import FirnLog
import FirnModel
import Foundation

/// One result in a results controller's list, with what decided its place there.
final class ResultsEntry {
    /// A managed object, or the dictionary of a dictionary fetch.
    let result: AnyObject
    var values: SortValues
    var rank: ResultsRank
    unowned(unsafe) var section: ResultsSection

    init(_ result: AnyObject, _ values: SortValues, _ rank: ResultsRank, _ section: ResultsSection) {
        self.result = result
        self.values = values
        self.rank = rank
        self.section = section
    }

    var object: NSManagedObject? { result as? NSManagedObject }
}

/// How a list is ordered: the sort descriptors, then the rank. A total order.
struct ResultsOrder {
    let descriptors: DescriptorOrder

    func precedes(_ a: (SortValues, ResultsRank), _ b: (SortValues, ResultsRank)) -> Bool {
        let order = descriptors.compare(a.0, b.0)
        return order == .orderedSame ? a.1 < b.1 : order == .orderedAscending
    }

    func precedes(_ a: ResultsEntry, _ b: ResultsEntry) -> Bool {
        precedes((a.values, a.rank), (b.values, b.rank))
    }
}

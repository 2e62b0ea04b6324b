package import FirnFoundation
import Foundation

/// One result in a results controller's list, with what decided its place there.
package final class ResultsEntry {
    /// A managed object, or the dictionary of a dictionary fetch.
    package let result: AnyObject
    package var values: SortValues
    package var rank: ResultsRank
    package unowned(unsafe) var section: ResultsSection

    package init(_ result: AnyObject, _ values: SortValues, _ rank: ResultsRank, _ section: ResultsSection) {
        self.result = result
        self.values = values
        self.rank = rank
        self.section = section
    }
}

/// How a list is ordered: the sort descriptors, then the rank. A total order.
package struct ResultsOrder {
    package let descriptors: DescriptorOrder

    package init(descriptors: DescriptorOrder) { self.descriptors = descriptors }

    package func precedes(_ a: (SortValues, ResultsRank), _ b: (SortValues, ResultsRank)) -> Bool {
        let order = descriptors.compare(a.0, b.0)
        return order == .orderedSame ? a.1 < b.1 : order == .orderedAscending
    }

    package func precedes(_ a: ResultsEntry, _ b: ResultsEntry) -> Bool {
        precedes((a.values, a.rank), (b.values, b.rank))
    }
}

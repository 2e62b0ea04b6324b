package import FirnFoundation
import Foundation

/// One result in a results controller's list, with what decided its place there.
package final class ResultsEntry {
    /// A managed object, or the dictionary of a dictionary fetch.
    package let result: AnyObject
    package var values: SortValues
    package var rank: ResultsRank
    package unowned(unsafe) var section: ListSection

    package init(_ result: AnyObject, _ values: SortValues, _ rank: ResultsRank, _ section: ListSection) {
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

/// The order of results that sort alike: as a fetch gives them, saved objects by store and key, then new ones by age.
package struct ResultsRank: Comparable {
    /// The place of the store among the coordinator's; `Int.max` for objects that were never saved.
    package let group: Int
    package let number: Int64

    /// Of an object that was saved, in the store at this place among the coordinator's.
    package init(store: Int, primaryKey: Int64) { (group, number) = (store, primaryKey) }

    /// Of a new object: the larger the number of its temporary ID, the younger it is.
    package init(temporary number: Int64) { (group, self.number) = (.max, number) }

    /// Of a result that is no object: its place in what the fetch gave.
    package init(position: Int) {
        group = 0
        number = Int64(position)
    }

    package var isTemporary: Bool { group == .max }

    package static func < (a: Self, b: Self) -> Bool { (a.group, a.number) < (b.group, b.number) }
}

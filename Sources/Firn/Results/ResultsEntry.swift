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

/// The order of results that sort alike: as a fetch gives them, saved objects by store and key, then new ones by age.
struct ResultsRank: Comparable {
    /// The place of the store among the coordinator's; `Int.max` for objects that were never saved.
    let group: Int
    let number: Int64

    init(_ object: NSManagedObject, stores: [NSPersistentStore]) {
        let key = object.identity.key
        if key.primaryKey < 0 {
            group = .max
            number = -key.primaryKey
        } else {
            let store = object.identity.persistentStore
            group = stores.firstIndex { $0 === store } ?? stores.count
            number = key.primaryKey
        }
    }

    /// Of a result that is no object: its place in what the fetch gave.
    init(position: Int) {
        group = 0
        number = Int64(position)
    }

    var isTemporary: Bool { group == .max }

    static func < (a: Self, b: Self) -> Bool { (a.group, a.number) < (b.group, b.number) }
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

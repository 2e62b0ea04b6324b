import FirnFoundation
import class FirnFoundation.NSExpression
import class FirnFoundation.NSSortDescriptor
import FirnModel
package import Foundation

/// A dictionary fetch that several stores answer, each for itself: what they are asked, and how the answers become one
/// list, sorted and cut as if there were one store.
///
/// What the sort descriptors look at and nobody asked for is fetched along and taken out again. With distinct results
/// only the columns that were asked for can decide the order.
package struct SpreadDictionaries {
    /// The request to each store: all rows.
    package let asked: StoreRequest
    private let settings: FetchSettings
    private let order: DescriptorOrder
    private let hidden: [String]

    package init(_ request: StoreRequest) {
        settings = request.settings
        var columns = settings.dictionaryProperties
        let names = Set(columns.compactMap { $0 as? String ?? ($0 as? NSPropertyDescription)?.name })
        var hidden: [String] = []
        var descriptors: [NSSortDescriptor] = []
        for descriptor in settings.sortDescriptors ?? [] {
            guard let key = descriptor.key else {
                descriptors.append(descriptor)
                continue
            }
            if names.contains(key) || settings.returnsDistinctResults {
                descriptors.append(descriptor.reading(column: key))
                continue
            }
            let column = NSExpressionDescription()
            column.name = "firn_sort_\(hidden.count)"
            column.expression = NSExpression(forKeyPath: key)
            columns.append(column)
            hidden.append(column.name)
            descriptors.append(descriptor.reading(column: column.name))
        }
        order = DescriptorOrder(descriptors)
        self.hidden = hidden
        asked = request.withoutWindow.changed { $0.propertiesToFetch = columns }
    }

    /// Groups and aggregates cannot be put together from those of several stores.
    package static func joinedRows(_ count: Int) -> NSError {
        CoreDataError.make(
            .persistentStoreOperation,
            "the request groups or aggregates the rows of \(count) stores, each of which would answer for itself: "
                + "name one in affectedStores, and put the answers together")
    }

    private static func hash(_ row: NSDictionary) -> Int {
        row.reduce(0) { $0 ^ (("\($1.key)".hashValue &* 31) &+ (($1.value as? NSObject)?.hash ?? 0)) }
    }

    /// The answers of the stores, one after the other, as one.
    package func joined(_ rows: [NSDictionary]) -> [NSDictionary] {
        var rows = rows
        if settings.returnsDistinctResults {
            // A dictionary's own hash is its count, on Linux.
            var seen: [Int: Set<NSDictionary>] = [:]
            rows = rows.filter { seen[Self.hash($0), default: []].insert($0).inserted }
        }
        let window = settings.window(order.sorted(rows))
        if hidden.isEmpty { return window }
        return window.map { row in
            guard let copy = row.mutableCopy() as? NSMutableDictionary else { return row }
            copy.removeObjects(forKeys: hidden)
            return copy
        }
    }
}

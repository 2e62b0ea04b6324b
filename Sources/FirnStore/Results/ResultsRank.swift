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

import FirnLog
import FirnModel

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

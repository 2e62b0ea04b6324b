import FirnLog
import FirnModel

/// Objects, named by the IDs that there are of them, or by permanent keys in a store: most never need an ID.
enum NamedObjects {
    case ids([NSManagedObjectID])
    case keys([ObjectKey], in: NSPersistentStore)

    /// In order.
    var ids: [NSManagedObjectID] {
        switch self {
        case .ids(let ids): ids
        case .keys(let keys, let store): store.objectIDs(for: keys)
        }
    }

    /// The keys of those that are in `store`.
    func keys(in store: NSPersistentStore) -> [ObjectKey] {
        switch self {
        case .ids(let ids): ids.filter { $0.storeObject === store }.map(\.key)
        case .keys(let keys, let own): own === store ? keys : []
        }
    }

    /// The objects among these that are in a store, one part for each run of one store.
    static func stored(_ objects: some Sequence<NSManagedObject>) -> [NamedObjects] {
        var parts: [NamedObjects] = []
        var run: (store: NSPersistentStore, keys: [ObjectKey])?
        for object in objects where object.key.primaryKey > 0 {
            guard let store = object.store else { continue }
            if run?.store !== store {
                if let run { parts.append(.keys(run.keys, in: run.store)) }
                run = (store, [])
            }
            run?.keys.append(object.key)
        }
        if let run { parts.append(.keys(run.keys, in: run.store)) }
        return parts
    }
}

/// Names of rows for objects and contexts. They need not know that rows come from a log.
typealias ObjectKey = FirnLog.ObjectKey
typealias EntityNumber = FirnLog.EntityNumber
typealias PropertyValue = FirnLog.PropertyValue

import FirnFoundation
import class FirnFoundation.NSComparisonPredicate
import class FirnFoundation.NSCompoundPredicate
import class FirnFoundation.NSExpression
import class FirnFoundation.NSPredicate
import FirnModel
import FirnStore
import Foundation

/// The evaluation of a fetch request on transactions or changes in memory, as a store answers: values of different
/// kinds are compared as columns compare them, and what cannot be answered is an error.
struct HistoryMatching {
    private let request: NSFetchRequest<any NSFetchRequestResult>
    /// Whether the request is for changes, and not for transactions.
    let fetchesChanges: Bool

    init(_ request: NSFetchRequest<any NSFetchRequestResult>) throws {
        self.request = request
        let names = [
            NSPersistentHistoryTransaction.historyEntity.name, NSPersistentHistoryChange.historyEntity.name,
        ]
        guard names.contains(request.entityName) else {
            throw Self.failure(
                "a history request fetches transactions or changes, not \(request.entityName ?? "nothing"): "
                    + "make it with fetchRequest of NSPersistentHistoryTransaction or NSPersistentHistoryChange")
        }
        fetchesChanges = request.entityName == NSPersistentHistoryChange.historyEntity.name
        try checkKeys()
    }

    /// Selects the transactions, or the changes, that the request matches, in its order and within its window.
    func select<T: NSObject>(_ all: [T]) throws -> [T] {
        var found = all
        if let predicate = request.predicate {
            do {
                found = try found.filter { try predicate.holdsAsStored(for: $0, nullIsUnknown: false) }
            } catch {
                throw Self.failure("history cannot be searched for \(predicate.predicateFormat): \(error)")
            }
        }
        if let order = request.sortDescriptors, !order.isEmpty {
            found.sort { one, other in
                for descriptor in order {
                    switch descriptor.compare(one, to: other) {
                    case .orderedAscending: return true
                    case .orderedDescending: return false
                    case .orderedSame: continue
                    }
                }
                return false
            }
        }
        found = Array(found.dropFirst(max(request.fetchOffset, 0)))
        return request.fetchLimit > 0 ? Array(found.prefix(request.fetchLimit)) : found
    }

    /// The transactions that match; of a request for changes, those of which every change does.
    func transactions(_ all: [NSPersistentHistoryTransaction]) throws -> Set<ObjectIdentifier> {
        guard fetchesChanges else { return Set(try select(all).map { ObjectIdentifier($0) }) }
        let selected = try select(all.flatMap { $0.changes ?? [] })
        let matching = Set(selected.map { ObjectIdentifier($0) })
        return withExtendedLifetime(selected) {
            let whole = all.filter { transaction in
                guard let changes = transaction.changes, !changes.isEmpty else { return false }
                return changes.allSatisfy { matching.contains(ObjectIdentifier($0)) }
            }
            return Set(whole.map { ObjectIdentifier($0) })
        }
    }

    /// A key that history does not have stops the program in a predicate on other objects; here it is an error.
    private func checkKeys() throws {
        let keys = fetchesChanges ? NSPersistentHistoryChange.keys : NSPersistentHistoryTransaction.keys
        let paths = (request.predicate.map { Self.keyPaths($0) } ?? []).map { ($0, keys) }
        let orders = (request.sortDescriptors ?? []).compactMap(\.key).map { path in
            (path, path.contains(".") ? keys : keys.intersection(NSPersistentHistoryTransaction.orderedKeys))
        }
        for (path, allowed) in paths + orders {
            var keys: Set<String>? = allowed
            for key in path.split(separator: ".").map(String.init) {
                if ["self", "SELF"].contains(key) || key.hasPrefix("@") { continue }
                guard let allowed = keys else { break }
                guard allowed.contains(key) else {
                    let allowed = allowed.sorted().joined(separator: ", ")
                    throw Self.failure("history has no value for “\(path)”: name one of \(allowed)")
                }
                keys = Self.keys(behind: key)
            }
        }
    }

    /// The keys of what a key leads to, where it leads to history; nil for other objects.
    private static func keys(behind key: String) -> Set<String>? {
        switch key {
        case "transaction": NSPersistentHistoryTransaction.keys
        case "changes": NSPersistentHistoryChange.keys
        default: nil
        }
    }

    /// The key paths from the object itself, or from a variable of SUBQUERY.
    private static func keyPaths(_ predicate: NSPredicate, from variable: String? = nil) -> [String] {
        if let compound = predicate as? NSCompoundPredicate {
            return compound.parts.flatMap { keyPaths($0, from: variable) }
        }
        guard let comparison = predicate as? NSComparisonPredicate else { return [] }
        return [comparison.leftExpression, comparison.rightExpression].flatMap { keyPaths($0, from: variable) }
    }

    private static func keyPaths(_ expression: NSExpression, from variable: String?) -> [String] {
        switch expression.node {
        case .keyPath(let path, nil): return variable == nil ? [path.string] : []
        case .keyPath(let path, let operand?):
            if case .variable(variable) = operand.node { return [path.string] }
        case .subquery(let members, let name, let predicate):
            let paths = keyPaths(members, from: variable)
            let inner = keyPaths(predicate, from: name).flatMap { path in paths.map { "\($0).\(path)" } }
            return paths + inner + keyPaths(predicate, from: variable)
        default: break
        }
        return expression.node.children.flatMap { keyPaths($0, from: variable) }
    }

    private static func failure(_ message: String) -> NSError { CoreDataError.make(.persistentStoreOperation, message) }
}

extension NSPersistentHistoryTransaction {
    static let keys: Set<String> = orderedKeys.subtracting(["changeID", "changeType"]).union(["changes", "metadata"])

    /// The keys of transactions and of changes whose values have an order.
    static let orderedKeys: Set<String> = [
        "author", "bundleID", "contextName", "processID", "timestamp", "token", "transactionNumber", "storeID",
        "changeID", "changeType",
    ]
}

extension NSPersistentHistoryChange {
    static let keys: Set<String> = [
        "changeID", "changedEntity", "changedObjectID", "changeType", "transaction", "updatedProperties", "tombstone",
        "oldValues", "newValues",
    ]
}

import CoreData

/// Prints each save of any process, until `count` of them were seen.
func watch(_ container: NSPersistentContainer, count: Int) async throws {
    var left = count
    if left <= 0 { return }
    for try await event in try container.persistentStoreCoordinator.historyFeed() {
        guard case .transaction(let transaction) = event else { continue }
        print("\(transaction.transactionNumber) by \(transaction.author ?? "nobody")")
        for change in transaction.changes ?? [] {
            let entity = change.changedObjectID.entity.name ?? "?"
            let names = change.newValues.keys.sorted().joined(separator: ", ")
            print("  \(entity) \(change.changeType.verb): \(names)")
        }
        left -= 1
        if left == 0 { return }
    }
}

extension NSPersistentHistoryChangeType {
    var verb: String {
        switch self {
        case .insert: "inserted"
        case .update: "updated"
        case .delete: "deleted"
        @unknown default: "changed"
        }
    }
}

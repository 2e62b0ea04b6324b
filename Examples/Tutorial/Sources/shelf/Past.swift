import CoreData

/// Undoes one save by a new one, and leaves both in the history.
func undo(_ number: Int64, in container: NSPersistentContainer) async throws {
    let context = container.newBackgroundContext()
    try await context.perform {
        context.transactionAuthor = "undo"
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: .distantPast)
        request.resultType = .transactionsAndChanges
        let result = try context.execute(request) as! NSPersistentHistoryResult
        let transactions = result.result as! [NSPersistentHistoryTransaction]
        guard let transaction = transactions.first(where: { $0.transactionNumber == number }) else {
            throw Mistake("there is no save \(number)")
        }
        try context.revert(transaction)
        try context.save()
    }
}

import Firn
import FirnLog
import FirnModel
import Foundation
import StoreSupport
import Testing

/// A store of three models, whose history is cut off before, at and after its migrations.
@Suite("Trimmed history of a migrated store")
struct TrimmedMigrationTests {
    private static let models = [
        "Person: name String, age Integer32",
        "Human was Person: fullName String was name, !city String = Rome",
        "Human: fullName String, city String, rank Integer16 = 4",
    ]

    @Test("the tables that a baseline gives are the same, and what is left of the past answers in its own terms")
    func everywhere() throws {
        for cut in 0...6 {
            let (store, states) = try make()
            let coordinator = try store.coordinator(ModelText.model(Self.models[2]))
            let transactions = try self.transactions(coordinator)
            #expect(transactions.count == 6)
            if cut < 6 {
                let request = NSPersistentHistoryChangeRequest.deleteHistory(before: transactions[cut])
                _ = try coordinator.context().execute(request)
            } else {
                try coordinator.trimHistory(keeping: HistoryRetention(transactionCountMax: 0))
            }
            let last = cut < 6 ? transactions[cut].transactionNumber - 1 : transactions[5].transactionNumber
            for (sequence, state) in states where sequence.rawValue >= last {
                let past = try coordinator.newContext(asOf: .sequence(sequence))
                #expect(try StoreState(past) == state, "cut at \(cut), as of \(sequence)")
            }
            for (sequence, _) in states where sequence.rawValue < last {
                #expect(throws: NSError.self) { try coordinator.newContext(asOf: .sequence(sequence)) }
            }
            for store in coordinator.persistentStores { try coordinator.remove(store) }
            let dumps = try StoredTables.dumps(store.url)
            #expect(dumps.present == dumps.rebuilt, "cut at \(cut)")
        }
    }

    @Test("the state that a trim left answers after a migration too")
    func trimmedFirst() throws {
        let store = try MigratingStore()
        let state = try store.with(Self.models[0]) { _ = $0.make("Person", ["name": "Ada", "age": 7]) }
        let last = try store.coordinator(ModelText.model(Self.models[0]))
        try last.trimHistory(keeping: HistoryRetention(transactionCountMax: 0))
        for store in last.persistentStores { try last.remove(store) }
        let head = try StoredTables.head(store.url)
        let coordinator = try store.coordinator(ModelText.model(Self.models[1]))
        #expect(try StoreState(coordinator.newContext(asOf: .sequence(head))) == state)
    }

    /// Two saves under each model, with the state after each.
    private func make() throws -> (store: MigratingStore, states: [(SequenceNumber, StoreState)]) {
        let store = try MigratingStore()
        var states: [(SequenceNumber, StoreState)] = []
        for (index, model) in Self.models.enumerated() {
            for round in 0..<2 {
                let state = try store.with(model) { context in
                    let name = "\(index).\(round)"
                    _ = index == 0
                        ? context.make("Person", ["name": name, "age": 7]) : context.make("Human", ["fullName": name])
                }
                states.append((try StoredTables.head(store.url), state))
            }
        }
        return (store, states)
    }

    private func transactions(_ coordinator: NSPersistentStoreCoordinator) throws -> [NSPersistentHistoryTransaction] {
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
        let result = try coordinator.context().execute(request) as? NSPersistentHistoryResult
        return try #require(result?.result as? [NSPersistentHistoryTransaction])
    }
}

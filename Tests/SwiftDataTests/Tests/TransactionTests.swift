import Foundation
import SwiftData
import Testing

@Suite("Transactions that throw")
struct TransactionTests {
    struct Failure: Error {}
    let container: ModelContainer
    let context: ModelContext

    init() throws {
        container = try ModelContainer(
            for: Vehicle.self, Account.self, Team.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        context = ModelContext(container)
    }

    private func plates() throws -> [String] {
        try ModelContext(container).fetch(FetchDescriptor<Vehicle>(sortBy: [SortDescriptor(\.plate)])).map(\.plate)
    }

    @Test("what an upsert did before the save failed is dropped with the block")
    func upsert() throws {
        let saved = Account(mail: "a@x", nick: "a", number: 1)
        context.insert(saved)
        try context.save()
        let copy = Account(mail: "b@x", nick: "a", number: 2)
        #expect(throws: SwiftDataError.modelValidationFailure) {
            try context.transaction {
                context.insert(copy)
                context.insert(Team(name: "without players"))
            }
        }
        #expect(saved.mail == "a@x")
        #expect(copy.mail == "b@x" && copy.modelContext == nil)
        #expect(!context.hasChanges)
        try context.save()
        #expect(try ModelContext(container).fetch(FetchDescriptor<Account>()).map(\.mail) == ["a@x"])
    }

    @Test("rolling back after a save that failed gives a model with the unique value of another its values again")
    func rollback() throws {
        context.insert(Account(mail: "a@x", nick: "a", number: 1))
        try context.save()
        let copy = Account(mail: "b@x", nick: "a", number: 2)
        context.insert(copy)
        context.insert(Team(name: "without players"))
        #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
        context.rollback()
        #expect(copy.mail == "b@x" && copy.modelContext == nil)
    }

    @Test("a block may roll back before it throws")
    func rollbackInside() async {
        await #expect(processExitsWith: .success) {
            let memory = ModelConfiguration(isStoredInMemoryOnly: true)
            let context = ModelContext(try ModelContainer(for: Vehicle.self, configurations: memory))
            try? context.transaction {
                context.insert(Vehicle(plate: "A"))
                context.rollback()
                throw Failure()
            }
        }
    }

    @Test("a transaction within one that throws leaves the outer one its record")
    func nested() throws {
        #expect(throws: Failure.self) {
            try context.transaction {
                context.insert(Vehicle(plate: "outer"))
                try? context.transaction { throw Failure() }
                throw Failure()
            }
        }
        try context.save()
        #expect(try plates() == [])
    }

    @Test("a transaction keeps the steps of the application's undo manager")
    func undoManager() throws {
        let manager = UndoManager()
        manager.groupsByEvent = false
        context.undoManager = manager
        let vehicle = Vehicle(plate: "A")
        context.insert(vehicle)
        try context.save()
        manager.removeAllActions()
        vehicle.plate = "B"
        context.processPendingChanges()
        try context.transaction { vehicle.wheels = 6 }
        // The transaction is the last step, the plate the one before.
        manager.undo()
        #expect(vehicle.wheels == 4)
        manager.undo()
        #expect(vehicle.plate == "A")
    }
}

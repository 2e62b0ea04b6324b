import Firn
import FirnModel
import Foundation
import StoreSupport
import Testing

/// A program of yesterday follows a store that one of today migrates.
@Suite("Feeds of a store that another program migrates", .timeLimit(.minutes(1)))
struct MigratedFeedTests {
    private let store: MigratingStore
    private let coordinator: NSPersistentStoreCoordinator
    private let token: NSPersistentHistoryToken?

    init() throws {
        store = try MigratingStore()
        coordinator = try store.coordinator(ModelText.model("Person: name String"))
        token = coordinator.currentPersistentHistoryToken(fromStores: nil)
        try store.with("Person: first String, name String") { _ = $0.make("Person", ["first": "Ada"]) }
    }

    @Test("a feed ends with an error, and gives no value under another name")
    func feed() async throws {
        var iterator = try coordinator.historyFeed(after: token).makeAsyncIterator()
        do {
            let event = try await iterator.next()
            Issue.record("no error: \(String(describing: event))")
        } catch {
            #expect("\(error)".contains("open it again"))
        }
    }

    @Test("a subscription sets nothing aside")
    func subscription() async throws {
        let subscription = try coordinator.historySubscription(named: "mail")
        await #expect(throws: (any Error).self) { try await subscription.run(stopsWhenDelivered: true) { _ in } }
        #expect(try subscription.deadLetters.isEmpty)
    }
}

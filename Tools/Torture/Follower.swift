import CoreData
import Foundation

/// One process that follows a copy of a log on a server until it is killed.
struct Follower {
    let place: Place
    /// The last record that was told of before.
    let start: Int64

    /// Never returns but by an error.
    func run() async throws {
        guard let coordinator = try Torture.open(place).persistentStoreCoordinator else { return }
        let feed = try coordinator.historyFeed(after: nil)
        for try await case .transaction(let transaction) in feed where transaction.transactionNumber > start {
            Torture.say(#"{"sequence":\#(transaction.transactionNumber)}"#)
        }
    }
}

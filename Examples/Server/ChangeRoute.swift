#if Server && Service
import CoreData
import FirnService
import HTTPTypes
import Hummingbird
import ServiceLifecycle

/// `/changes`: the saves from now on, or after the record of `Last-Event-ID`, as server-sent events.
struct ChangeRoute {
    /// A save, as an event's data.
    private struct Save: Codable {
        struct Change: Codable {
            let id: ObjectID<NSManagedObject>
            let kind: String
        }

        let author: String?
        let request: String?
        let changes: [Change]
    }

    let container: NSPersistentContainer

    func add(to router: Router<LibraryContext>) {
        router.get("changes") { request, _ in
            let feed = try feed(after: request.headers[HTTPField.Name("Last-Event-ID")!].flatMap { Int64($0) })
            return Response(
                status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
                body: ResponseBody { writer in
                    // A comment, so that the client has an answer before the first change.
                    try await writer.write(ByteBuffer(string: ":\n\n"))
                    // A stream has no end of its own: without this, the process would wait for its client.
                    for try await event in feed.cancelOnGracefulShutdown() {
                        if case .transaction(let transaction) = event {
                            try await writer.write(ByteBuffer(string: Self.text(transaction)))
                        }
                    }
                    try await writer.finish(nil)
                })
        }
    }

    private func feed(after number: Int64?) throws -> HistoryFeed {
        let coordinator = container.persistentStoreCoordinator
        guard let number, let store = coordinator.persistentStores.first?.identifier else {
            return try coordinator.historyFeed(after: coordinator.currentPersistentHistoryToken(fromStores: nil))
        }
        return try coordinator.historyFeed(after: NSPersistentHistoryToken(transactionNumbers: [store: number]))
    }

    private static func text(_ transaction: NSPersistentHistoryTransaction) throws -> String {
        let changes = (transaction.changes ?? []).map { change in
            Save.Change(id: ObjectID(change.changedObjectID), kind: "\(change.changeType)")
        }
        let save = Save(author: transaction.author, request: transaction.metadata["request"], changes: changes)
        let data = try JSONEncoder().encode(save)
        return "id: \(transaction.transactionNumber)\ndata: \(String(decoding: data, as: UTF8.self))\n\n"
    }
}
#endif

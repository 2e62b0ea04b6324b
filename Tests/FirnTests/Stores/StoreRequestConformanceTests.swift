import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

@Suite("Requests that only stores with a log answer")
struct StoreRequestConformanceTests {
    let directory: TemporaryDirectory
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
    let server = DictionaryStore.Server()

    init() throws { directory = try TemporaryDirectory() }

    private func add(_ type: NSPersistentStore.StoreType) throws -> NSPersistentStore {
        let url =
            type == .binary ? directory.file("b") : URL(string: "dictionary://\(UUID().uuidString)/") ?? directory.url
        DictionaryStore.use(server, at: url)
        return try coordinator.addPersistentStore(type: type, at: url)
    }

    static let types = [NSPersistentStore.StoreType.binary, DictionaryStore.storeType]

    @Test("h.16 batch requests are 134091, and change nothing", arguments: types)
    func batches(type: NSPersistentStore.StoreType) throws {
        _ = try add(type)
        let context = coordinator.context()
        _ = context.make("Author", ["name": "Ada"])
        try context.save()
        let update = NSBatchUpdateRequest(entityName: "Author")
        update.propertiesToUpdate = ["name": "Eve"]
        let all = NSFetchRequest<any NSFetchRequestResult>(entityName: "Author")
        let requests: [NSPersistentStoreRequest] = [
            update, NSBatchDeleteRequest(fetchRequest: all),
            NSBatchInsertRequest(entityName: "Author", objects: [["name": "Bob"]]),
        ]
        for request in requests {
            let error = #expect(throws: NSError.self) { try context.execute(request) }
            #expect(error?.code == NSPersistentStoreUnsupportedRequestTypeError, "\(request)")
        }
        #expect(try coordinator.context().strings("Author", "name") == ["Ada"])
    }

    @Test("h.16 beside a store with a log they go to that one")
    func beside() throws {
        let binary = try add(.binary)
        let memory = try coordinator.addPersistentStore(type: .inMemory, at: directory.url)
        let context = coordinator.context()
        for store in [binary, memory] { context.assign(context.make("Author", ["name": "Ada"]), to: store) }
        try context.save()
        let update = NSBatchUpdateRequest(entityName: "Author")
        update.propertiesToUpdate = ["name": "Eve"]
        _ = try context.execute(update)
        #expect(try coordinator.context().strings("Author", "name") == ["Ada", "Eve"])
    }

    @Test("h.16 stores without a history have no part in tokens", arguments: types)
    func tokens(type: NSPersistentStore.StoreType) throws {
        _ = try add(type)
        let context = coordinator.context()
        _ = context.make("Author", ["name": "Ada"])
        try context.save()
        #expect(coordinator.currentPersistentHistoryToken(fromStores: nil) == nil)
    }
}

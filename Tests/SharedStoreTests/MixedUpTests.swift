import Firn
import FirnFoundation
import FirnLog
import FirnModel
import Foundation
import TestSupport
import Testing

@Suite("Mistakes with shared stores")
struct MixedUpTests {
    private let server: FolderServer

    init() throws { server = try FolderServer(isFollowed: false) }

    private func failure(_ body: () throws -> Void) -> NSError? {
        do {
            try body()
            return nil
        } catch {
            return error as NSError
        }
    }

    private func code(_ error: NSError?) -> LogError.Code? {
        error?.logError?.code
    }

    /// Opens a store on disk without a server.
    private func local(_ url: URL) throws -> NSPersistentStoreCoordinator {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Notes.model())
        try coordinator.addPersistentStore(type: .sqlite, at: url)
        return coordinator
    }

    private func add(_ text: String, to coordinator: NSPersistentStoreCoordinator) throws {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            Notes.insert(text, in: context)
            try context.save()
        }
    }

    @Test("an address that nobody opens logs at says what to import and to call, and shows no password")
    func unregistered() {
        let error = failure { _ = try Machine("mysql://ada:secret@db/library#Notes") }
        #expect(error?.code == NSPersistentStoreOpenError)
        #expect(error?.localizedDescription.contains("PostgresLog.register()") == true)
        #expect(error?.localizedDescription.contains("secret") == false)
    }

    @Test("a store without a place for its copy says so")
    func nowhere() {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Notes.model())
        let error = failure {
            try coordinator.addPersistentStore(type: .sqlite, at: URL(string: server.address)!)
        }
        #expect(error?.code == NSPersistentStoreOpenError)
        #expect(error?.localizedDescription.contains("localCopy") == true)
    }

    @Test("a copy of another store is left alone")
    func otherCopy() throws {
        let machine = try Machine(server.address)
        try machine.note("one")
        let directory = try machine.leave()
        let other = try FolderServer()
        try Machine(other.address).note("two")
        let error = failure { _ = try Machine(other.address, directory: directory) }
        #expect(code(error) == .storeMismatch)
        #expect(try Machine(server.address, directory: directory).texts() == ["one"])
    }

    @Test("a store of its own in the copy's place is left alone")
    func ownStore() throws {
        try Machine(server.address).note("one")
        let directory = try TemporaryDirectory()
        try add("two", to: local(directory.file("Notes.sqlite")))
        #expect(code(failure { _ = try Machine(server.address, directory: directory) }) == .storeMismatch)
    }

    @Test("a copy that is opened as a store of its own can be read, and refuses to be written to")
    func lonely() throws {
        let machine = try Machine(server.address)
        try machine.note("one")
        let directory = try machine.leave()
        let coordinator = try local(directory.file("Notes.sqlite"))
        let error = failure { try add("two", to: coordinator) }
        #expect(error?.code == NSPersistentStoreSaveError)
        #expect(error?.localizedDescription.contains("this machine's copy") == true)
        try Machine(server.address, directory: directory).note("two")
        #expect(try Machine(server.address).texts() == ["one", "two"])
    }

    @Test("a server that was set back is told, and both stay as they are")
    func diverged() throws {
        let machine = try Machine(server.address)
        try machine.note("one")
        let directory = try machine.leave()
        // Another server with a shorter log of the same store.
        let earlier = try FolderServer()
        let log = try server.log()
        let short = try earlier.create(earlier.address, storeID: log.storeID)
        _ = try short.append(log.frames(after: .beginning(of: log.storeID), sizeMax: 1))
        #expect(code(failure { _ = try Machine(earlier.address, directory: directory) }) == .diverged)
        #expect(try short.end().sequence == 1)
        #expect(try Machine(server.address, directory: directory).texts() == ["one"])
    }

    @Test("a store on a server is neither replaced nor asked without being opened")
    func whole() throws {
        let machine = try Machine(server.address)
        try machine.note("one")
        let url = try #require(URL(string: server.address))
        let elsewhere = try TemporaryDirectory()
        let other = elsewhere.file("Other.sqlite")
        let coordinator = machine.coordinator
        for (advice, body): (String, () throws -> Void) in [
            (
                "firn push",
                { try coordinator.replacePersistentStore(at: url, withPersistentStoreFrom: other, type: .sqlite) }
            ),
            (
                "firn pull",
                { try coordinator.replacePersistentStore(at: other, withPersistentStoreFrom: url, type: .sqlite) }
            ),
            ("", { _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: url) }),
        ] {
            let text = failure(body)?.localizedDescription ?? ""
            #expect(text.contains("is on a server") && (advice.isEmpty || text.contains(advice)), "\(text)")
        }
    }
}

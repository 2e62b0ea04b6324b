import Firn
import FirnFoundation
import FirnLog
import FirnModel
import Foundation
import TestSupport
import Testing

@Suite("Stores whose log is shared")
struct SharedStoreTests {
    @Test("what one machine saves, one that comes later has", arguments: Server.all)
    func later(_ server: Server) throws {
        let address = try server.address()
        let first = try Machine(address)
        try first.note("one")
        try first.note("two")
        #expect(try Machine(address).texts() == ["one", "two"])
    }

    @Test("a machine goes on with its copy where it left off", arguments: Server.all)
    func reopening(_ server: Server) throws {
        let address = try server.address()
        let first = try Machine(address)
        try first.note("one")
        let directory = try first.leave()
        try Machine(address).note("two")
        let again = try Machine(address, directory: directory)
        try again.note("three")
        #expect(try again.texts() == ["one", "three", "two"])
    }

    @Test("saves of machines that do not know of each other are both there, with their own IDs", arguments: Server.all)
    func both(_ server: Server) throws {
        let address = try server.address()
        let (first, second) = (try Machine(address), try Machine(address))
        for number in 0..<5 {
            try first.note("first \(number)")
            try second.note("second \(number)")
        }
        let third = try Machine(address)
        #expect(try third.texts().count == 10)
        let ids = try [first, second].flatMap { machine in
            try machine.context.performAndWait {
                try Notes.all(in: machine.context).map { $0.objectID.uriRepresentation() }
            }
        }
        #expect(Set(ids).count == 10)
    }

    @Test("the store's UUID and its objects' IDs are the same on every machine", arguments: Server.all)
    func identity(_ server: Server) throws {
        let address = try server.address()
        let first = try Machine(address)
        try first.note("one")
        let second = try Machine(address)
        #expect(first.store.identifier == second.store.identifier)
        let uris = try [first, second].map { machine in
            try machine.context.performAndWait { try Notes.all(in: machine.context)[0].objectID.uriRepresentation() }
        }
        #expect(uris[0] == uris[1])
    }

    @Test("two machines that change one object are in conflict, as two processes are", arguments: Server.all)
    func conflict(_ server: Server) throws {
        let address = try server.address()
        let first = try Machine(address)
        try first.note("one")
        let second = try Machine(address)
        try second.context.performAndWait {
            try Notes.note("one", in: second.context).setValue(2, forKey: "count")
        }
        try first.save { try Notes.note("one", in: $0).setValue(1, forKey: "count") }
        let error = #expect(throws: NSError.self) { try second.context.performAndWait { try second.context.save() } }
        #expect(error?.code == NSManagedObjectMergeError)
        try second.context.performAndWait {
            second.context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            try second.context.save()
        }
        let third = try Machine(address)
        try third.context.performAndWait {
            let note = try Notes.note("one", in: third.context)
            #expect(note.value(forKey: "count") as? Int == 2)
        }
    }

    @Test("ordered relationships and derived attributes hold when another machine was faster", arguments: Server.all)
    func ordered(_ server: Server) throws {
        let address = try server.address()
        let first = try Machine(address)
        try first.save { context in
            let folder = NSEntityDescription.insertNewObject(forEntityName: "Folder", into: context)
            let notes = ["a", "b", "c"].map { Notes.insert($0, in: context) }
            folder.setValue(NSOrderedSet(array: notes), forKey: "notes")
        }
        let second = try Machine(address)
        try first.note("meanwhile")
        try second.save { context in
            let folder = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Folder"))[0]
            let (a, c) = (try Notes.note("a", in: context), try Notes.note("c", in: context))
            folder.setValue(NSOrderedSet(array: [c, Notes.insert("new", in: context), a]), forKey: "notes")
        }
        for machine in [second, try Machine(address)] {
            try machine.context.performAndWait {
                machine.context.reset()
                let folder = try machine.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Folder"))[0]
                let notes = folder.value(forKey: "notes") as? NSOrderedSet
                let texts = notes?.array.map { ($0 as? NSManagedObject)?.value(forKey: "text") as? String }
                #expect(texts == ["c", "new", "a"])
                #expect(folder.value(forKey: "noteCount") as? Int == 3)
            }
        }
    }

    @Test("batch requests are shared as saves are, also when another machine was faster", arguments: Server.all)
    func batches(_ server: Server) throws {
        let address = try server.address()
        let (first, second) = (try Machine(address), try Machine(address))
        try first.note("one")
        try second.context.performAndWait {
            let rows: [[String: Any]] = [["text": "two"], ["text": "three"]]
            _ = try second.context.execute(NSBatchInsertRequest(entityName: "Note", objects: rows))
        }
        try first.context.performAndWait {
            let update = NSBatchUpdateRequest(entityName: "Note")
            update.propertiesToUpdate = ["count": 7]
            _ = try first.context.execute(update)
        }
        let third = try Machine(address)
        try third.context.performAndWait {
            let counts = try Notes.all(in: third.context).map { $0.value(forKey: "count") as? Int }
            #expect(counts == [7, 7, 7])
        }
    }

    @Test("what the application says of the store comes to every machine", arguments: Server.all)
    func metadata(_ server: Server) throws {
        let address = try server.address()
        let first = try Machine(address)
        first.coordinator.setMetadata(["colour": "red"], for: first.store)
        try first.note("one")
        let second = try Machine(address)
        #expect(second.coordinator.metadata(for: second.store)["colour"] as? String == "red")
    }

    @Test("history has what every machine saved, with its author", arguments: Server.all)
    func history(_ server: Server) throws {
        let address = try server.address()
        let first = try Machine(address)
        first.context.performAndWait { first.context.transactionAuthor = "ada" }
        try first.note("one")
        let second = try Machine(address)
        try second.note("two")
        try second.context.performAndWait {
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
            let result = try second.context.execute(request) as? NSPersistentHistoryResult
            let transactions = result?.result as? [NSPersistentHistoryTransaction]
            #expect(transactions?.map(\.author) == ["ada", nil])
        }
    }

    @Test("large values travel in the records", arguments: Server.all)
    func largeValues(_ server: Server) throws {
        let address = try server.address()
        let text = LogSamples.noise(3 << 20)
        try Machine(address).note(text)
        #expect(try Machine(address).texts() == [text])
    }

    @Test("another machine's model is met as another process's is", arguments: Server.all)
    func migration(_ server: Server) throws {
        let address = try server.address()
        let old = try Machine(address)
        try old.note("one")
        let new = try Machine(address, model: Notes.model(withMarks: true))
        try new.save { Notes.insert("two", in: $0).setValue("!", forKey: "mark") }
        let error = #expect(throws: NSError.self) { try old.note("three") }
        #expect(error?.code == NSPersistentStoreIncompatibleVersionHashError)
        let directory = try old.leave()
        let again = try Machine(address, directory: directory, model: Notes.model(withMarks: true))
        try again.note("three")
        try new.note("four")
        #expect(try new.texts() == ["four", "one", "three", "two"])
    }

    @Test("a machine that comes new runs the handlers of a migration's stages", arguments: Server.all)
    func stages(_ server: Server) throws {
        let address = try server.address()
        try Machine(address).note("one")
        let references = [Notes.model(), Notes.model(withMarks: true)].map {
            NSManagedObjectModelReference(model: $0, versionChecksum: $0.versionChecksum)
        }
        let stage = NSCustomMigrationStage(migratingFrom: references[0], to: references[1])
        stage.didMigrateHandler = { manager, _ in
            let context = try #require(manager.container).newBackgroundContext()
            try context.performAndWait {
                for note in try Notes.all(in: context) { note.setValue("!", forKey: "mark") }
                try context.save()
            }
        }
        let new = try Machine(
            address, model: Notes.model(withMarks: true),
            options: [NSPersistentStoreStagedMigrationManagerOptionKey: NSStagedMigrationManager([stage])])
        let marks = try new.context.performAndWait {
            try Notes.all(in: new.context).map { $0.value(forKey: "mark") as? String }
        }
        #expect(marks == ["!"])
    }

    @Test("a machine hears of another's saves without asking", arguments: Server.following)
    func following(_ server: Server) async throws {
        let address = try server.address()
        let first = try Machine(
            address, options: [NSPersistentStoreRemoteChangeNotificationPostOptionKey: NSNumber(value: true)])
        let second = try Machine(address)
        let heard = AsyncStream<Void>.makeStream()
        let observer = NotificationCenter.default.addObserver(
            forName: .NSPersistentStoreRemoteChange, object: first.coordinator, queue: nil
        ) { _ in heard.continuation.yield() }
        try second.note("one")
        for await _ in heard.stream { break }
        #expect(try first.texts() == ["one"])
        NotificationCenter.default.removeObserver(observer)
    }
}

import Firn
import FirnInspection
import FirnLog
import FirnModel
import FirnProjection
import Foundation
import StoreSupport
import Testing

/// Two hierarchies that a migration joins: the keys of the second one are others from then on.
@Suite("The past of objects whose keys a migration changed")
struct MovedKeyTests {
    private func made() throws -> (
        store: MigratingStore, then: SequenceNumber, coordinator: NSPersistentStoreCoordinator
    ) {
        let store = try MigratingStore()
        try store.with("Cat: name String\nDog: name String") { context in
            for (entity, name) in [
                ("Cat", "Mia"), ("Cat", "Leo"), ("Dog", "Rex"), ("Dog", "Bello"), ("Dog", "Fido"), ("Dog", "Waldo"),
            ] {
                _ = context.make(entity, ["name": name])
                try context.save()
            }
        }
        let then = try StoredTables.head(store.url)
        let model = try ModelText.model("Cat: name String\nDog < Cat")
        return (store, then, try store.coordinator(model))
    }

    @Test("A restore gives an object its own values, and not those of the one that had its key")
    func restored() throws {
        let (store, then, coordinator) = try made()
        defer { withExtendedLifetime(store) {} }
        for dog in try coordinator.context().all("Dog") {
            let key = dog.objectID.uriRepresentation().lastPathComponent
            let reversal = try Reversal(
                .object(ObjectName("Dog/\(key)"), property: "name", sequence: then),
                in: coordinator.persistentStores[0], of: coordinator, author: "test", name: "test"
            ) { _, _ in }
            // Nobody was renamed.
            #expect(reversal.changes.isEmpty && reversal.obstacles.isEmpty, "Dog/\(key): \(reversal)")
        }
    }

    @Test("The records of an object are its own")
    func records() throws {
        let (store, _, coordinator) = try made()
        let dogs = try coordinator.context().all("Dog")
        let log = try SegmentLog.open(directory: store.url.path + "-log", forWriting: false)
        defer { log.close() }
        let past = PastStates(log, .file(store.url.path))
        // Records 2 and 3 are the cats', 4 to 7 the dogs'.
        for (index, dog) in dogs.enumerated() {
            let key = try #require(Int64(dog.objectID.uriRepresentation().lastPathComponent.dropFirst()))
            let records = try past.records(of: "Dog", key, after: 0, through: log.head)
            #expect(records == [SequenceNumber(UInt64(4 + index))], "Dog/\(key)")
        }
    }

    @Test("A value of before is found with the key that its object has now")
    func texts() throws {
        let store = try MigratingStore()
        try store.with("Cat: name String\nDog: name String") { context in
            _ = context.make("Cat", ["name": "Mia"])
            let dog = context.make("Dog", ["name": "Rex"])
            try context.save()
            dog.setValue("Waldo", forKey: "name")
        }
        let coordinator = try store.coordinator(ModelText.model("Cat: name String\nDog < Cat"))
        let dog = try #require(coordinator.context().all("Dog").first)
        let log = try SegmentLog.open(directory: store.url.path + "-log", forWriting: false)
        defer { log.close() }
        let found = try PastStates(log, .file(store.url.path)).texts(TextQuery("rex"), limit: 9)
        #expect(found.map { "p\($0.now.key.primaryKey)" } == [dog.objectID.uriRepresentation().lastPathComponent])
    }

    @Test("The records of an object are listed by the name that it has now")
    func listed() throws {
        let (store, _, coordinator) = try made()
        let dogs = try coordinator.context().all("Dog")
        let log = try SegmentLog.open(directory: store.url.path + "-log", forWriting: false)
        defer { log.close() }
        for (index, dog) in dogs.enumerated() {
            let key = dog.objectID.uriRepresentation().lastPathComponent
            let filter = try RecordFilter(author: nil, entity: nil, object: ObjectName("Dog/\(key)"), in: log)
            let found = try (1...log.head.rawValue).filter { try filter.includes(log.record(at: SequenceNumber($0))) }
            #expect(found == [UInt64(4 + index)], "Dog/\(key)")
        }
    }

    @Test("The notification of a transaction names its objects as they are called now")
    func notification() throws {
        let (store, _, coordinator) = try made()
        defer { withExtendedLifetime(store) {} }
        let context = coordinator.context()
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
        let result = try context.execute(request) as? NSPersistentHistoryResult
        for transaction in try #require(result?.result as? [NSPersistentHistoryTransaction]) {
            let inserted = transaction.objectIDNotification().userInfo?[NSInsertedObjectIDsKey]
            #expect(inserted as? Set<NSManagedObjectID> == Set(transaction.changes?.map(\.changedObjectID) ?? []))
        }
    }

    @Test("The records of an object, and who set its values, are found under its entity's and properties' new names")
    func renamed() throws {
        let store = try MigratingStore()
        try store.with("Person: name String") { _ = $0.make("Person", ["name": "Ada"]) }
        try store.with("Human was Person: fullName String was name")
        let log = try SegmentLog.open(directory: store.url.path + "-log", forWriting: false)
        defer { log.close() }
        let past = PastStates(log, .file(store.url.path))
        #expect(try past.records(of: "Human", 1, after: 0, through: log.head) == [2])
        #expect(try past.setters(of: "Human", 1, ["fullName"], at: log.head) == ["fullName": 2])
    }
}

import Firn
import FirnModel
import FirnSQLite
import Foundation
import StoreSupport
import TestSupport
import Testing

/// A lightweight migration that leaves what can wait.
@Suite("A deferred migration")
struct DeferredMigrationTests {
    private static let old = "Person: name String, age Integer32, rank Integer32"
    private static let new = "Person: name String, age Integer32, rank Integer32, city String, index rank, index age"

    private let store: MigratingStore

    init() throws {
        store = try MigratingStore()
        try store.with(Self.old) { context in
            for age in 0..<20 { _ = context.make("Person", ["name": "\(age)", "age": age]) }
        }
    }

    private func open() throws -> NSPersistentStoreCoordinator {
        var options = MigratingStore.lightweight
        options[NSPersistentStoreDeferredLightweightMigrationOptionKey] = NSNumber(value: true)
        return try store.coordinator(ModelText.model(Self.new), options)
    }

    private func indexes() throws -> Set<String> {
        let connection = try Connection(.file(store.url.path), mode: .readOnly)
        return try connection.withStatement(
            "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL"
        ) { statement in
            var names: Set<String> = []
            while try statement.step() { names.insert(statement.text(0)) }
            return names
        }
    }

    private func isUnfinished(_ metadata: [String: Any]?) -> Bool {
        metadata?[NSPersistentStoreDeferredLightweightMigrationOptionKey] as? Bool == true
    }

    private func storedMetadata() throws -> [String: Any] {
        try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: NSSQLiteStoreType, at: store.url)
    }

    @Test("has all objects, and says in the metadata that something is left, open or not")
    func told() throws {
        let coordinator = try open()
        #expect(isUnfinished(coordinator.persistentStores[0].metadata))
        #expect(isUnfinished(try storedMetadata()))
        #expect(try indexes() == [])
        let context = coordinator.context()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
        request.predicate = NSPredicate(format: "age > 16 AND name != '18'")
        #expect(try context.count(for: request) == 2)
    }

    @Test("is finished one task after the other")
    func tasks() throws {
        let coordinator = try open()
        var count = 0
        while isUnfinished(coordinator.persistentStores[0].metadata), count < 10 {
            let before = try indexes().count
            try coordinator.finishDeferredLightweightMigrationTask()
            #expect(try indexes().count == before + 1)
            count += 1
        }
        #expect(count == 2)
        #expect(!isUnfinished(try storedMetadata()))
        let complete = try indexes()
        try coordinator.finishDeferredLightweightMigrationTask()
        #expect(try indexes() == complete)
    }

    @Test("is finished at once, also by the next one who opens the store, as if it had not been deferred")
    func whole() throws {
        let first = try open()
        try first.remove(first.persistentStores[0])
        let coordinator = try store.coordinator(ModelText.model(Self.new))
        #expect(isUnfinished(coordinator.persistentStores[0].metadata))
        try coordinator.finishDeferredLightweightMigration()
        #expect(!isUnfinished(coordinator.persistentStores[0].metadata))
        let finished = try indexes()
        try coordinator.remove(coordinator.persistentStores[0])
        let other = try MigratingStore()
        _ = try other.migrate(Self.old, to: Self.new) { _ in }
        let undeferred = DeferredMigrationTests(other)
        #expect(try finished == undeferred.indexes())
        #expect(finished.count == 2)
    }

    @Test("leaves nothing in a store without indexes, and nothing where tables are built anew")
    func nothing() throws {
        let coordinator = try open()
        try coordinator.remove(coordinator.persistentStores[0])
        try store.url.discardTables()
        let rebuilt = try open()
        #expect(!isUnfinished(rebuilt.persistentStores[0].metadata))
        #expect(try indexes().count == 2)
    }

    private init(_ store: MigratingStore) { self.store = store }
}

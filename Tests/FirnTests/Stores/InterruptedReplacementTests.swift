import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// A process may die at any moment of a replacement or of a destruction.
@Suite("Replacing or destroying a store, interrupted")
struct InterruptedReplacementTests {
    private struct Interruption: Error {}
    private let directory: TemporaryDirectory
    private static let moments: [TestHooks.Moment] = [.copied, .tablesRemoved, .logReplaced]

    init() throws {
        directory = try TemporaryDirectory()
        for (file, names) in [("Old", ["Ada"]), ("New", ["Bob", "Cid"])] {
            let coordinator = try open(file)
            let context = coordinator.context()
            for name in names {
                _ = context.make("Author", ["name": name])
                try context.save()
            }
            try coordinator.remove(coordinator.persistentStores[0])
        }
    }

    private func open(_ name: String) throws -> NSPersistentStoreCoordinator {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
        try coordinator.addPersistentStore(type: .sqlite, at: directory.file(name + ".sqlite"))
        return coordinator
    }

    private func interrupt(at moment: TestHooks.Moment, _ body: () throws -> Void) {
        var surroundings = TestHooks()
        surroundings.reached = { if $0 == moment { throw Interruption() } }
        TestHooks.$current.withValue(surroundings) { #expect(throws: (any Error).self) { try body() } }
    }

    @Test("at any moment leaves the old store or the new one", arguments: moments)
    private func replacing(_ moment: TestHooks.Moment) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
        interrupt(at: moment) {
            try coordinator.replacePersistentStore(
                at: directory.file("Old.sqlite"), withPersistentStoreFrom: directory.file("New.sqlite"), type: .sqlite)
        }
        let names = try open("Old").context().strings("Author", "name")
        #expect(names == (moment == .logReplaced ? ["Bob", "Cid"] : ["Ada"]))
        #expect(try open("New").context().strings("Author", "name") == ["Bob", "Cid"])
        try coordinator.replacePersistentStore(
            at: directory.file("Old.sqlite"), withPersistentStoreFrom: directory.file("New.sqlite"), type: .sqlite)
        #expect(try open("Old").context().strings("Author", "name") == ["Bob", "Cid"])
    }

    @Test("at any moment leaves the whole store, or none", arguments: [moments[1], moments[2]])
    private func destroying(_ moment: TestHooks.Moment) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
        interrupt(at: moment) {
            try coordinator.destroyPersistentStore(at: directory.file("Old.sqlite"), type: .sqlite)
        }
        let names = try open("Old").context().strings("Author", "name")
        #expect(names == (moment == .logReplaced ? [] : ["Ada"]))
    }

    @Test("leaves no store at a place where none was to be", arguments: moments)
    private func placing(_ moment: TestHooks.Moment) throws {
        let coordinator = try open("New")
        let store = try #require(coordinator.persistentStores.first)
        interrupt(at: moment) {
            try coordinator.migratePersistentStore(store, to: directory.file("Copy.sqlite"), type: .sqlite)
        }
        let names = try open("Copy").context().strings("Author", "name")
        #expect(names == (moment == .logReplaced ? ["Bob", "Cid"] : []))
        #expect(coordinator.persistentStores == [store])
        #expect(try coordinator.context().strings("Author", "name") == ["Bob", "Cid"])
    }
}

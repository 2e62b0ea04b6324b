import Firn
import FirnLog
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// A process may die before any change that a replacement or a destruction makes to the disk.
@Suite("Replacing or destroying a store, interrupted")
struct InterruptedReplacementTests {
    /// A folder with the stores `Old` (Ada) and `New` (Bob, Cid).
    private struct Folder {
        let directory: TemporaryDirectory

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

        func file(_ name: String) -> URL { directory.file(name + ".sqlite") }

        func open(_ name: String) throws -> NSPersistentStoreCoordinator {
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
            try coordinator.addPersistentStore(type: .sqlite, at: file(name))
            return coordinator
        }

        func names(_ store: String) throws -> Set<String> { try open(store).context().strings("Author", "name") }
    }

    /// Runs `operation` in folders of its own, on a disk that is frozen at each change in turn, until it succeeds.
    /// `check` returns the names in the store whose place it is.
    ///
    /// - Returns: what `check` returned for each point, and at last for the operation that was not interrupted.
    private func interruptedEverywhere(
        _ operation: (Folder, [AnyHashable: Any]) throws -> Void, check: (Folder) throws -> Set<String>
    ) throws -> [Set<String>] {
        var found: [Set<String>] = []
        while true {
            let folder = try Folder()
            let disk = FrozenDisk(after: found.count)
            let result = Result { try operation(folder, [PersistentStoreFileSystemOption: disk.fileSystem]) }
            if disk.isFrozen {
                #expect(throws: (any Error).self, "change \(found.count)") { try result.get() }
            } else {
                try result.get()
            }
            found.append(try check(folder))
            if !disk.isFrozen { return found }
            try #require(found.count < 100)
        }
    }

    /// What was there stays up to some change, and from then on there is what was to be.
    private func expect(
        _ found: [Set<String>], from old: Set<String>, to new: Set<String>,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(Set(found) == [old, new], sourceLocation: sourceLocation)
        #expect(found == found.sorted { $0 == old && $1 == new }, sourceLocation: sourceLocation)
        #expect(found.count > 4, sourceLocation: sourceLocation)
    }

    @Test("at any change leaves the old store or the new one, and can be done again")
    func replacing() throws {
        func replace(_ folder: Folder, _ options: [AnyHashable: Any]?) throws {
            try NSPersistentStoreCoordinator(managedObjectModel: Library.model()).replacePersistentStore(
                at: folder.file("Old"), destinationOptions: options, withPersistentStoreFrom: folder.file("New"),
                type: .sqlite)
        }
        let found = try interruptedEverywhere(replace) { folder in
            let names = try folder.names("Old")
            #expect(try folder.names("New") == ["Bob", "Cid"])
            try replace(folder, nil)
            #expect(try folder.names("Old") == ["Bob", "Cid"])
            return names
        }
        expect(found, from: ["Ada"], to: ["Bob", "Cid"])
    }

    @Test("by an error leaves nothing of the copy")
    func failing() throws {
        let folder = try Folder()
        let files = HeardFileSystem { (call, path) throws(FileError) in
            if call == .exchange { throw FileError("exchange it", path: path, errno: EIO) }
        }
        #expect(throws: NSError.self) {
            try NSPersistentStoreCoordinator(managedObjectModel: Library.model()).replacePersistentStore(
                at: folder.file("Old"), destinationOptions: [PersistentStoreFileSystemOption: files],
                withPersistentStoreFrom: folder.file("New"), type: .sqlite)
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.directory.path)
        #expect(names.filter { $0.contains(".new-") } == [])
        #expect(try folder.names("Old") == ["Ada"])
    }

    @Test("at any change leaves the whole store, or none")
    func destroying() throws {
        let found = try interruptedEverywhere { folder, options in
            try NSPersistentStoreCoordinator(managedObjectModel: Library.model())
                .destroyPersistentStore(at: folder.file("Old"), type: .sqlite, options: options)
        } check: { folder in
            try folder.names("Old")
        }
        expect(found, from: ["Ada"], to: [])
    }

    @Test("of a store whose file was deleted, at any change, leaves its log whole, to be set aside at last")
    func settingAside() throws {
        let found = try interruptedEverywhere { folder, options in
            for suffix in ["", "-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: folder.file("Old").path + suffix)
            }
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
            let store = try coordinator.addPersistentStore(type: .sqlite, at: folder.file("Old"), options: options)
            try coordinator.remove(store)
        } check: { folder in
            #expect(try folder.names("Old") == [])
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.directory.path)
            let kept = names.filter { $0.hasPrefix("Old.sqlite.") && $0.hasSuffix("Z-log") }
            #expect(kept.count == 1)
            let url = folder.directory.file(String(try #require(kept.first).dropLast(4)))
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
            _ = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: url,
                options: [PersistentStoreMissingTablesOption: MissingTables.rebuild.rawValue])
            return try coordinator.context().strings("Author", "name")
        }
        #expect(Set(found) == [["Ada"]])
        #expect(found.count > 4)
    }

    @Test("at any change leaves no store at a place where none was to be, or the whole copy")
    func placing() throws {
        let found = try interruptedEverywhere { folder, options in
            let coordinator = try folder.open("New")
            let store = try #require(coordinator.persistentStores.first)
            do {
                try coordinator.migratePersistentStore(store, to: folder.file("Copy"), options: options, type: .sqlite)
            } catch {
                #expect(coordinator.persistentStores == [store])
                #expect(try coordinator.context().strings("Author", "name") == ["Bob", "Cid"])
                throw error
            }
        } check: { folder in
            try folder.names("Copy")
        }
        expect(found, from: [], to: ["Bob", "Cid"])
    }
}

import Firn
import FirnLog
import FirnModel
import FirnProjection
import Foundation
import StoreSupport
import TestSupport
import Testing

/// A process may die at any point of a migration: the store is before it or after it, and nothing is lost.
@Suite("A migration that is interrupted")
struct MigrationCrashTests {
    private let old = "Person: name String, age Integer32, friends ->> Person\nTag: label String"
    private let new = "Human was Person: fullName String was name, !city String = Rome, friends ->> Human ordered"
    private let directory: TemporaryDirectory
    private var store: URL { directory.file("store") }

    init() throws { directory = try TemporaryDirectory() }

    private func state(_ folder: URL, _ model: String, _ options: [AnyHashable: Any]?) throws -> StoreState {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: try ModelText.model(model))
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: folder.appendingPathComponent("Library.sqlite"),
            options: options)
        defer { try? coordinator.remove(store) }
        return try StoreState(coordinator.context())
    }

    private func fill() throws -> StoreState {
        try FileManager.default.createDirectory(at: store, withIntermediateDirectories: false)
        try FileManager.default.createDirectory(at: directory.file("images"), withIntermediateDirectories: false)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: try ModelText.model(old))
        let opened = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: store.appendingPathComponent("Library.sqlite"))
        let context = coordinator.context()
        let people = (0..<20).map { context.make("Person", ["name": "\($0)", "age": $0]) }
        for person in people { person.setValue(NSSet(array: Array(people[3..<7])), forKey: "friends") }
        _ = context.make("Tag", ["label": "t"])
        try context.save()
        let state = try StoreState(coordinator.context())
        try coordinator.remove(opened)
        return state
    }

    /// Images of the folder at every change to the log, and between the steps around it.
    private func images() throws -> [URL] {
        let newTables = MigratedProjection.sidePath(store.appendingPathComponent("Library.sqlite").path)
        let fileSystem = ImageTakingFileSystem(of: store, into: directory.file("images")) { fileSystem in
            guard FileManager.default.fileExists(atPath: newTables) else { return }
            // The old file becomes an empty one before its write-ahead log goes, and the new one comes last.
            for suffixes in [[], ["-wal"], ["-wal", "-shm"]] {
                let image = fileSystem.take()
                try? Data().write(to: image.appendingPathComponent("Library.sqlite"))
                for suffix in suffixes {
                    try? FileManager.default.removeItem(at: image.appendingPathComponent("Library.sqlite" + suffix))
                }
            }
        }
        _ = try state(store, new, MigratingStore.options(on: fileSystem))
        return fileSystem.all
    }

    @Test("at any point leaves the old store or the new one, whole")
    func everyPoint() throws {
        let before = try fill()
        let images = try images()
        #expect(images.count > 10)
        let after = try state(store, new, nil)
        #expect(after.count("Human") == 20)
        #expect(after["Human/p3"]["fullName"] == "2")
        #expect(after["Human/p3"]["friends"] == "Human/p4 Human/p5 Human/p6 Human/p7")
        var isMigrated: [Bool] = []
        for image in images {
            let copy = URL(fileURLWithPath: image.path + "-copy")
            try FileManager.default.copyItem(at: image, to: copy)
            let asBefore = try? state(copy, old, nil)
            isMigrated.append(asBefore == nil)
            if let asBefore { #expect(asBefore == before, "\(image.lastPathComponent)") }
            #expect(try state(image, new, MigratingStore.lightweight) == after, "\(image.lastPathComponent)")
            let dumps = try StoredTables.dumps(image.appendingPathComponent("Library.sqlite"))
            #expect(dumps.present == dumps.rebuilt, "\(image.lastPathComponent)")
        }
        // Once it is migrated it stays so.
        #expect(isMigrated == isMigrated.sorted { !$0 && $1 })
        #expect(Set(isMigrated) == [true, false])
    }

    @Test("by an error before the record is appended leaves the old store and no file behind")
    func failure() throws {
        let before = try fill()
        let path = store.appendingPathComponent("Library.sqlite").path
        let fileSystem = HeardFileSystem(
            MigrationMoment.prepared.listener(of: path) { () throws(FileError) in
                throw FileError("write it", path: path, errno: ENOSPC)
            })
        let error = #expect(throws: NSError.self) { try state(store, new, MigratingStore.options(on: fileSystem)) }
        #expect(error?.logError?.code == .noSpace)
        let names = try FileManager.default.contentsOfDirectory(atPath: store.path)
        #expect(!names.contains { $0.contains("migration") })
        #expect(try state(store, old, nil) == before)
    }
}

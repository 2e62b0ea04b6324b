import Firn
import FirnLog
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

@Suite("Little or no space on the disk")
struct FullDiskConformanceTests {
    private let directory: TemporaryDirectory
    private var url: URL { directory.file("Library.sqlite") }

    init() throws { directory = try TemporaryDirectory() }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: directory.path) }
    }

    @Test("m.35 an opening that fails for want of space says so, and the next one makes the store")
    func opening() throws {
        var failureCount = 0
        // Each time one more step succeeds, until all do.
        while true {
            let folder = try TemporaryDirectory()
            let options = [PersistentStoreFileSystemOption: FrozenDisk.full(after: failureCount)]
            let result = Result { try Library.onDisk(folder, options: options) }
            guard case .failure(let error as NSError) = result else { break }
            #expect(error.localizedDescription.contains("no space left"), "after \(failureCount) steps")
            #expect(error.logError?.code == .noSpace)
            let context = try Library.onDisk(folder).context()
            _ = context.make("Author", ["name": "Ada"])
            try context.save()
            #expect(try context.strings("Author", "name") == ["Ada"], "after \(failureCount) steps")
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(names.allSatisfy { $0.hasPrefix("Library.sqlite") }, "after \(failureCount) steps: \(names)")
            failureCount += 1
            try #require(failureCount < 50)
        }
        #expect(failureCount >= 2)
    }

    @Test("m.35 an opening that fails leaves a store alone that was there before")
    func known() throws {
        let coordinator = try Library.onDisk(directory)
        let context = coordinator.context()
        _ = context.make("Author", ["name": "Ada"])
        try context.save()
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        try url.discardTables()
        #expect(throws: NSError.self) {
            _ = try NSPersistentStoreCoordinator(managedObjectModel: ModelSketch.correspondence())
                .addPersistentStore(type: .sqlite, at: url)
        }
        #expect(try Library.onDisk(directory).context().strings("Author", "name") == ["Ada"])
    }

    @Test("m.35 a store of three rows takes little of the disk")
    func small() throws {
        let coordinator = try Library.onDisk(directory)
        let context = coordinator.context()
        for name in ["Ada", "Bob", "Cid"] { _ = context.make("Author", ["name": name]) }
        try context.save()
        var size = 0
        let files = FileManager.default.enumerator(at: directory.url, includingPropertiesForKeys: nil)
        for case let file as URL in files?.allObjects ?? [] where !file.hasDirectoryPath {
            var information = stat()
            try #require(stat(file.path, &information) == 0)
            size += Int(information.st_blocks) * 512
        }
        #expect(size < 1 << 19, "\(size) bytes")
    }

    @Test("m.35 a link that leads nowhere is no place for a store, and stays")
    func danglingLink() throws {
        let target = directory.file("away/Library.sqlite").path
        try FileManager.default.createSymbolicLink(atPath: url.path, withDestinationPath: target)
        let error = #expect(throws: NSError.self) { _ = try Library.onDisk(directory) }
        #expect(try #require(error).localizedDescription.contains(target))
        #expect(try names == ["Library.sqlite"])
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: url.path) == target)
    }

    @Test("m.35 a link that leads nowhere in the place of tables stays, too")
    func danglingTables() throws {
        let coordinator = try Library.onDisk(directory)
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        try FileManager.default.removeItem(at: url)
        let target = directory.file("away/Library.sqlite").path
        try FileManager.default.createSymbolicLink(atPath: url.path, withDestinationPath: target)
        #expect(throws: NSError.self) { _ = try Library.onDisk(directory) }
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: url.path) == target)
    }
}

import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

@Suite("Conformance: a store that was removed is closed")
struct ClosedStoreConformanceTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// The files of a folder that this process has open.
    private func openFiles() throws -> Set<String> {
        let folder = "/proc/self/fd"
        let files = try FileManager.default.contentsOfDirectory(atPath: folder)
            .compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "/" + $0) }
        return Set(files.filter { $0.hasPrefix(directory.path) }.map { URL(fileURLWithPath: $0).lastPathComponent })
    }

    @Test("m.16 the tables are closed when removing the store returns, whoever still has the store")
    func removed() throws {
        let coordinator = try Library.onDisk(directory)
        let store = coordinator.persistentStores[0]
        let context = coordinator.context()
        _ = context.make("Author", ["name": "Ada"])
        try context.save()
        #expect(try context.strings("Author", "name") == ["Ada"])
        try #expect(openFiles().contains("Library.sqlite"))
        try coordinator.remove(store)
        try #expect(openFiles().filter { $0.hasPrefix("Library.sqlite") && !$0.hasSuffix("-log") } == [])
        withExtendedLifetime((store, context)) {}
    }

    @Test("m.16 looking at a store's metadata leaves the locks that this process has on its tables")
    func locks() throws {
        let coordinator = try Library.onDisk(directory)
        let url = directory.file("Library.sqlite")
        let before = try locks(on: url)
        #expect(!before.isEmpty)
        _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: url)
        #expect(try locks(on: url) == before)
        withExtendedLifetime(coordinator) {}
    }

    @Test("m.16 closing a store leaves the locks that another coordinator of this process has on its tables")
    func otherCoordinator() throws {
        let url = directory.file("Library.sqlite")
        let maker = try Library.onDisk(directory)
        try maker.remove(maker.persistentStores[0])
        // As in a copied folder: what the tables had when they were closed is recorded again.
        try FileManager.default.removeItem(atPath: url.path + "-log/tables")
        let (closing, other) = (try Library.onDisk(directory), try Library.onDisk(directory))
        let before = try locks(on: url)
        #expect(!before.isEmpty)
        try closing.remove(closing.persistentStores[0])
        #expect(try locks(on: url) == before)
        withExtendedLifetime(other) {}
    }

    /// The locks that any process has on a file, without their numbers.
    private func locks(on url: URL) throws -> [String] {
        var information = stat()
        try #require(stat(url.path, &information) == 0)
        let text = try String(contentsOfFile: "/proc/locks", encoding: .utf8)
        return text.split(separator: "\n").filter { $0.contains(":\(information.st_ino) ") }
            .map { $0.drop { $0 != " " }.trimmingCharacters(in: .whitespaces) }.sorted()
    }
}

import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

@Suite("A store in a folder where nothing can be written")
final class ReadOnlyFolderConformanceTests {
    private let directory: TemporaryDirectory
    private let folder: URL

    init() throws {
        directory = try TemporaryDirectory()
        folder = directory.file("store")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        let coordinator = try open(readOnly: false)
        let context = coordinator.context()
        _ = context.make("Author", ["name": "Ada"])
        try context.save()
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }

    deinit { try? Permissions.setWritable(true, folder) }

    private func open(readOnly: Bool, in folder: URL? = nil) throws -> NSPersistentStoreCoordinator {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
        _ = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil,
            at: (folder ?? self.folder).appending(path: "Library.sqlite"),
            options: [NSReadOnlyPersistentStoreOption: NSNumber(value: readOnly)])
        return coordinator
    }

    /// Names and sizes of all files.
    private func contents() throws -> [String: Int] {
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.allObjects ?? []
        var sizes: [String: Int] = [:]
        for case let file as URL in files {
            let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
            sizes[file.path] = attributes[.size] as? Int
        }
        return sizes
    }

    /// What a coordinator reads there that opens the store for reading.
    private func names() throws -> Set<String> {
        try Permissions.setWritable(false, folder)
        let before = try contents()
        let names = try Permissions.withoutPrivileges {
            let coordinator = try open(readOnly: true)
            let names = try coordinator.context().strings("Author", "name")
            for store in coordinator.persistentStores { try coordinator.remove(store) }
            return names
        }
        #expect(try contents() == before)
        return names
    }

    @Test("m.34 is read without a byte being written")
    func closed() throws { #expect(try names() == ["Ada"]) }

    @Test("m.34 is read where its tables are missing")
    func noTables() throws {
        try FileManager.default.removeItem(at: folder.appending(path: "Library.sqlite"))
        #expect(try names() == ["Ada"])
    }

    @Test("m.34 is read where the program that wrote it was stopped, with all that it saved")
    func notClosed() throws {
        let writer = try open(readOnly: false)
        let context = writer.context()
        _ = context.make("Author", ["name": "Bob"])
        try context.save()
        _ = try context.all("Author")
        let image = directory.file("image")
        try FileManager.default.copyItem(at: folder, to: image)
        for store in writer.persistentStores { try writer.remove(store) }
        try FileManager.default.removeItem(at: folder)
        try FileManager.default.moveItem(at: image, to: folder)
        try? FileManager.default.removeItem(at: folder.appending(path: "Library.sqlite-shm"))
        #expect(try names() == ["Ada", "Bob"])
    }

    @Test("m.34 refuses to be opened for writing, and says why")
    func writing() throws {
        try Permissions.setWritable(false, folder)
        let error = #expect(throws: NSError.self) {
            try Permissions.withoutPrivileges { _ = try open(readOnly: false) }
        }
        #expect(try #require(error).localizedDescription.contains("ermi"))
    }
}

import Firn
import Foundation
import StoreSupport
import TestSupport
import Testing

/// A pipe stands for all that is no file and no folder: no test may lose a device.
@Suite("Stores at devices and pipes")
struct DeviceTests {
    private let directory: TemporaryDirectory
    private let coordinator: NSPersistentStoreCoordinator
    private var pipe: URL { directory.file("pipe") }

    init() throws {
        directory = try TemporaryDirectory()
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
        try #require(mkfifo(directory.file("pipe").path, 0o600) == 0)
    }

    private var isThere: Bool {
        var information = stat()
        return stat(pipe.path, &information) == 0 && information.st_mode & S_IFMT == S_IFIFO
    }

    /// Runs `body`, which has to throw an error about the pipe and leave it alone.
    private func refused(_ body: () throws -> Void) {
        let error = #expect(throws: NSError.self) { try body() }
        #expect(error?.localizedDescription.contains("is a device, a pipe or a socket") == true)
        #expect(isThere)
    }

    @Test("A pipe is not destroyed as a store is", arguments: [NSBinaryStoreType, NSSQLiteStoreType, "JSON"])
    func destroying(_ type: String) {
        NSPersistentStoreCoordinator.registerStoreClass(JSONStore.self, forStoreType: "JSON")
        for isForced in [false, true] {
            refused {
                try coordinator.destroyPersistentStore(
                    at: pipe, ofType: type, options: [NSPersistentStoreForceDestroyOption: isForced])
            }
        }
    }

    @Test("A pipe is not opened as a store", arguments: [NSPersistentStore.StoreType.binary, .sqlite])
    func opening(_ type: NSPersistentStore.StoreType) {
        refused { try coordinator.addPersistentStore(type: type, at: pipe) }
    }

    @Test("A store does not take a pipe's place", arguments: [NSPersistentStore.StoreType.binary, .sqlite])
    func replacing(_ type: NSPersistentStore.StoreType) throws {
        let url = directory.file("Library.store")
        let store = try coordinator.addPersistentStore(type: type, at: url)
        refused { try coordinator.replacePersistentStore(at: pipe, withPersistentStoreFrom: url, type: type) }
        refused { try coordinator.migratePersistentStore(store, to: pipe, type: type) }
    }

    @Test("A binary store's destruction leaves a folder with its files")
    func folder() throws {
        let folder = directory.file("folder")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data("mine".utf8).write(to: folder.appending(path: "file"))
        #expect(throws: NSError.self) { try coordinator.destroyPersistentStore(at: folder, type: .binary) }
        #expect(FileManager.default.fileExists(atPath: folder.path + "/file"))
    }
}

import Firn
import FirnLog
import FirnModel
import Foundation
import Synchronization
import StoreSupport
import TestSupport
import Testing

@Suite("The files of large values")
struct LargeValueUpkeepConformanceTests {
    private let photos: PhotoStore
    private let large = PhotoStore.bytes(1)

    init() throws { photos = try PhotoStore() }

    private var file: URL { URL(fileURLWithPath: photos.url.path + "-log/external/" + photos.files[0]) }

    @Test("d.23 that are missing are reported by verifying, with name and record")
    func missing() throws {
        _ = try photos.add("a", large)
        let path = file.path
        try FileManager.default.removeItem(at: file)
        let problem = try #require(try PhotoStore.problems(photos.url).first)
        #expect(problem.code == .damaged)
        #expect(problem.path == path)
        #expect(problem.sequence == 2)
        #expect(problem.found == "none")
    }

    @Test("d.23 that are damaged are reported by verifying, be it in one bit")
    func damaged() throws {
        _ = try photos.add("a", large)
        var bytes = try Data(contentsOf: file)
        bytes[77_777] ^= 4
        try bytes.write(to: file)
        let problem = try #require(try PhotoStore.problems(photos.url).first)
        #expect(problem.path == file.path)
        #expect(problem.expected == file.lastPathComponent)
        try bytes.dropLast().write(to: file)
        #expect(try PhotoStore.problems(photos.url).map(\.found) == ["149999 bytes"])
    }

    @Test("d.23 that cannot be read leave the attribute nil and its row as it is, and say so")
    func unreadable() throws {
        let photo = try photos.add("a", large)
        let hidden = file.appendingPathExtension("hidden")
        let visible = file
        try FileManager.default.moveItem(at: visible, to: hidden)
        photos.context.refreshAllObjects()
        let path = Mutex<String?>(nil)
        let observer = NotificationCenter.default.addObserver(
            forName: NSPersistentStoreCoordinator.externalValueUnreadableNotification, object: photos.coordinator,
            queue: nil
        ) { note in
            let error = note.userInfo?[NSUnderlyingErrorKey] as? NSError
            path.withLock { $0 = error?.userInfo[NSFilePathErrorKey] as? String }
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        #expect(photo.value(forKey: "data") == nil)
        #expect(path.withLock { $0 } == visible.path)
        photo.setValue("b", forKey: "title")
        try photos.context.save()
        try FileManager.default.moveItem(at: hidden, to: visible)
        #expect(try PhotoStore.read(photos.url) == ["b": large])
    }

    @Test("d.23 go with a trim that leaves nothing which names them")
    func trim() throws {
        let photo = try photos.add("a", large)
        _ = try photos.add("b", PhotoStore.bytes(2))
        photo.setValue(PhotoStore.bytes(3), forKey: "data")
        try photos.context.save()
        #expect(photos.files.count == 3)
        try Data("left by a crash".utf8).write(to: file.appendingPathExtension("tmp"))
        try photos.coordinator.trimHistory(keeping: HistoryRetention(transactionCountMax: 0))
        let kept = [PhotoStore.bytes(2), PhotoStore.bytes(3)]
        let names = kept.map { data in data.withUnsafeBytes { ExternalReference(to: $0).fileName } }
        #expect(photos.files == names.sorted())
        #expect(try PhotoStore.problems(photos.url) == [])
        try photos.close()
        try photos.url.discardTables()
        #expect(try PhotoStore.read(photos.url) == ["a": kept[1], "b": kept[0]])
    }

    @Test("d.23 stay with a trim as long as a pinned context reads what names them, and go with the next one")
    func trimWhileRead() throws {
        let photo = try photos.add("a", large)
        do {
            let reader = photos.coordinator.context()
            try reader.setQueryGenerationFrom(.current)
            #expect(try reader.all("Photo").count == 1)
            photos.context.delete(photo)
            try photos.context.save()
            try photos.coordinator.trimHistory(keeping: HistoryRetention(transactionCountMax: 0))
            #expect(try PhotoStore.read(reader) == ["a": large])
        }
        _ = try photos.add("b", nil)
        try photos.coordinator.trimHistory(keeping: HistoryRetention(transactionCountMax: 0))
        #expect(photos.files.isEmpty)
    }

    @Test("d.23 go with what is erased")
    func erase() throws {
        let photo = try photos.add("a", large)
        _ = try photos.add("b", PhotoStore.bytes(2))
        try photos.coordinator.erase(photo.objectID, property: "data")
        #expect(photos.files.count == 1)
        #expect(try PhotoStore.problems(photos.url) == [])
        #expect(try PhotoStore.read(photos.url) == ["a": nil, "b": PhotoStore.bytes(2)])
    }

    @Test("d.23 go along when the store is copied, and moved into memory")
    func copies() throws {
        _ = try photos.add("a", large)
        let copy = photos.directory.file("Copy.sqlite")
        let store = try #require(photos.coordinator.persistentStores.first)
        let moved = try photos.coordinator.migratePersistentStore(store, to: copy, options: nil, type: .sqlite)
        #expect(try PhotoStore.read(copy) == ["a": large])
        _ = try photos.coordinator.migratePersistentStore(moved, to: copy, options: nil, type: .inMemory)
        #expect(try PhotoStore.read(photos.coordinator.context()) == ["a": large])
    }

    @Test("d.23 leave the store before the save or after it, wherever a process dies")
    func everyPoint() throws {
        _ = try photos.add("a", PhotoStore.bytes(2))
        try photos.close()
        let images = try TemporaryDirectory()
        let fileSystem = ImageTakingFileSystem(of: photos.directory.url, into: images.url)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: PhotoStore.model())
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: photos.url,
            options: [PersistentStoreFileSystemOption: fileSystem])
        let context = coordinator.context()
        _ = context.make("Photo", ["title": "b", "data": large])
        try context.save()
        try coordinator.remove(store)
        #expect(fileSystem.all.count > 6)
        var counts: [Int] = []
        for image in fileSystem.all {
            let url = image.appendingPathComponent("Photos.sqlite")
            #expect(try PhotoStore.problems(url) == [], "\(image.lastPathComponent)")
            let found = try PhotoStore.read(url)
            #expect(found["a"] == PhotoStore.bytes(2), "\(image.lastPathComponent)")
            #expect(found.count == 1 || found["b"] == large, "\(image.lastPathComponent)")
            counts.append(found.count)
        }
        #expect(counts == counts.sorted() && Set(counts) == [1, 2])
    }
}

import Firn
import FirnLog
import FirnModel
import FirnSQLite
import Foundation
import StoreSupport
import Synchronization
import TestSupport
import Testing

@Suite("The damaged file of a large value")
struct DamagedValueConformanceTests {
    private let photos: PhotoStore
    private let large = PhotoStore.bytes(1)

    init() throws { photos = try PhotoStore() }

    private var file: URL { URL(fileURLWithPath: photos.url.path + "-log/external/" + photos.files[0]) }

    /// Changes one bit; the size stays.
    private func damage() throws {
        var bytes = try Data(contentsOf: file)
        bytes[77_777] ^= 4
        try bytes.write(to: file)
    }

    @Test("m.7 is reported with its path and what it should hold, and never handed out")
    func reported() throws {
        let photo = try photos.add("a", large)
        try damage()
        photos.context.refreshAllObjects()
        let told = Mutex<NSError?>(nil)
        let observer = NotificationCenter.default.addObserver(
            forName: NSPersistentStoreCoordinator.externalValueUnreadableNotification, object: photos.coordinator,
            queue: nil
        ) { note in
            let error = note.userInfo?[NSUnderlyingErrorKey] as? NSError
            told.withLock { $0 = error }
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        #expect(photo.value(forKey: "data") == nil)
        let error = try #require(told.withLock { $0 })
        #expect(error.userInfo[NSFilePathErrorKey] as? String == file.path)
        #expect(error.localizedDescription.contains("Expected \(file.lastPathComponent)"))
    }

    private func expectUnreadable(_ body: () throws -> Void) {
        let error = #expect(throws: (any Error).self) { try body() } as NSError?
        #expect(error?.userInfo[NSFilePathErrorKey] as? String == file.path)
    }

    @Test("m.7 makes a dictionary fetch throw, with the file's path")
    func dictionaries() throws {
        _ = try photos.add("a", large)
        try damage()
        let request = NSFetchRequest<NSDictionary>(entityName: "Photo")
        request.resultType = .dictionaryResultType
        expectUnreadable { _ = try photos.context.fetch(request) }
        request.propertiesToFetch = ["title"]
        #expect(try photos.context.fetch(request).first?["title"] as? String == "a")
    }

    @Test("m.7 makes a copy of the store in another form throw, and leaves no copy")
    func copy() throws {
        _ = try photos.add("a", large)
        try damage()
        photos.context.refreshAllObjects()
        let copy = photos.directory.file("Copy.binary")
        expectUnreadable {
            _ = try photos.coordinator.migratePersistentStore(
                photos.coordinator.persistentStores[0], to: copy, options: nil, withType: NSBinaryStoreType)
        }
        #expect(!FileManager.default.fileExists(atPath: copy.path))
    }

    @Test("m.7 makes a migration by a mapping model throw")
    func migration() throws {
        _ = try photos.add("a", large)
        try damage()
        try photos.close()
        let (source, destination) = (PhotoStore.model(), PhotoStore.model())
        destination.entities[0].properties.append(ModelSketch.attribute("subtitle"))
        let manager = NSMigrationManager(sourceModel: source, destinationModel: destination)
        let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: source, destinationModel: destination)
        expectUnreadable {
            try manager.migrateStore(
                from: photos.url, sourceType: NSSQLiteStoreType, with: mapping,
                toDestinationURL: photos.directory.file("New.sqlite"), destinationType: NSSQLiteStoreType)
        }
    }

    @Test("m.7 makes a revert that needs the value throw, and changes nothing")
    func revert() throws {
        let photo = try photos.add("a", large)
        photo.setValue(nil, forKey: "data")
        try photos.context.save()
        try damage()
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: .distantPast)
        let result = try photos.context.execute(request) as? NSPersistentHistoryResult
        let last = try #require((result?.result as? [NSPersistentHistoryTransaction])?.last)
        expectUnreadable { try photos.context.revert(last) }
        #expect(!photos.context.hasChanges)
    }

    @Test("m.7 a reference that names a size which no memory has is damage, not a crash")
    func hugeSize() throws {
        var bytes = Format.externalMagic
        withUnsafeBytes(of: UInt64(Int64.max).littleEndian) { bytes.append(contentsOf: $0) }
        bytes += [UInt8](repeating: 7, count: 32)
        _ = try photos.add("a", large)
        try photos.close()
        let digits = bytes.map { String(format: "%02x", $0) }.joined()
        try Connection(.file(photos.url.path), mode: .readWrite).execute("UPDATE Photo SET data = x'\(digits)'")
        #expect(try PhotoStore.read(photos.url) == ["a": nil])
    }

    @Test("m.7 is replaced when the same value is saved again")
    func replaced() throws {
        _ = try photos.add("a", large)
        try damage()
        _ = try photos.add("b", large)
        #expect(try PhotoStore.read(photos.url) == ["a": large, "b": large])
        #expect(try PhotoStore.problems(photos.url) == [])
    }
}

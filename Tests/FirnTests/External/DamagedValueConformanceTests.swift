import Firn
import FirnLog
import Foundation
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

    @Test("m.7 is not in dictionaries either")
    func dictionaries() throws {
        _ = try photos.add("a", large)
        try damage()
        let request = NSFetchRequest<NSDictionary>(entityName: "Photo")
        request.resultType = .dictionaryResultType
        #expect(try photos.context.fetch(request).first?["data"] == nil)
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

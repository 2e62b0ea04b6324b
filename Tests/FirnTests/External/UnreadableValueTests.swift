import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

@Suite("Large values that are gone when an object is written again")
struct UnreadableValueTests {
    private let photos: PhotoStore
    private let large = PhotoStore.bytes(1)

    init() throws { photos = try PhotoStore() }

    /// Another context deletes the photo, which is changed here.
    private func disputed() throws -> NSManagedObject {
        let photo = try photos.add("a", large)
        let other = photos.coordinator.context()
        other.delete(try other.existingObject(with: photo.objectID))
        try other.save()
        photo.setValue("b", forKey: "title")
        photos.context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        return photo
    }

    @Test("large values are not silently lost by an object that wins over its deletion after a trim")
    func trimmed() throws {
        _ = try disputed()
        try photos.coordinator.trimHistory(keeping: HistoryRetention(transactionCountMax: 0))
        #expect(throws: (any Error).self) { try photos.context.save() }
    }

    @Test("large values that cannot be read for a moment are not replaced by null")
    func hidden() throws {
        _ = try disputed()
        let visible = URL(fileURLWithPath: photos.url.path + "-log/external/" + photos.files[0])
        let hidden = visible.appendingPathExtension("hidden")
        try FileManager.default.moveItem(at: visible, to: hidden)
        let isSaved = (try? photos.context.save()) != nil
        try FileManager.default.moveItem(at: hidden, to: visible)
        if !isSaved { try photos.context.save() }
        #expect(try PhotoStore.read(photos.url) == ["b": large])
    }
}

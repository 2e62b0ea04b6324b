import Firn
import FirnLog
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

@Suite("A store whose log is longer than a segment")
struct PackedStoreTests {
    /// Whether the header of the log's first segment says that it is packed.
    private func isPacked(_ log: String) throws -> Bool {
        let header = try FileHandle(forReadingFrom: URL(fileURLWithPath: log + "/00000000000000000001.segment"))
            .read(upToCount: Format.segmentHeaderSize)
        return try #require(header)[Format.SegmentOffset.flags] & 2 != 0
    }

    @Test("packs what is sealed when it saves, and reads the same after it", .timeLimit(.minutes(1)))
    func packs() throws {
        let photos = try PhotoStore()
        for number in 0..<20 { _ = try photos.add("title \(number)", nil) }
        let folder = photos.url.path + "-log"
        let log = try SegmentLog.open(directory: folder, forWriting: true)
        // Begins another segment.
        #expect(try LogMaintenance(log).adopt(dictionary: Array("the title of a photo".utf8)))
        log.close()
        #expect(try !isPacked(folder))
        let watch = try PosixFileSystem().watch(folder)
        _ = try photos.add("the last", nil)
        while try !isPacked(folder) { _ = try watch.wait() }
        let past = try photos.coordinator.newContext(asOf: .sequence(10))
        let count = try past.performAndWait { try past.all("Photo").count }
        #expect(count > 0 && count < 20)
        #expect(try PhotoStore.problems(photos.url) == [])
    }
}

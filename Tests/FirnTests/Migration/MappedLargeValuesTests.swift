import Firn
import FirnLog
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

@Suite("A migration by a mapping model of a store with large values")
struct MappedLargeValuesTests {
    private static let old = "Picture: size String, data Binary external"
    private static let new = "Picture: size Integer32, data Binary external"

    /// A bundle with a mapping model of pictures, next to the program: as `MappingBundle` has one of parcels.
    private final class PictureBundle {
        private let folder = Bundle.main.bundleURL.appending(path: "Pictures-\(UUID().uuidString).bundle")

        init() throws {
            let model = folder.appending(path: "Pictures.xcmappingmodel")
            try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
            try Data(Self.xml.utf8).write(to: model.appending(path: "xcmapping.xml"))
        }

        deinit { try? FileManager.default.removeItem(at: folder) }

        private static let xml = """
            <database>
              <object type="XDDEVENTITYMAPPING" id="z1">
                <attribute name="sourcename">Picture</attribute><attribute name="destinationname">Picture</attribute>
                <attribute name="mappingnumber">1</attribute>
              </object>
              <object type="XDDEVATTRIBUTEMAPPING" id="z2">
                <attribute name="name">size</attribute><relationship name="entitymapping" idrefs="z1"/>
              </object>
              <object type="XDDEVATTRIBUTEMAPPING" id="z3">
                <attribute name="name">data</attribute><attribute name="autogenerateexpression">1</attribute>
                <relationship name="entitymapping" idrefs="z1"/>
              </object>
            </database>
            """
    }

    @Test("leaves them in their files")
    func inFiles() throws {
        let store = try MigratingStore()
        let bundle = try PictureBundle()
        // Nothing compresses it.
        let data = Data((0..<1_000_000).map { _ in UInt8.random(in: 0...255) })
        _ = try store.with(Self.old) { context in
            _ = context.make("Picture", ["size": "12", "data": data])
        }
        let coordinator = try store.coordinator(
            ModelText.model(Self.new), [NSMigratePersistentStoresAutomaticallyOption: NSNumber(value: true)])
        let context = coordinator.context()
        let pictures = try context.all("Picture")
        #expect(pictures.map { $0.value(forKey: "data") as? Data } == [data])
        let log = try SegmentLog.open(directory: store.url.path + "-log", forWriting: false)
        let record = try log.frame(at: try #require(try log.currentModel).sequence)
        #expect(record.rawSize < 100_000)
        try coordinator.trimHistory(keeping: HistoryRetention(transactionCountMax: 0))
        let folder = store.url.path + "-log/external"
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 1)
        withExtendedLifetime(bundle) {}
    }
}

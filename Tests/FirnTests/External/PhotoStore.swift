import Firn
import FirnLog
import FirnModel
import Foundation
import StoreSupport
import TestSupport

/// A store of photos whose data may be kept in files, for tests.
///
///     Photo   title, data (external), note (in the row), extra (external, transformable)
final class PhotoStore {
    let directory: TemporaryDirectory
    private(set) var coordinator: NSPersistentStoreCoordinator
    private(set) var context: NSManagedObjectContext

    var url: URL { directory.file("Photos.sqlite") }
    var files: [String] {
        let names = try? FileManager.default.contentsOfDirectory(atPath: url.path + "-log/external")
        return (names ?? []).sorted()
    }

    init(type: String = NSSQLiteStoreType) throws {
        directory = try TemporaryDirectory()
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model())
        context = coordinator.context()
        _ = try coordinator.addPersistentStore(
            ofType: type, configurationName: nil, at: type == NSSQLiteStoreType ? url : nil, options: nil)
    }

    static func model() -> NSManagedObjectModel {
        let data = ModelSketch.attribute("data", .binaryDataAttributeType)
        data.allowsExternalBinaryDataStorage = true
        let extra = ModelSketch.attribute("extra", .transformableAttributeType)
        extra.allowsExternalBinaryDataStorage = true
        return ModelSketch.model(
            ModelSketch.entity(
                "Photo",
                [ModelSketch.attribute("title"), data, ModelSketch.attribute("note", .binaryDataAttributeType), extra]))
    }

    /// Bytes that no other seed has.
    static func bytes(_ seed: UInt8, count: Int = 150_000) -> Data {
        Data((0..<count).map { UInt8(truncatingIfNeeded: $0 / 256 &+ $0) ^ seed })
    }

    func add(_ title: String, _ data: Data?) throws -> NSManagedObject {
        let photo = context.make("Photo", ["title": title])
        photo.setValue(data, forKey: "data")
        try context.save()
        return photo
    }

    /// What another coordinator reads: title and data.
    static func read(_ url: URL) throws -> [String: Data?] {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model())
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
        defer { try? coordinator.remove(store) }
        return try read(coordinator.context())
    }

    static func read(_ context: NSManagedObjectContext) throws -> [String: Data?] {
        let photos = try context.all("Photo")
        let pairs = photos.map { ($0.text("title") ?? "", $0.value(forKey: "data") as? Data) }
        return withExtendedLifetime(context) { Dictionary(uniqueKeysWithValues: pairs) }
    }

    /// What is wrong with the store's log and files.
    static func problems(_ url: URL) throws -> [LogError] {
        let log = try SegmentLog.open(directory: url.path + "-log", forWriting: false)
        defer { log.close() }
        return try LogMaintenance(log).verify().problems
    }

    func close() throws {
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }
}

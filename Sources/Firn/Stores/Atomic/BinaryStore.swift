import FirnStore
import FirnFoundation
import FirnLog
import FirnModel
import Foundation
import Synchronization

/// A store whose objects are in one file that is read and written whole: a binary property list.
///
///     format    1
///     metadata  …
///     model     the document of the model that the objects are of, as Xcode writes it
///     objects   [ [entity, reference, {attribute: value, to-one: reference, to-many: [reference …]}] … ]
///
/// References are numbers, one for each object of the store. Attributes that property lists have no form for are as
/// they are stored: texts for decimals and URIs, data for UUIDs and transformed values.
final class BinaryStore: NSAtomicStore {
    private static let format = 1
    /// References count up from 1; one that leaves no room for new objects is damage.
    private static let referenceMax: Int64 = 1 << 62
    /// The file's state when it was last read or written; another program's changes are not written over.
    private var seen: FileMark?
    /// The document of the model that the file was read with.
    private var document: Data?

    override var type: String { NSBinaryStoreType }

    override func loadMetadata() throws {
        guard let url, let mark = FileMark(url) else {
            guard !isReadOnly else { throw Self.failure(.persistentStoreOpen, "there is no store here to read", url) }
            return
        }
        seen = mark
        let contents = try Self.read(url)
        metadata = contents["metadata"] as? [String: Any] ?? [:]
        // Object IDs have the identifier in their URIs.
        let identifier = metadata?[NSStoreUUIDKey] as? String ?? ""
        guard URL(string: "x-coredata://\(identifier)/E/p1")?.host?.isEmpty == false else {
            throw Self.failure(.persistentStoreOpen, "its metadata has no UUID under \(NSStoreUUIDKey)", url)
        }
        document = contents["model"] as? Data
    }

    /// A new store is on disk from the start, without objects.
    override func open(model: NSManagedObjectModel, entities: [NSEntityDescription]) throws {
        try super.open(model: model, entities: entities)
        guard seen == nil, !isReadOnly else { return }
        do {
            try save()
        } catch {
            engine?.close()
            throw error
        }
    }

    override func storedModel() throws -> NSManagedObjectModel? {
        guard let document else { return try super.storedModel() }
        return try NSManagedObjectModel.load(document: [UInt8](document), name: url?.path ?? "binary store").model
    }

    override func load() throws {
        guard let url, seen != nil else { return }
        let records = try Self.read(url)["objects"] as? [[Any]] ?? []
        var nodes: [Int64: NSAtomicStoreCacheNode] = [:]
        for record in records {
            guard record.count == 3, let name = record[0] as? String, let number = record[1] as? NSNumber,
                (1..<Self.referenceMax).contains(number.int64Value),
                let entity = persistentStoreCoordinator?.managedObjectModel.entitiesByName[name]
            else { throw Self.failure(.persistentStoreOpen, "an object of it cannot be read", url) }
            let id = objectID(for: entity, withReferenceObject: number)
            nodes[number.int64Value] = NSAtomicStoreCacheNode(objectID: id)
            content.withLock { $0.advanceReference(number.int64Value) }
        }
        for record in records {
            guard let number = record[1] as? NSNumber, let node = nodes[number.int64Value],
                let values = record[2] as? [String: Any]
            else { continue }
            BinaryRecord(node).decode(values) { nodes[$0] }
        }
        addCacheNodes(Set(nodes.values))
    }

    override func save() throws {
        guard let url else { return }
        if FileMark(url) != seen {
            throw Self.failure(
                .persistentStoreSave, "another program has written it since it was read; open it again", url)
        }
        let nodes = cacheNodes().map { (node: $0, number: number($0)) }.sorted { $0.number < $1.number }
        let records = try nodes.map { node, number -> [Any] in
            let values = try BinaryRecord(node).encoded { self.number($0) }
            return [node.objectID.entity.name ?? "", NSNumber(value: number), values]
        }
        var contents: [String: Any] = ["format": Self.format, "metadata": metadata ?? [:], "objects": records]
        contents["model"] = persistentStoreCoordinator.map { Data($0.managedObjectModel.xcdatamodelContents()) }
        try Self.write(contents, to: url)
        seen = FileMark(url)
    }

    private func number(_ node: NSAtomicStoreCacheNode) -> Int64 {
        (referenceObject(for: node.objectID) as? NSNumber)?.int64Value ?? 0
    }

    override class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
        try read(url)["metadata"] as? [String: Any] ?? [:]
    }

    override class func setMetadata(_ metadata: [String: Any]?, forPersistentStoreAt url: URL) throws {
        var contents = try read(url)
        let old = contents["metadata"] as? [String: Any] ?? [:]
        let own = old.filter { StoreMetadata.additions(in: [$0.key: $0.value]).isEmpty }
        contents["metadata"] = StoreMetadata.additions(in: metadata ?? [:]).merging(own) { $1 }
        try write(contents, to: url)
    }

    override class func destroyStore(at url: URL, options: [AnyHashable: Any]?) throws {
        var isDirectory: ObjCBool = false
        if FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory), isDirectory.boolValue {
            throw failure(.persistentStoreOperation, "it is a folder, and was left as it is", url)
        }
        try super.destroyStore(at: url, options: options)
    }

    private static func read(_ url: URL) throws -> [String: Any] {
        let data: Data
        do {
            data = try Data(contentsOf: url)
        } catch {
            throw failure(.persistentStoreOpen, error.localizedDescription, url)
        }
        let list = PropertyList.read(data)
        guard let contents = list as? [String: Any], let number = contents["format"] as? NSNumber else {
            throw failure(
                .persistentStoreTypeMismatch, "it is no \(NSBinaryStoreType) store, and was left as it is", url)
        }
        guard number.intValue == format else {
            throw failure(.persistentStoreOpen, "it is of format \(number), which a newer version wrote", url)
        }
        return contents
    }

    /// After a crash there is the old file or the new one.
    private static func write(_ contents: [String: Any], to url: URL) throws {
        do {
            let data = try PropertyListSerialization.data(fromPropertyList: contents, format: .binary, options: 0)
            try PosixFileSystem().replaceFile(
                url.path, in: url.deletingLastPathComponent().path, with: [UInt8](data))
        } catch {
            throw failure(.persistentStoreSave, "it cannot be written: \(error)", url, error)
        }
    }

    private static func failure(
        _ code: CocoaError.Code, _ message: String, _ url: URL?, _ underlying: (any Error)? = nil
    ) -> NSError {
        let path = url?.path ?? "nil"
        return CoreDataError.make(
            code, "the store \(path): \(message)", [NSFilePathErrorKey: path], underlying: underlying)
    }
}

/// The properties that tell a file from the one that takes its place.
private struct FileMark: Equatable {
    let number: UInt64
    let size: Int64
    let seconds: Int
    let nanoseconds: Int

    init?(_ url: URL) {
        var information = stat()
        guard stat(url.path, &information) == 0 else { return nil }
        number = UInt64(information.st_ino)
        size = Int64(information.st_size)
        seconds = information.st_mtim.tv_sec
        nanoseconds = information.st_mtim.tv_nsec
    }
}

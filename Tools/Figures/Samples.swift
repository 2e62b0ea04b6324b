import CoreData
import FirnLog
import Foundation

/// What is written.
enum Samples {
    static let date: Int64 = 1_700_000_000_000_000

    /// A record whose payload is about as long as the text.
    static func record(_ text: String) -> (body: LogRecord.Body, header: TransactionHeader) {
        var column = Column(.text)
        column.append(text)
        let group = ChangeGroup(
            entity: EntityNumber(1), operation: .insert, primaryKeys: [1], slots: [0], new: [column])
        return (.changes(ChangeSet(model: 1, groups: [group])), TransactionHeader(date: date, id: .random()))
    }

    /// Text that does not compress.
    static func noise(_ count: Int) -> String {
        let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_".utf8)
        var state = UInt64(count)
        let bytes = (0..<count).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return letters[Int(state >> 58)]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// A temporary folder.
struct Folder {
    private let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "firn-figures-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    func path(_ name: String) -> String { url.appending(path: name).path }
    func remove() { try? FileManager.default.removeItem(at: url) }
}

/// The model of the stores: notes with a text and a number.
enum Notes {
    static func model() -> NSManagedObjectModel {
        let note = NSEntityDescription()
        note.name = "Note"
        note.managedObjectClassName = "NSManagedObject"
        note.properties = [("text", NSAttributeType.stringAttributeType), ("count", .integer64AttributeType)].map {
            let attribute = NSAttributeDescription()
            attribute.name = $0.0
            attribute.attributeType = $0.1
            attribute.isOptional = true
            return attribute
        }
        let model = NSManagedObjectModel()
        model.entities = [note]
        return model
    }

    static func insert(_ text: String, in context: NSManagedObjectContext) {
        NSEntityDescription.insertNewObject(forEntityName: "Note", into: context).setValue(text, forKey: "text")
    }
}

/// A store with a folder of its own.
final class Machine: Sendable {
    let coordinator: NSPersistentStoreCoordinator
    let context: NSManagedObjectContext
    private let folder: Folder

    /// - Parameter address: of its log on a server; nil for one on this disk.
    init(_ address: String?) throws {
        folder = try Folder()
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: Notes.model())
        let file = URL(fileURLWithPath: folder.path("Notes.sqlite"))
        let description = NSPersistentStoreDescription(url: address.flatMap { URL(string: $0) } ?? file)
        if address != nil { description.localCopy = file }
        var failure: (any Error)?
        coordinator.addPersistentStore(with: description) { failure = $1 }
        if let failure { throw failure }
        context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
    }

    deinit { folder.remove() }

    func newContext() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    func addNote(_ text: String) throws {
        try context.performAndWait {
            Notes.insert(text, in: context)
            try context.save()
        }
    }
}

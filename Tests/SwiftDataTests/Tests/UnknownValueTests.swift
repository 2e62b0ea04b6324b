import CoreData
import Foundation
import SwiftData
import Testing

@Model
final class StoredMark {
    var kind: Kind?
    @Attribute(.codable) var size: Size?
    init() {}
}

@Model
final class FirmMark {
    var kind: Kind
    init(kind: Kind) { self.kind = kind }
}

/// A value with a payload, and a structure with a raw value.
@Model
final class PayloadMark {
    struct Tag: Codable {
        var kind: Kind
    }

    var state: State
    var tag: Tag

    init(state: State, tag: Tag) { (self.state, self.tag) = (state, tag) }
}

@Suite("Values that another version of the program wrote")
struct UnknownValueTests {
    let folder = TestFolder()

    init() throws { try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true) }

    /// A row as a program would leave it that knows one more case, or one property less of `Size`.
    private func write(
        _ value: Any, _ key: String, of type: any PersistentModel.Type = StoredMark.self
    ) throws {
        try write([key: value], of: type)
    }

    private func write(_ values: [String: Any], of type: any PersistentModel.Type) throws {
        let model = try #require(NSManagedObjectModel.makeManagedObjectModel(for: [type]))
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: folder.file("Marks.store"),
            options: [NSPersistentHistoryTrackingKey: true])
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            let object = NSEntityDescription.insertNewObject(forEntityName: "\(type)", into: context)
            for (key, value) in values { object.setValue(value, forKey: key) }
            try context.save()
        }
    }

    private static func mark(_ path: String) throws -> StoredMark? {
        let store = ModelConfiguration(url: URL(fileURLWithPath: path))
        return try ModelContext(ModelContainer(for: StoredMark.self, configurations: store))
            .fetch(FetchDescriptor<StoredMark>()).first
    }

    @Test("an optional enumeration is nil where the store has a case that the program does not know")
    func unknownCase() async throws {
        try write("holiday", "kind")
        await #expect(processExitsWith: .success) { [path = folder.file("Marks.store").path as String] in
            let mark = try Self.mark(path)
            #expect(mark?.kind == nil)
        }
    }

    @Test("a history gives no value for a case that the program does not know")
    func unknownCaseInHistory() async throws {
        try write("holiday", "kind", of: FirmMark.self)
        await #expect(processExitsWith: .success) { [path = folder.file("Marks.store").path as String] in
            struct NoInsertion: Error {}
            let store = ModelConfiguration(url: URL(fileURLWithPath: path))
            let context = ModelContext(try ModelContainer(for: FirmMark.self, configurations: store))
            let history = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
            guard case .insert(let change)? = history.first?.changes.first else { throw NoInsertion() }
            let insert = try #require(change as? DefaultHistoryInsert<FirmMark>)
            #expect(insert.newValue(\.kind) == nil)
        }
    }

    @Test("a model whose values the program does not know can be deleted, as long as nobody reads them")
    func unknownCaseOfDeleted() async throws {
        try write([
            "state": Data(#"{"delayed":{"days":1}}"#.utf8), "tag": ["kind": "holiday"],
        ], of: PayloadMark.self)
        await #expect(processExitsWith: .success) { [path = folder.file("Marks.store").path as String] in
            let store = ModelConfiguration(url: URL(fileURLWithPath: path))
            let container = try ModelContainer(for: PayloadMark.self, configurations: store)
            let (context, other) = (ModelContext(container), ModelContext(container))
            let (mark, same) = (
                try #require(try context.fetch(FetchDescriptor<PayloadMark>()).first),
                try #require(try other.fetch(FetchDescriptor<PayloadMark>()).first)
            )
            context.delete(mark)
            try context.save()
            #expect(mark.isDeleted)
            #expect(try other.fetchCount(FetchDescriptor<PayloadMark>()) == 0)
            #expect(same.isDeleted)
        }
    }

    @Test("an optional encoded value is nil where it cannot be decoded")
    func undecodable() async throws {
        try write(Data(#"{"width":1}"#.utf8), "size")
        await #expect(processExitsWith: .success) { [path = folder.file("Marks.store").path as String] in
            let mark = try Self.mark(path)
            #expect(mark?.size == nil)
        }
    }
}

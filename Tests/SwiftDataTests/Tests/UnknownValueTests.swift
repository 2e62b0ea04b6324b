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

@Suite("Values that another version of the program wrote")
struct UnknownValueTests {
    let folder = TestFolder()

    init() throws { try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true) }

    /// A row as a program would leave it that knows one more case, or one property less of `Size`.
    private func write(
        _ value: Any, _ key: String, of type: any PersistentModel.Type = StoredMark.self
    ) throws {
        let model = try #require(NSManagedObjectModel.makeManagedObjectModel(for: [type]))
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: folder.file("Marks.store"),
            options: [NSPersistentHistoryTrackingKey: true])
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            NSEntityDescription.insertNewObject(forEntityName: "\(type)", into: context).setValue(value, forKey: key)
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

    @Test("an optional encoded value is nil where it cannot be decoded")
    func undecodable() async throws {
        try write(Data(#"{"width":1}"#.utf8), "size")
        await #expect(processExitsWith: .success) { [path = folder.file("Marks.store").path as String] in
            let mark = try Self.mark(path)
            #expect(mark?.size == nil)
        }
    }
}

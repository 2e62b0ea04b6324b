import CoreData
import Foundation
import SwiftData
import Testing

// Forty of the public symbols of Apple's module, drawn by Python's `random.Random(603).shuffle` from the list that
// `Tools/api-coverage SwiftData` compares with. Each is named where it is used.

@Model
final class Ballad {
    #Unique<Ballad>([\.title, \.artist])
    #Index<Ballad>([\.artist])

    var title: String
    var artist: String
    @Attribute(originalName: "seconds") var length: Int?
    @Relationship(originalName: "records") var albums: [Songbook] = []
    @Attribute(.transformable(by: "TintTransformer")) var tint: TintValue?

    var initial: String { String(title.prefix(1)) }

    init(title: String, artist: String) {
        self.title = title
        self.artist = artist
    }
}

@Model
final class Songbook {
    var name: String
    @Relationship(inverse: \Ballad.albums) var songs: [Ballad] = []

    init(name: String) { self.name = name }
}

struct TintValue: Equatable {
    var red: UInt8
}

final class TintTransformer: ValueTransformer {
    override func transformedValue(_ value: Any?) -> Any? { (value as? TintValue).map { Data([$0.red]) } }
    override func reverseTransformedValue(_ value: Any?) -> Any? {
        (value as? Data)?.first.map { TintValue(red: $0) }
    }
}

@Suite("Forty symbols of Apple's, drawn at random, do what they say")
final class FortySymbolsTests {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)

    init() throws {
        ValueTransformer.setValueTransformer(
            TintTransformer(), forName: NSValueTransformerName(rawValue: "TintTransformer"))
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func songs() throws -> ModelContainer {
        try ModelContainer(for: Ballad.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    }

    /// `ModelConfiguration.GroupContainer.none`, `.identifier(_:)`, `ModelConfiguration.id`,
    /// `ModelConfiguration.CloudKitDatabase`.
    @Test("a configuration says where its store is, and of what group")
    func configuration() {
        let grouped = ModelConfiguration("A", groupContainer: .identifier("group.a"), cloudKitDatabase: .none)
        #expect(grouped.groupAppContainerIdentifier == "group.a")
        #expect(ModelConfiguration("A", groupContainer: .none).groupAppContainerIdentifier == nil)
        #expect(grouped.id == grouped.url && grouped.id.lastPathComponent == "A.store")
        let database: ModelConfiguration.CloudKitDatabase = .private("iCloud.a")
        let other = ModelConfiguration("A", cloudKitDatabase: database)
        #expect(other.url == grouped.url)
    }

    @Test("the choices of a configuration are compared, and tell a container's identifier")
    func configurationChoices() {
        let synced = ModelConfiguration("A", cloudKitDatabase: .private("iCloud.a"))
        #expect(synced.cloudKitContainerIdentifier == "iCloud.a" && synced.cloudKitDatabase == .private("iCloud.a"))
        let local = ModelConfiguration(url: synced.url, cloudKitDatabase: .none)
        #expect(local.cloudKitContainerIdentifier == nil && local.cloudKitDatabase == .none)
        #expect(ModelConfiguration().cloudKitDatabase == .automatic && local.cloudKitDatabase != .automatic)
        #expect(ModelConfiguration().groupContainer == .automatic && local.groupContainer == .none)
        #expect(local.groupContainer != .automatic)
    }

    /// `Unique(_:)`, `Schema.Unique.encode(to:)`, `Schema.Index.CodingKeys.init(stringValue:)`, `.intValue`.
    @Test("a combination of properties is unique, and constraints and indexes are encoded by names")
    func unique() throws {
        let context = ModelContext(try songs())
        for length in [100, 200] {
            let song = Ballad(title: "T", artist: "A")
            song.length = length
            context.insert(song)
            try context.save()
        }
        context.insert(Ballad(title: "T", artist: "B"))
        try context.save()
        let sorted = FetchDescriptor<Ballad>(sortBy: [SortDescriptor(\.artist)])
        #expect(try context.fetch(sorted).map(\.length) == [200, nil])
        let unique = Schema.Unique<Ballad>([\.title, \.artist])
        let json = String(decoding: try JSONEncoder().encode(unique), as: UTF8.self)
        #expect(json == "{\"constraints\":[[\"title\",\"artist\"]]}")
        #expect(Schema.Index<Ballad>.CodingKeys(stringValue: "indices") == .indices)
        #expect(Schema.Index<Ballad>.CodingKeys(stringValue: "other") == nil)
        #expect(Schema.Index<Ballad>.CodingKeys.indices.intValue == nil)
    }

    /// `Schema.Version.description`, `SchemaProperty.isOptional`, `Schema.Attribute.Option`, `Schema.Attribute.name`,
    /// `Schema.Relationship.originalName`, `NSManagedObjectModel.makeManagedObjectModel(for:mergedWith:)`.
    @Test("a schema tells names, options and versions, and becomes a model of Core Data")
    func schema() throws {
        let schema = Schema([Ballad.self], version: Schema.Version(1, 4, 2))
        #expect(schema.version.description == "1.4.2")
        let entity = try #require(schema.entity(for: Ballad.self))
        let length = try #require(entity.attributesByName["length"])
        #expect(length.name == "length" && length.originalName == "seconds")
        let properties: [any SchemaProperty] = entity.properties
        #expect(Set(properties.filter(\.isOptional).map(\.name)) == ["length", "tint"])
        #expect(entity.relationshipsByName["albums"]?.originalName == "records")
        let options: [Schema.Attribute.Option] = entity.attributesByName["tint"]?.options ?? []
        #expect(options == [.transformable(by: "TintTransformer")])
        let other = NSManagedObjectModel()
        let model = try #require(NSManagedObjectModel.makeManagedObjectModel(for: schema, mergedWith: other))
        #expect(model.entitiesByName["Ballad"]?.attributesByName["length"]?.renamingIdentifier == "seconds")
    }

    /// `BackingData.getValue(forKey:)` of models that are Decodable, `BackingData.setValue(forKey:to:)` of models,
    /// `BackingData.setTransformableValue(forKey:to:)`, `FetchDescriptor.relationshipKeyPathsForPrefetching`,
    /// `ModelContext.container`, `PersistentIdentifier.id`.
    @Test("backing data has a model's values, whichever their kind")
    func backingData() throws {
        let container = try songs()
        let context = ModelContext(container)
        #expect(context.container === container)
        let song = Ballad(title: "T", artist: "A")
        context.insert(song)
        song.persistentBackingData.setTransformableValue(forKey: \.tint, to: TintValue(red: 9))
        song.persistentBackingData.setValue(forKey: \.albums, to: [Songbook(name: "X"), Songbook(name: "Y")])
        try context.save()
        var descriptor = FetchDescriptor<Ballad>()
        descriptor.relationshipKeyPathsForPrefetching = [\.albums]
        let same = try #require(try ModelContext(container).fetch(descriptor).first)
        #expect(same.tint == TintValue(red: 9))
        #expect(Set(same.albums.map(\.name)) == ["X", "Y"])
        #expect(same.albums.allSatisfy { $0.songs.first === same })
        let id: PersistentIdentifier.ID = same.persistentModelID.id
        #expect(id == song.persistentModelID.id)
        #expect(id != same.albums[0].persistentModelID.id)
        let volume = Volume(title: "V")
        volume.pages = [Page(title: "1")]
        let pages: [Page] = volume.persistentBackingData.getValue(forKey: \.pages)
        #expect(pages.map(\.title) == ["1"])
    }

    /// `SwiftDataError.unsupportedSortDescriptor`.
    @Test("a computed property is no order for a store")
    func order() throws {
        let context = ModelContext(try songs())
        let byInitial = FetchDescriptor<Ballad>(sortBy: [SortDescriptor(\.initial)])
        #expect(throws: SwiftDataError.unsupportedSortDescriptor) { try context.fetch(byInitial) }
    }

    /// `HistoryChange`, `HistoryUpdate.updatedAttributes`, `DefaultHistoryTransaction.TransactionIdentifier`,
    /// `.processIdentifier`, `DefaultHistoryToken.<(_:_:)`, `.tokenValue`,
    /// `ModelContainer.storeIdentifier(forConfigurationNamed:)`.
    @Test("a history tells what changed, by whom, and how far a reader is")
    func history() throws {
        let configuration = ModelConfiguration("S", url: folder.appendingPathComponent("S.store"))
        let container = try ModelContainer(for: Ballad.self, configurations: configuration)
        let context = ModelContext(container)
        let song = Ballad(title: "T", artist: "A")
        context.insert(song)
        try context.save()
        song.title = "U"
        try context.save()
        let all = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        let numbers: [DefaultHistoryTransaction.TransactionIdentifier] = all.map(\.transactionIdentifier)
        #expect(numbers.count == 2 && numbers[1] == numbers[0] + 1)
        #expect(all[0].token < all[1].token && !(all[1].token < all[0].token))
        let store = try #require(container.storeIdentifier(forConfigurationNamed: "S"))
        #expect(container.storeIdentifier(forConfigurationNamed: "T") == nil)
        #expect(all[1].token.tokenValue == [store: numbers[1]])
        #expect(all[0].processIdentifier == all[1].processIdentifier && !all[0].processIdentifier.isEmpty)
        let change: HistoryChange = try #require(all[1].changes.first)
        guard case .update(let update) = change else {
            Issue.record("the change is another: \(change)")
            return
        }
        func names<Update: HistoryUpdate>(_ update: Update) -> [AnyKeyPath] { update.updatedAttributes.map { $0 } }
        #expect(names(update) == [\Ballad.title])
        #expect(change.changedPersistentIdentifier == song.persistentModelID)
    }

    /// `ResultsObserver.init(filterBy:sortBy:modelContext:isolation:)`.
    @Test("an observer has the models of a context that meet a predicate, in an order, as they change")
    func resultsObserver() throws {
        let context = ModelContext(try songs())
        for title in ["A", "B", "C"] { context.insert(Ballad(title: title, artist: title == "B" ? "Y" : "X")) }
        let observer = try ResultsObserver<Ballad, Never>(
            filterBy: #Predicate { $0.artist == "X" }, sortBy: [SortDescriptor(\.title, order: .reverse)],
            modelContext: context)
        #expect(observer.results.map(\.title) == ["C", "A"])
        observer.results[0].artist = "Y"
        context.insert(Ballad(title: "D", artist: "X"))
        #expect(observer.results.map(\.title) == ["D", "A"])
    }

    /// `SchemaMigrationPlan`, `DefaultStore.configuration`, `DefaultStore.Snapshot`,
    /// `DataStoreSnapshotCodingKey`.
    @Test("a plan is a type, and a store without a container is brought up to date by it")
    func defaultStore() throws {
        let plan: any SchemaMigrationPlan.Type = Plan.self
        #expect(plan.schemas.count == 2 && plan.stages.count == 1)
        let url = folder.appendingPathComponent("P.store")
        do {
            let schema = Schema(versionedSchema: FirstVersion.self)
            let old = ModelContext(try ModelContainer(for: schema, configurations: ModelConfiguration(url: url)))
            old.insert(FirstVersion.Person(name: "Ada"))
            try old.save()
        }
        let schema = Schema(versionedSchema: SecondVersion.self)
        let store = try DefaultStore(ModelConfiguration("P", schema: schema, url: url), migrationPlan: plan)
        #expect(store.configuration.url == url && store.name == "P" && store.schema == schema)
        let context = ModelContext(try ModelContainer(for: schema, configurations: ModelConfiguration(url: url)))
        let person = try #require(try context.fetch(FetchDescriptor<SecondVersion.Person>()).first)
        #expect(person.initials == "AB")
        var related: [PersistentIdentifier: any BackingData] = [:]
        let snapshot = DefaultStore.Snapshot(from: person.persistentBackingData, relatedBackingDatas: &related)
        let json = try JSONSerialization.jsonObject(with: JSONEncoder().encode(snapshot)) as? [String: Any]
        #expect(json?[DataStoreSnapshotCodingKey.modeledProperty("fullName").stringValue] as? String == "Ada B")
        #expect(json?[DataStoreSnapshotCodingKey.persistentIdentifier.stringValue] != nil)
        #expect(DataStoreSnapshotCodingKey(stringValue: "initials")?.intValue == nil)
    }

    /// `DataStore.save(_:)`, `DataStore.fetchIdentifiers(_:)`, `DataStoreFetchResult.init`,
    /// `DataStoreSaveChangesResult.historyToken`, `DataStoreBatchDeleteRequest.includeSubclasses`,
    /// `HistoryProviding.deleteHistory(_:)`, `DataStoreError.invalidPredicate`.
    @Test("a store of one's own saves, gives identifiers, deletes many, and refuses")
    func ownStore() throws {
        let configuration = LedgerConfiguration()
        let context = ModelContext(try ModelContainer(for: Note.self, configurations: configuration))
        for title in ["a", "b"] { context.insert(Note(title: title)) }
        try context.save()
        let ids = try context.fetchIdentifiers(FetchDescriptor<Note>(), batchSize: 5)
        #expect(ids.map(\.storeIdentifier) == ["LEDGER", "LEDGER"])
        let result = DataStoreSaveChangesResult<NoteSnapshot>(for: "LEDGER", historyToken: LedgerToken(tokenValue: 3))
        #expect(result.historyToken as? LedgerToken == LedgerToken(tokenValue: 3))
        #expect(result.remappedIdentifiers.isEmpty && result.storeIdentifier == "LEDGER")
        try context.delete(model: Note.self, includeSubclasses: false)
        try context.save()
        #expect(configuration.book.content.withLock { $0.includedSubclasses } == [false])
        try context.deleteHistory(HistoryDescriptor<LedgerTransaction>())
        #expect(try context.fetchHistory(HistoryDescriptor<LedgerTransaction>()).isEmpty)
        let nothing = ""
        #expect(throws: DataStoreError.invalidPredicate) {
            try context.fetch(FetchDescriptor<Note>(predicate: #Predicate { $0.title == nothing }))
        }
        let found = DataStoreFetchResult<Note, NoteSnapshot>(descriptor: FetchDescriptor(), fetchedSnapshots: [])
        #expect(found.fetchedSnapshots.isEmpty && found.relatedSnapshots.isEmpty)
    }
}

import Foundation
import SwiftData
import Testing

/// A store that hands everything on to the store of the module.
final class MirrorStore: DataStore, DataStoreBatching, HistoryProviding {
    typealias Configuration = MirrorConfiguration
    typealias Snapshot = DefaultSnapshot
    typealias HistoryType = DefaultHistoryTransaction

    static var historyType: DefaultHistoryTransaction.Type { DefaultStore.historyType }

    let configuration: MirrorConfiguration
    let schema: Schema
    private let store: DefaultStore
    var identifier: String { store.identifier }

    init(_ configuration: MirrorConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
        self.configuration = configuration
        schema = configuration.schema ?? Schema()
        store = try DefaultStore(
            ModelConfiguration(configuration.name, schema: schema, url: configuration.url),
            migrationPlan: configuration.plan ?? migrationPlan)
    }

    func erase() throws { try store.erase() }
    func initializeState(for editingState: EditingState) { store.initializeState(for: editingState) }
    func invalidateState(for editingState: EditingState) { store.invalidateState(for: editingState) }

    func fetch<T: PersistentModel>(
        _ request: DataStoreFetchRequest<T>
    ) throws -> DataStoreFetchResult<T, DefaultSnapshot> { try store.fetch(request) }

    func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int {
        try store.fetchCount(request)
    }

    func fetchIdentifiers<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> [PersistentIdentifier] {
        try store.fetchIdentifiers(request)
    }

    func cachedSnapshots(
        for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
    ) throws -> [PersistentIdentifier: DefaultSnapshot] {
        try store.cachedSnapshots(for: persistentIdentifiers, editingState: editingState)
    }

    func save(
        _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
    ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> { try store.save(request) }

    func delete<T: PersistentModel>(_ request: DataStoreBatchDeleteRequest<T>) throws { try store.delete(request) }

    func fetchHistory(
        _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
    ) throws -> [DefaultHistoryTransaction] { try store.fetchHistory(descriptor) }

    func deleteHistory(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws {
        try store.deleteHistory(descriptor)
    }
}

struct MirrorConfiguration: DataStoreConfiguration {
    typealias Store = MirrorStore
    var name = "mirror"
    var schema: Schema?
    var url: URL
    var plan: (any SchemaMigrationPlan.Type)?

    static func == (lhs: Self, rhs: Self) -> Bool { lhs.url == rhs.url }
    func hash(into hasher: inout Hasher) { hasher.combine(url) }
}

@Suite("The store of the module behind a store of one's own")
final class DefaultStoreTests {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    var url: URL { folder.appendingPathComponent("Mirror.store") }

    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(at: folder) }

    private func mirror() throws -> ModelContext {
        ModelContext(try ModelContainer(for: Trip.self, configurations: MirrorConfiguration(url: url)))
    }

    private func plain() throws -> ModelContext {
        ModelContext(try ModelContainer(for: Trip.self, configurations: ModelConfiguration(url: url)))
    }

    @Test("models, relationships and identifiers are those of the store behind")
    func models() throws {
        let context = try mirror()
        let trip = Trip(name: "A", days: 2)
        trip.tags = ["x"]
        trip.place = Place(city: "C", country: "D")
        trip.stops = [Stop(title: "1"), Stop(title: "2")]
        trip.guide = Guide(name: "G")
        context.insert(trip)
        try context.save()
        let other = try plain()
        let same = try #require(try other.fetch(FetchDescriptor<Trip>()).first)
        #expect(same.persistentModelID == trip.persistentModelID)
        #expect(same.tags == ["x"] && same.place == trip.place)
        #expect(Set(same.stops.map(\.title)) == ["1", "2"] && same.guide?.name == "G")
        trip.days = 7
        trip.stops.removeAll { $0.title == "1" }
        try context.save()
        #expect(try plain().fetch(FetchDescriptor<Trip>()).map(\.days) == [7])
        context.delete(trip)
        try context.save()
        #expect(try plain().fetch(FetchDescriptor<Stop>()).map(\.title) == ["1"])
    }

    @Test("predicates and orders are answered by the store behind, in every context")
    func fetches() throws {
        let (context, other) = (try mirror(), try plain())
        for days in 1...5 { other.insert(Trip(name: "\(days)", days: days)) }
        try other.save()
        var descriptor = FetchDescriptor<Trip>(
            predicate: #Predicate { $0.days > 1 && $0.name.contains("") }, sortBy: [SortDescriptor(\.days)])
        descriptor.fetchLimit = 2
        descriptor.relationshipKeyPathsForPrefetching = [\.stops]
        #expect(try context.fetch(descriptor).map(\.days) == [2, 3])
        #expect(try context.fetchCount(FetchDescriptor<Trip>(predicate: #Predicate { $0.days > 1 })) == 4)
        let trip = try #require(try other.fetch(descriptor).first)
        trip.days = 3
        try other.save()
        #expect(try context.fetch(descriptor).map(\.days) == [3, 3])
        let id = trip.persistentModelID
        #expect((try mirror().model(for: id) as? Trip)?.name == "2")
    }

    @Test("batches, history and erasing reach the store behind")
    func others() throws {
        let context = try mirror()
        context.author = "ada"
        for days in 1...3 { context.insert(Trip(name: "\(days)", days: days)) }
        try context.save()
        try context.delete(model: Trip.self, where: #Predicate { $0.days < 3 })
        try context.save()
        #expect(try plain().fetch(FetchDescriptor<Trip>()).map(\.days) == [3])
        let all = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        #expect(all.map(\.author) == ["ada", "ada"])
        #expect(all.map(\.changes.count) == [3, 2])
        let token = all[0].token
        let first = #Predicate<DefaultHistoryTransaction> { $0.token <= token }
        try context.deleteHistory(HistoryDescriptor(predicate: first))
        #expect(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count == 1)
        try context.container.erase()
        #expect(try plain().fetchCount(FetchDescriptor<Trip>()) == 0)
    }

    @Test("a unique value leads to the saved model, under its identifier")
    func unique() throws {
        let first = try mirror()
        let trip = Trip(name: "A", days: 1)
        first.insert(trip)
        try first.save()
        let second = try plain()
        second.insert(Trip(name: "B", days: 1))
        try second.save()
        let newer = Trip(name: "B", days: 4)
        first.insert(newer)
        try first.save()
        #expect(try plain().fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)])).map(\.days) == [1, 4])
    }

    @Test("a plan brings the store behind up to date")
    func migration() throws {
        do {
            let schema = Schema(versionedSchema: FirstVersion.self)
            let old = ModelContext(try ModelContainer(for: schema, configurations: ModelConfiguration(url: url)))
            old.insert(FirstVersion.Person(name: "Ada"))
            try old.save()
        }
        let schema = Schema(versionedSchema: SecondVersion.self)
        let configuration = MirrorConfiguration(url: url, plan: Plan.self)
        let context = ModelContext(try ModelContainer(for: schema, configurations: [configuration]))
        let person = try #require(try context.fetch(FetchDescriptor<SecondVersion.Person>()).first)
        #expect(person.fullName == "Ada B" && person.initials == "AB")
    }

    @Test("a store without a container needs a schema")
    func noSchema() {
        #expect(throws: SwiftDataError.configurationSchemaNotFoundInContainerSchema) {
            try DefaultStore(ModelConfiguration(url: self.url))
        }
    }
}

import Foundation
import SwiftData
import Testing

@Suite("A store of one's own that is a JSON file")
final class DataStoreTests {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    let configuration: ArchiveConfiguration

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        configuration = ArchiveConfiguration(url: folder.appendingPathComponent("Archive.json"))
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func open(_ types: any PersistentModel.Type...) throws -> ModelContainer {
        try ModelContainer(for: Schema(types), configurations: [configuration])
    }

    private var text: String { get throws { try String(contentsOf: configuration.url, encoding: .utf8) } }

    @Test("what is inserted is read back by another container, value by value")
    func insert() throws {
        let context = ModelContext(try open(Trip.self))
        let trip = Trip(name: "Rome", days: 4)
        trip.start = Date(timeIntervalSinceReferenceDate: 1.5)
        trip.kind = .business
        trip.state = .booked(reference: "R7")
        trip.place = Place(city: "Roma", country: "I", zip: 100)
        trip.tags = ["a", "b"]
        trip.link = URL(string: "https://example.org")
        trip.price = Decimal(string: "12.34") ?? 0
        trip.image = Data([1, 2, 3])
        context.insert(trip)
        try context.save()
        let other = try #require(try ModelContext(open(Trip.self)).fetch(FetchDescriptor<Trip>()).first)
        #expect(other !== trip)
        #expect(other.name == "Rome" && other.days == 4)
        #expect(other.start == trip.start)
        #expect(other.kind == .business)
        #expect(other.state == .booked(reference: "R7"))
        #expect(other.place == trip.place)
        #expect(other.tags == ["a", "b"])
        #expect(other.link == trip.link)
        #expect(other.key == trip.key)
        #expect(other.price == trip.price)
        #expect(other.image == trip.image)
        #expect(other.guide == nil)
    }

    @Test("models are filtered, sorted and cut in memory where the store prefers that")
    func inMemory() throws {
        let container = try open(Trip.self)
        let context = ModelContext(container)
        for days in [3, 1, 5, 2, 4] { context.insert(Trip(name: "\(days)", days: days)) }
        try context.save()
        let reader = ModelContext(container)
        var descriptor = FetchDescriptor<Trip>(
            predicate: #Predicate { $0.days > 1 }, sortBy: [SortDescriptor(\.days, order: .reverse)])
        #expect(try reader.fetch(descriptor).map(\.days) == [5, 4, 3, 2])
        descriptor.fetchOffset = 1
        descriptor.fetchLimit = 2
        #expect(try reader.fetch(descriptor).map(\.days) == [4, 3])
        #expect(try reader.fetchCount(descriptor) == 2)
        #expect(try reader.fetchIdentifiers(descriptor).count == 2)
        #expect(try reader.fetch(descriptor, batchSize: 1).map(\.days) == [4, 3])
        let identifiers = try reader.fetchIdentifiers(descriptor, batchSize: 1)
        #expect(identifiers.compactMap { (reader.model(for: $0) as? Trip)?.days } == [4, 3])
    }

    @Test("a predicate that no SQL could answer is evaluated on the models")
    func swiftPredicate() throws {
        let context = ModelContext(try open(Trip.self))
        for days in 1...3 { context.insert(Trip(name: "\(days)", days: days)) }
        try context.save()
        context.insert(Trip(name: "4", days: 4))
        let tagged = #Predicate<Trip> { $0.tags.isEmpty && $0.days > 2 }
        let sorted = FetchDescriptor<Trip>(predicate: tagged, sortBy: [SortDescriptor(\.days)])
        #expect(try context.fetch(sorted).map(\.days) == [3, 4])
    }

    @Test("unsaved changes count, unless the descriptor says otherwise")
    func pendingChanges() throws {
        let context = ModelContext(try open(Trip.self))
        for days in 1...3 { context.insert(Trip(name: "\(days)", days: days)) }
        try context.save()
        let sorted = FetchDescriptor<Trip>(predicate: #Predicate { $0.days > 1 }, sortBy: [SortDescriptor(\.days)])
        let trips = try context.fetch(sorted)
        trips[0].days = 9
        context.delete(trips[1])
        context.insert(Trip(name: "7", days: 7))
        #expect(try context.fetch(sorted).map(\.days) == [7, 9])
        var saved = sorted
        saved.includePendingChanges = false
        #expect(try context.fetchCount(saved) == 2)
        context.rollback()
        #expect(try context.fetch(sorted).map(\.days) == [2, 3])
    }

    @Test("changes and deletions are saved")
    func updateAndDelete() throws {
        let context = ModelContext(try open(Trip.self))
        let (first, second) = (Trip(name: "1", days: 1), Trip(name: "2", days: 2))
        context.insert(first)
        context.insert(second)
        try context.save()
        first.days = 8
        first.place.city = "Oslo"
        context.delete(second)
        try context.save()
        #expect(second.isDeleted && second.name == "2")
        let found = try ModelContext(open(Trip.self)).fetch(FetchDescriptor<Trip>())
        #expect(found.map(\.name) == ["1"])
        #expect(found.map(\.days) == [8])
        #expect(found.map(\.place.city) == ["Oslo"])
    }

    @Test("identifiers become the store's with the save, in relationships too")
    func identifiers() throws {
        let container = try open(Trip.self)
        let context = ModelContext(container)
        let trip = Trip(name: "A")
        let stop = Stop(title: "B", trip: trip)
        context.insert(trip)
        #expect(trip.persistentModelID.isTemporary)
        try context.save()
        let id = trip.persistentModelID
        #expect(!id.isTemporary && id.entityName == "Trip")
        #expect(id.storeIdentifier == container.storeIdentifier(forConfigurationNamed: "archive"))
        #expect(container.configurationName(forStoreIdentifier: id.storeIdentifier ?? "") == "archive")
        #expect(try !text.contains("\"isTemporary\":true"))
        #expect(stop.persistentModelID != id)
        let decoded = try JSONDecoder().decode(PersistentIdentifier.self, from: JSONEncoder().encode(id))
        let other = ModelContext(try open(Trip.self))
        #expect((other.model(for: decoded) as? Trip)?.name == "A")
        let registered: Trip? = context.registeredModel(for: id)
        #expect(registered === trip)
        let byID = FetchDescriptor<Trip>(predicate: #Predicate { $0.persistentModelID == id })
        #expect(try context.fetch(byID).first === trip)
    }

    @Test("relationships lead both ways, before the save, after it, and in another container")
    func relationships() throws {
        let context = ModelContext(try open(Trip.self))
        let (trip, guide) = (Trip(name: "A"), Guide(name: "G"))
        context.insert(trip)
        trip.stops = [Stop(title: "1"), Stop(title: "2")]
        trip.guide = guide
        #expect(guide.trips?.first === trip)
        try context.save()
        let later = Stop(title: "3", trip: trip)
        context.insert(later)
        try context.save()
        #expect(Set(trip.stops.map(\.title)) == ["1", "2", "3"])
        let other = ModelContext(try open(Trip.self))
        let same = try #require(try other.fetch(FetchDescriptor<Trip>()).first)
        #expect(Set(same.stops.map(\.title)) == ["1", "2", "3"])
        #expect(same.stops.allSatisfy { $0.trip === same })
        #expect(same.guide?.name == "G" && same.guide?.trips?.first === same)
        let withThird = FetchDescriptor<Trip>(predicate: #Predicate { $0.stops.contains { $0.title == "3" } })
        #expect(try other.fetchCount(withThird) == 1)
        same.stops.removeAll { $0.title == "1" }
        try other.save()
        let third = ModelContext(try open(Trip.self))
        let free = FetchDescriptor<Stop>(predicate: #Predicate { $0.trip == nil })
        #expect(try third.fetch(free).map(\.title) == ["1"])
        third.delete(try #require(try third.fetch(FetchDescriptor<Trip>()).first))
        try third.save()
        let fourth = ModelContext(try open(Trip.self))
        #expect(try fourth.fetch(FetchDescriptor<Stop>()).map(\.title) == ["1"])
        #expect(try fourth.fetch(FetchDescriptor<Guide>()).first?.trips == [])
    }

    @Test("a relationship that nothing leads back from is nil after its model is deleted")
    func oneSided() throws {
        let context = ModelContext(try open(Shelf.self))
        let shelf = Shelf(name: "S")
        shelf.best = Book(title: "B")
        context.insert(shelf)
        try context.save()
        let other = ModelContext(try open(Shelf.self))
        other.delete(try #require(try other.fetch(FetchDescriptor<Book>()).first))
        try other.save()
        let found = try ModelContext(open(Shelf.self)).fetch(FetchDescriptor<Shelf>())
        #expect(found.count == 1 && found[0].best == nil)
    }

    @Test("two contexts of a container see each other's saves")
    func twoContexts() throws {
        let container = try open(Trip.self)
        let (first, second) = (ModelContext(container), ModelContext(container))
        let trip = Trip(name: "A", days: 1)
        first.insert(trip)
        try first.save()
        let same = try #require(try second.fetch(FetchDescriptor<Trip>()).first)
        same.days = 6
        try second.save()
        #expect(try first.fetch(FetchDescriptor<Trip>()).first === trip)
        #expect(trip.days == 6)
        second.delete(same)
        try second.save()
        #expect(try first.fetchCount(FetchDescriptor<Trip>()) == 0)
        #expect(trip.isDeleted && trip.name == "A")
    }

    @Test("what another container saved is seen by the next fetch, deletions too")
    func twoContainers() throws {
        let first = ModelContext(try open(Trip.self))
        let (kept, gone) = (Trip(name: "A", days: 1), Trip(name: "B", days: 1))
        first.insert(kept)
        first.insert(gone)
        try first.save()
        let reader = ModelContext(try open(Trip.self))
        let sorted = FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)])
        let read = try reader.fetch(sorted)
        #expect(read.map(\.days) == [1, 1])
        kept.days = 5
        first.delete(gone)
        try first.save()
        #expect(try reader.fetch(sorted).map(\.days) == [5])
        #expect(read[0].days == 5)
        #expect(read[1].isDeleted)
        #expect(try reader.fetchCount(sorted) == 1)
    }

    @Test("a model of a subclass that another container deleted goes with a fetch of the superclass")
    func subclassElsewhere() throws {
        let first = ModelContext(try open(Bird.self, Fish.self))
        let birds = [Bird(name: "Tit", wings: 2), Bird(name: "Jay", wings: 2)]
        for bird in birds { first.insert(bird) }
        try first.save()
        let reader = ModelContext(try open(Bird.self, Fish.self))
        let read = try reader.fetch(FetchDescriptor<Creature>(sortBy: [SortDescriptor(\.name)]))
        #expect(read.map(\.name) == ["Jay", "Tit"])
        first.delete(birds[0])
        try first.save()
        #expect(try reader.fetch(FetchDescriptor<Creature>()).map(\.name) == ["Jay"])
        #expect(read[1].isDeleted)
        #expect(read[1].name == "Tit")
        #expect(!read[0].isDeleted)
    }

    @Test("the store's error reaches who saves or fetches, and nothing is lost")
    func errors() throws {
        let context = ModelContext(try open(Trip.self))
        context.author = "ada"
        let trip = Trip(name: "A")
        context.insert(trip)
        configuration.switches.values.withLock { $0.saveError = .full }
        #expect(throws: ArchiveError.full) { try context.save() }
        #expect(context.hasChanges)
        #expect(trip.persistentModelID.isTemporary)
        #expect(!FileManager.default.fileExists(atPath: configuration.url.path))
        configuration.switches.values.withLock { $0.saveError = nil }
        try context.save()
        #expect(!context.hasChanges)
        #expect(try ModelContext(open(Trip.self)).fetchCount(FetchDescriptor<Trip>()) == 1)
        #expect(configuration.switches.values.withLock { $0.authors } == ["ada", "ada"])
        configuration.switches.values.withLock { $0.fetchError = .offline }
        #expect(throws: ArchiveError.offline) { try context.fetch(FetchDescriptor<Trip>()) }
        #expect(throws: ArchiveError.offline) { try context.fetchCount(FetchDescriptor<Trip>()) }
    }

    @Test("a configuration that is invalid or double, and a file that is none, are named")
    func openingErrors() throws {
        let schema = Schema([Trip.self])
        var nameless = configuration
        nameless.name = ""
        #expect(throws: ArchiveError.nameless) { try ModelContainer(for: schema, configurations: [nameless]) }
        #expect(throws: SwiftDataError.duplicateConfiguration) {
            try ModelContainer(for: schema, configurations: [self.configuration, self.configuration])
        }
        try Data("no archive".utf8).write(to: configuration.url)
        do {
            _ = try open(Trip.self)
            Issue.record("the file was opened")
        } catch let error as SwiftDataError {
            #expect(error == .loadIssueModelContainer)
            #expect(error.underlyingError is DecodingError)
        }
    }

    @Test("a store that knows no version of what it is given says so")
    func unknownSchema() throws {
        configuration.switches.values.withLock { $0.isForeign = true }
        #expect(throws: SwiftDataError.unknownDataStoreSchema) { try self.open(Trip.self) }
    }

    @Test("erasing deletes all models, also where the store cannot", arguments: [true, false])
    func erase(canErase: Bool) throws {
        configuration.switches.values.withLock { $0.canErase = canErase }
        let container = try open(Trip.self)
        let context = ModelContext(container)
        let trip = Trip(name: "A")
        trip.stops = [Stop(title: "1")]
        context.insert(trip)
        try context.save()
        try container.erase()
        #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 0)
        #expect(trip.isDeleted)
        let other = ModelContext(try open(Trip.self))
        #expect(try other.fetchCount(FetchDescriptor<Stop>()) == 0)
        context.insert(Trip(name: "B"))
        try context.save()
        #expect(try other.fetch(FetchDescriptor<Trip>()).map(\.name) == ["B"])
    }

    @Test("an archive of an older version is read: new properties have defaults, renamed ones their values")
    func olderArchive() throws {
        do {
            let schema = Schema(versionedSchema: FirstVersion.self)
            let old = ModelContext(try ModelContainer(for: schema, configurations: [configuration]))
            old.insert(FirstVersion.Person(name: "Ada"))
            try old.save()
        }
        let schema = Schema(versionedSchema: SecondVersion.self)
        let context = ModelContext(try ModelContainer(for: schema, configurations: [configuration]))
        let person = try #require(try context.fetch(FetchDescriptor<SecondVersion.Person>()).first)
        #expect(person.fullName == "Ada")
        #expect(person.initials == "")
        person.initials = "A"
        try context.save()
        #expect(try text.contains("\"fullName\":\"Ada\""))
    }

    @Test("subclasses are found among the models of their superclass, or left out")
    func inheritance() throws {
        let context = ModelContext(try open(Truck.self))
        context.insert(Vehicle(plate: "V"))
        context.insert(Truck(plate: "T", load: 2.5))
        try context.save()
        let other = ModelContext(try open(Truck.self))
        let found = try other.fetch(FetchDescriptor<Vehicle>(sortBy: [SortDescriptor(\.plate)]))
        #expect(found.map(\.plate) == ["T", "V"])
        #expect((found[0] as? Truck)?.load == 2.5)
        try other.delete(model: Vehicle.self, includeSubclasses: false)
        try other.save()
        let rest = try ModelContext(open(Truck.self)).fetch(FetchDescriptor<Vehicle>())
        #expect(rest.map(\.plate) == ["T"])
    }

    @Test("a new model with a unique value takes the place of the saved one")
    func unique() throws {
        let context = ModelContext(try open(Trip.self))
        context.insert(Trip(name: "A", days: 1))
        try context.save()
        context.insert(Trip(name: "A", days: 5))
        try context.save()
        #expect(try ModelContext(open(Trip.self)).fetch(FetchDescriptor<Trip>()).map(\.days) == [5])
    }

    @Test("a container has stores of both kinds")
    func bothKinds() throws {
        var own = configuration
        own.schema = Schema([Shelf.self])
        let plain = ModelConfiguration("plain", schema: Schema([Trip.self]), isStoredInMemoryOnly: true)
        let container = try ModelContainer(
            for: Trip.self, Shelf.self, configurations: own, plain)
        #expect(container.configurations == [plain])
        let context = ModelContext(container)
        context.insert(Trip(name: "A"))
        context.insert(Shelf(name: "S"))
        try context.save()
        #expect(try context.fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.name == "A" })).count == 1)
        #expect(try context.fetch(FetchDescriptor<Shelf>(predicate: #Predicate { $0.name == "S" })).count == 1)
        #expect(try text.contains("Shelf") && !text.contains("Trip"))
        #expect(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count == 1)
        try container.erase()
        #expect(try context.fetchCount(FetchDescriptor<Shelf>()) == 0)
        #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 0)
    }

    @Test("the store knows which contexts work with it")
    func editingStates() throws {
        let container = try open(Trip.self)
        var context: ModelContext? = ModelContext(container)
        let id = try #require(context?.editingState.id)
        #expect(configuration.switches.values.withLock { $0.states } == [id])
        _ = try context?.fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.days > 1 }))
        #expect(configuration.switches.values.withLock { $0.states } == [id])
        context = nil
        #expect(configuration.switches.values.withLock { $0.states }.isEmpty)
    }
}

import Foundation
import SwiftData

@Model
final class City {
    static let bySize = FetchDescriptor<City>(sortBy: [SortDescriptor(\.size)])
    static let big = #Predicate<City> { $0.size > 1000 }

    var name: String
    var size: Int = 0
    var country: Country?

    init(name: String, size: Int = 0) {
        self.name = name
        self.size = size
    }

    static func named(_ name: String) -> Predicate<City> { #Predicate { $0.name == name } }

    static var first: FetchDescriptor<City> {
        var descriptor = FetchDescriptor<City>(sortBy: [SortDescriptor(\.name)])
        descriptor.fetchLimit = 3
        descriptor.propertiesToFetch = [\.name]
        descriptor.relationshipKeyPathsForPrefetching = [\.country]
        return descriptor
    }
}

@Model
final class Country {
    var code: String
    @Relationship(inverse: \City.country) var cities: [City] = []

    init(code: String) { self.code = code }
}

/// Constants that a program has for all actors.
enum Stores {
    static let schema = Schema([City.self, Country.self])
    static let configuration = ModelConfiguration(schema: schema, isStoredInMemoryOnly: true)
    static let shared: ModelContainer = {
        do {
            return try ModelContainer(for: schema, configurations: [configuration])
        } catch {
            fatalError("\(error)")
        }
    }()
    static let refusal: SwiftDataError = .unsupportedPredicate
}

/// What crosses actors in the place of a model.
struct CityRow: Sendable, Identifiable {
    let id: PersistentIdentifier
    let name: String

    init(_ city: City) {
        id = city.persistentModelID
        name = city.name
    }
}

protocol CityRepository: Sendable {
    func rows(matching predicate: Predicate<City>?) async throws -> [CityRow]
}

/// An actor with an initializer of its own.
@ModelActor
actor SavedCities: CityRepository {
    private var token: DefaultHistoryToken?

    init(container: ModelContainer, author: String) {
        let context = ModelContext(container)
        context.author = author
        modelExecutor = DefaultSerialModelExecutor(modelContext: context)
        modelContainer = container
    }

    func rows(matching predicate: Predicate<City>?) throws -> [CityRow] {
        let descriptor = FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.name)])
        return try modelContext.fetch(descriptor).map(CityRow.init)
    }

    func replace(_ sizes: [String: Int]) throws {
        try modelContext.transaction {
            try modelContext.delete(model: City.self)
            for (name, size) in sizes { modelContext.insert(City(name: name, size: size)) }
        }
    }

    /// The cities that were inserted, deleted or renamed since the last call, with how far the history is read.
    func changes() throws -> (DefaultHistoryToken?, Set<PersistentIdentifier>) {
        var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
        if let token { descriptor.predicate = #Predicate { $0.token > token } }
        let transactions = try modelContext.fetchHistory(descriptor)
        token = transactions.last?.token ?? token
        var ids: Set<PersistentIdentifier> = []
        for change in transactions.flatMap(\.changes) {
            switch change {
            case .insert(let insert as DefaultHistoryInsert<City>): ids.insert(insert.changedPersistentIdentifier)
            case .update(let update as DefaultHistoryUpdate<City>) where update.updatedAttributes.contains(\.name):
                ids.insert(update.changedPersistentIdentifier)
            case .delete(let delete as DefaultHistoryDelete<City>): ids.insert(delete.changedPersistentIdentifier)
            default: break
            }
        }
        return (token, ids)
    }
}

@MainActor @Observable
final class CityList {
    private let cities: any CityRepository
    private let context: ModelContext
    private(set) var rows: [CityRow] = []
    private(set) var selected: City?

    init(_ container: ModelContainer, cities: any CityRepository) {
        self.cities = cities
        context = container.mainContext
    }

    func load() async throws {
        rows = try await cities.rows(matching: City.big)
        let known: City? = rows.first.flatMap { context.registeredModel(for: $0.id) }
        selected = known ?? rows.first.flatMap { context.model(for: $0.id) as? City }
    }

    /// Inserts in the background, and reloads.
    func add(_ names: [String]) async throws {
        try await Task.detached { [container = context.container] in
            let background = ModelContext(container)
            for name in names { background.insert(City(name: name, size: 2000)) }
            try background.save()
        }.value
        try await load()
    }
}

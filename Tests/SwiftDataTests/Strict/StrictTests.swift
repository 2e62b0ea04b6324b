import Foundation
import SwiftData
import Testing

/// The models of this module compile in Swift 6 mode, with warnings as errors: so does what uses them.
@Suite("Models of every kind, in Swift 6 mode without warnings")
struct StrictTests {
    private static let types: [any PersistentModel.Type] = [
        Numbers.self, Optionals.self, Document.self, Job.self, Company.self, Course.self, Movie.self, Audio.self,
        Account.self, Recipe.self, Names.self, Event.self, Options.self, Article.self, Team.self, Contract.self,
        Measurement.self,
    ]

    private func container() throws -> ModelContainer {
        try ModelContainer(
            for: Schema(Self.types), configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    }

    @Test("s.9 one model of each kind is saved, and found in another context")
    func each() throws {
        let container = try container()
        let context = ModelContext(container)
        let company = Company(name: "C", country: "CH", address: Address(city: "Bern"))
        company.employees = [Employee(name: "E")]
        company.employees.first?.badge = Badge(number: 1)
        let course = Course(title: "Swift")
        course.students = [Student(name: "S")]
        let names = Names()
        (names.default, names.switch, names.newValue) = (1, "c", 2)
        let models: [any PersistentModel] = [
            Numbers(int: 1), Optionals(), Document(link: URL(fileURLWithPath: "/tmp")), Job(), company, course,
            Movie(title: "M", minutes: 90), Audio(title: "A"), Account(owner: "O"), Recipe(name: "R"), names,
            Event(name: "E", date: .distantPast), Options(), Article(title: "T"),
            Team(name: "T", players: [Player(name: "P")]), Contract(player: Player(name: "Q")),
            Measurement(value: 1, unit: "m"),
        ]
        for model in models { context.insert(model) }
        try context.save()
        let other = ModelContext(container)
        func count<T: PersistentModel>(_ type: T.Type) throws -> Int { try other.fetchCount(FetchDescriptor<T>()) }
        for type in Self.types { #expect(try count(type) == 1, "\(type)") }
        #expect(try count(Media.self) == 2)
        #expect(try count(Player.self) == 2)
        let found = try other.fetch(FetchDescriptor<Names>()).first
        #expect(found?.default == 1 && found?.switch == "c" && found?.newValue == 2)
        let employee = try other.fetch(FetchDescriptor<Employee>()).first
        #expect(employee?.badge?.owner === employee)
        #expect(employee?.company?.address.city == "Bern")
        #expect(try other.fetch(FetchDescriptor<Student>()).first?.courses?.map(\.title) == ["Swift"])
    }

    @Test("s.24 identifiers cross from actor to actor, and models do not")
    func actors() async throws {
        let container = try container()
        let importer = Importer(modelContainer: container)
        let ids = try await importer.importCompanies(["A", "B"])
        try await importer.rename(try #require(ids.first), to: "C")
        let names = try ModelContext(container).fetch(FetchDescriptor<Company>(sortBy: [SortDescriptor(\.name)]))
        #expect(names.map(\.name) == ["B", "C"])
        let account = Account(owner: "O")
        let context = ModelContext(container)
        context.insert(account)
        try context.save()
        #expect(try await Bank(modelContainer: container).deposit(5, to: account.persistentModelID) == 5)
    }

    @Test("s.24 a class of the main actor works with the main context")
    @MainActor func controller() async throws {
        let controller = try Controller()
        try await controller.add()
        try controller.reload()
        #expect(controller.jobs.count == 1)
    }

    @Test("s.24 rows, identifiers, predicates and tokens are values for all actors")
    @MainActor func repository() async throws {
        let cities = SavedCities(container: Stores.shared, author: "test")
        let list = CityList(Stores.shared, cities: cities)
        try await cities.replace(["Bern": 500, "Zug": 3000])
        try await list.load()
        #expect(list.rows.map(\.name) == ["Zug"])
        #expect(list.selected?.name == "Zug")
        #expect(try await cities.changes().1.count == 2)
        try await list.add(["Basel"])
        #expect(list.rows.map(\.name) == ["Basel", "Zug"])
        let (token, ids) = try await cities.changes()
        #expect(token != nil)
        #expect(ids == [try #require(list.rows.first).id])
        #expect(try ModelContext(Stores.shared).fetch(City.first).map(\.name) == ["Basel", "Bern", "Zug"])
    }
}

import Foundation
import Observation
import SwiftData
import Testing

@Model
final class Account {
    #Unique<Account>(onConflict: .keep, [\.bank, \.number])

    @Attribute(.unique(onConflict: .throw)) var mail: String
    @Attribute(.unique) var nick: String
    var bank: String
    var number: Int
    var note: String = ""

    init(mail: String, nick: String, bank: String = "", number: Int) {
        (self.mail, self.nick, self.bank, self.number) = (mail, nick, bank, number)
    }
}

@Model
class Work {
    @Attribute(.unique) var title: String
    init(title: String) { self.title = title }
}

@Model
final class Novel: Work {
    var pages: Int = 100
    override init(title: String) { super.init(title: title) }
}

@Model
final class Opera: Work {
    var acts: Int = 3
    override init(title: String) { super.init(title: title) }
}

struct Isbn: Codable, Equatable {
    var group: Int
    var number: String
}

@Model
final class Hardback {
    @Attribute(.unique) var isbn: Isbn
    var title: String

    init(_ isbn: Isbn, title: String) { (self.isbn, self.title) = (isbn, title) }
}

@Model
final class Edition {
    #Unique<Edition>(onConflict: .throw, [\.isbn.number])

    var isbn: Isbn

    init(_ isbn: Isbn) { self.isbn = isbn }
}

@Model
final class Locker {
    @Attribute(.unique) var number: Int
    @Attribute(.unique) var key: Int
    var note: String

    init(_ number: Int, _ key: Int, _ note: String) { (self.number, self.key, self.note) = (number, key, note) }
}

@Model
final class Street {
    @Attribute(.unique) var name: String
    @Relationship(inverse: \House.street) var houses: [House] = []

    init(_ name: String) { self.name = name }
}

@Model
final class House {
    #Unique<House>([\.street, \.number])

    var number: Int
    var note: String
    var street: Street?

    init(_ number: Int, _ note: String) { (self.number, self.note) = (number, note) }
}

@Suite("A unique value that two models have: upsert, throw, or keep")
struct UniquePolicyTests {
    let context: ModelContext

    init() throws {
        let memory = ModelConfiguration(isStoredInMemoryOnly: true)
        context = ModelContext(try ModelContainer(for: Account.self, configurations: memory))
        let first = Account(mail: "a@x", nick: "a", bank: "B", number: 1)
        first.note = "first"
        context.insert(first)
        try context.save()
    }

    private func accounts() throws -> [Account] {
        try ModelContext(context.container).fetch(FetchDescriptor<Account>(sortBy: [SortDescriptor(\.number)]))
    }

    @Test("an upsert reports the identifiers of both models")
    func upsert() throws {
        let saved = try #require(try context.fetch(FetchDescriptor<Account>()).first)
        let second = Account(mail: "b@x", nick: "a", number: 2)
        let identifier = second.persistentModelID
        context.insert(second)
        try context.save()
        #expect(try accounts().map(\.mail) == ["b@x"])
        let conflict = try #require(context.uniqueConflicts.first)
        #expect(context.uniqueConflicts.count == 1)
        #expect(conflict.properties == ["nick"])
        #expect(conflict.policy == .upsert)
        #expect(conflict.identifier == identifier)
        #expect(conflict.existing == saved.persistentModelID)
        #expect(second.persistentModelID == saved.persistentModelID)
        try context.save()
        second.note = "later"
        try context.save()
        #expect(context.uniqueConflicts.isEmpty)
    }

    @Test("an upsert adds related models to those that the saved model has")
    func members() throws {
        let memory = ModelConfiguration(isStoredInMemoryOnly: true)
        let context = ModelContext(try ModelContainer(for: Trip.self, configurations: memory))
        let (trip, again) = (Trip(name: "A"), Trip(name: "A"))
        trip.stops = [Stop(title: "1"), Stop(title: "2")]
        context.insert(trip)
        try context.save()
        again.stops = [Stop(title: "3")]
        context.insert(again)
        try context.save()
        #expect(Set(trip.stops.map(\.title)) == ["1", "2", "3"])
        let saved = try ModelContext(context.container).fetch(FetchDescriptor<Stop>())
        #expect(saved.map(\.trip?.name) == ["A", "A", "A"])
    }

    @Test("a model that was fetched before its first save stands for the one that has its unique value")
    func fetchedBefore() throws {
        context.insert(Account(mail: "b@x", nick: "a", number: 2))
        let unsaved = FetchDescriptor<Account>(predicate: #Predicate { $0.mail == "b@x" })
        let second = try #require(try context.fetch(unsaved).first)
        try context.save()
        second.note = "later"
        try context.save()
        #expect(try accounts().map(\.note) == ["later"])
    }

    @Test("observers of a model that stands for another one hear of what another context saves")
    func observation() throws {
        let first = try #require(try context.fetch(FetchDescriptor<Account>()).first)
        let second = Account(mail: "b@x", nick: "a", number: 2)
        context.insert(second)
        try context.save()
        nonisolated(unsafe) var count = 0
        withObservationTracking { _ = second.note } onChange: { count += 1 }
        let other = ModelContext(context.container)
        try other.fetch(FetchDescriptor<Account>()).first?.note = "later"
        try other.save()
        _ = try context.fetch(FetchDescriptor<Account>())
        #expect(first.note == "later" && second.note == "later")
        #expect(count == 1)
    }

    @Test("an upsert needs no open group of an undo manager whose groups the application makes")
    func upsertBetweenGroups() throws {
        let manager = UndoManager()
        manager.groupsByEvent = false
        context.undoManager = manager
        manager.beginUndoGrouping()
        context.insert(Account(mail: "b@x", nick: "a", number: 2))
        context.processPendingChanges()
        manager.endUndoGrouping()
        try context.save()
        #expect(try accounts().map(\.mail) == ["b@x"])
    }

    @Test("a constraint that throws names both models, and nothing is saved")
    func throwing() throws {
        let second = Account(mail: "a@x", nick: "c", number: 3)
        context.insert(second)
        context.insert(Account(mail: "d@x", nick: "d", number: 4))
        do {
            try context.save()
            Issue.record("the save did not throw")
        } catch let error as SwiftDataError {
            #expect(error == .modelValidationFailure)
            let conflict = try #require(error.underlyingError as? UniqueConflict)
            #expect(conflict.properties == ["mail"])
            #expect(conflict.identifier == second.persistentModelID)
            #expect(error.message.contains("Account.mail"))
        }
        #expect(try accounts().map(\.number) == [1])
        second.mail = "c@x"
        try context.save()
        #expect(try accounts().map(\.number) == [1, 3, 4])
    }

    @Test("two unsaved models with one value throw as well, and so does a changed one")
    func throwingUnsaved() throws {
        let (one, two) = (Account(mail: "c@x", nick: "c", number: 3), Account(mail: "c@x", nick: "d", number: 4))
        context.insert(one)
        context.insert(two)
        #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
        two.mail = "d@x"
        try context.save()
        two.mail = "a@x"
        #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
        let mails = try accounts().map(\.mail)
        #expect(mails == ["a@x", "c@x", "d@x"])
    }

    @Test("a constraint that keeps leaves the saved model as it is, and the inserted one stands for it")
    func keeping() throws {
        let second = Account(mail: "e@x", nick: "e", bank: "B", number: 1)
        context.insert(second)
        try context.save()
        #expect(try accounts().map(\.note) == ["first"])
        #expect(second.note == "first")
        #expect(second.mail == "a@x")
        #expect(context.uniqueConflicts.map(\.policy) == [.keep])
    }

    private func lockers() throws -> ModelContext {
        let memory = ModelConfiguration(isStoredInMemoryOnly: true)
        let context = ModelContext(try ModelContainer(for: Locker.self, configurations: memory))
        for locker in [Locker(1, 1, "first"), Locker(2, 2, "second")] { context.insert(locker) }
        try context.save()
        return context
    }

    private func notes(_ context: ModelContext) throws -> [String] {
        try ModelContext(context.container).fetch(FetchDescriptor<Locker>(sortBy: [SortDescriptor(\.number)]))
            .map { "\($0.number) \($0.key) \($0.note)" }
    }

    @Test("an inserted model with unique values of two saved ones is refused by name, and nothing is lost")
    func twoOwners() throws {
        let context = try lockers()
        let (third, other) = (Locker(1, 2, "third"), Locker(4, 4, "fourth"))
        for locker in [third, other] { context.insert(locker) }
        do {
            try context.save()
            Issue.record("the save did not throw")
        } catch let error as SwiftDataError {
            #expect(error == .modelValidationFailure)
            #expect(error.message.contains("Locker.number") && error.message.contains("Locker.key"))
        }
        #expect(try notes(context) == ["1 1 first", "2 2 second"])
        #expect(third.note == "third" && context.hasChanges && context.uniqueConflicts.isEmpty)
        third.key = 3
        try context.save()
        #expect(try notes(context) == ["1 3 third", "2 2 second", "4 4 fourth"])
    }

    @Test("a saved model that is given the unique value of another one is refused, and two may change theirs")
    func changedToAnother() throws {
        let context = try lockers()
        let all = try context.fetch(FetchDescriptor<Locker>(sortBy: [SortDescriptor(\.number)]))
        all[0].key = 2
        #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
        #expect(try notes(context) == ["1 1 first", "2 2 second"])
        all[1].key = 1
        try context.save()
        #expect(try notes(context) == ["1 2 first", "2 1 second"])
    }

    @Test("inserted models with each other's unique values end as if each was saved by itself")
    func oneByOne() throws {
        let (together, singly) = (try lockers(), try lockers())
        for values in [(5, 5), (5, 6), (9, 5), (2, 7), (8, 2)] {
            for context in [together, singly] { context.insert(Locker(values.0, values.1, "\(values)")) }
            try singly.save()
        }
        try together.save()
        let (first, second) = (try notes(together), try notes(singly))
        #expect(first == second)
        #expect(first.count == 5)
    }

    @Test("a value that another container saved meanwhile is settled by the policy of its constraint")
    func savedElsewhere() throws {
        let folder = TestFolder()
        let configuration = ModelConfiguration(url: folder.file("Accounts.sqlite"))
        let contexts = try (0..<2).map { _ in
            ModelContext(try ModelContainer(for: Account.self, configurations: configuration))
        }
        let first = Account(mail: "a@x", nick: "a", bank: "B", number: 1)
        contexts[0].insert(first)
        contexts[1].insert(Account(mail: "b@x", nick: "b", number: 2))
        for context in contexts { try context.save() }
        let upsert = Account(mail: "c@x", nick: "a", number: 3)
        let kept = Account(mail: "d@x", nick: "d", bank: "B", number: 1)
        contexts[0].insert(kept)
        try contexts[0].save()
        #expect(kept.persistentModelID == first.persistentModelID)
        first.bank = "C"
        try contexts[0].save()
        contexts[1].insert(upsert)
        try contexts[1].save()
        #expect(contexts[1].uniqueConflicts.map(\.policy) == [.upsert])
        let keys = try contexts.map { context in
            try ModelContext(context.container).fetch(FetchDescriptor<Account>()).map {
                "\($0.mail) \($0.nick) \($0.number)"
            }
        }
        #expect(keys.map(Set.init) == [["c@x a 3", "b@x b 2"], ["c@x a 3", "b@x b 2"]])
        contexts[0].insert(Account(mail: "c@x", nick: "e", number: 4))
        #expect(throws: SwiftDataError.modelValidationFailure) { try contexts[0].save() }
    }

    @Test("a model is unique by one that another stands for, in any order")
    func uniqueByRelated() throws {
        let memory = ModelConfiguration(isStoredInMemoryOnly: true)
        let context = ModelContext(try ModelContainer(for: Street.self, configurations: memory))
        for note in ["old", "new"] {
            let house = House(1, note)
            let street = Street("Elm")
            context.insert(house)
            context.insert(street)
            house.street = street
            try context.save()
        }
        let houses = try ModelContext(context.container).fetch(FetchDescriptor<House>())
        #expect(houses.map(\.note) == ["new"])
        #expect(context.uniqueConflicts.map(\.entityName).sorted() == ["House", "Street"])
    }

    @Test("a structure is unique by all of its parts, or by one")
    func structures() throws {
        let memory = ModelConfiguration(isStoredInMemoryOnly: true)
        let context = ModelContext(try ModelContainer(for: Hardback.self, Edition.self, configurations: memory))
        let (first, second) = (Isbn(group: 1, number: "a"), Isbn(group: 2, number: "a"))
        context.insert(Hardback(first, title: "A"))
        try context.save()
        for isbn in [first, second] { context.insert(Hardback(isbn, title: "B")) }
        try context.save()
        #expect(try context.fetch(FetchDescriptor<Hardback>()).map(\.title) == ["B", "B"])
        let edition = Edition(second)
        context.insert(Edition(first))
        context.insert(edition)
        #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
        edition.isbn.number = "b"
        try context.save()
        edition.isbn.number = "a"
        #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    }

    @Test("policies are part of an encoded schema")
    func coding() throws {
        let schema = Schema([Account.self])
        let decoded = try JSONDecoder().decode(Schema.self, from: JSONEncoder().encode(schema))
        #expect(decoded == schema)
        let options = decoded.entitiesByName["Account"]?.attributesByName["mail"]?.options
        #expect(options == [.unique(onConflict: .throw)])
        #expect(options != [.unique])
    }

    @Test("a model with the unique value of one of another class is refused")
    func otherClass() async throws {
        await #expect(processExitsWith: .success) {
            let memory = ModelConfiguration(isStoredInMemoryOnly: true)
            let context = ModelContext(
                try ModelContainer(for: Novel.self, Opera.self, configurations: memory))
            context.insert(Novel(title: "Carmen"))
            try context.save()
            let opera = Opera(title: "Carmen")
            context.insert(opera)
            #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
            #expect(opera.acts == 3)
        }
    }
}

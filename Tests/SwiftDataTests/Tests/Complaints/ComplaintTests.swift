import Foundation
import SwiftData
import Testing

@Model
final class Shelf {
    var name: String
    @Relationship(.ordered) var books: [Book] = []
    var best: Book?

    init(name: String) { self.name = name }
}

@Model
final class Book {
    var title: String
    @Attribute(.codable) var size: Size?

    init(title: String) { self.title = title }
}

struct Size: Codable, Equatable {
    var width: Int
    var height: Int
}

/// A parcel's labels cannot be without it.
@Model
final class Parcel {
    var number: Int
    @Relationship(deleteRule: .cascade, inverse: \ParcelLabel.parcel) var labels: [ParcelLabel] = []
    @Relationship(deleteRule: .nullify, inverse: \Receipt.parcel) var receipts: [Receipt] = []

    init(number: Int) { self.number = number }
}

@Model
final class ParcelLabel {
    var parcel: Parcel

    init(parcel: Parcel) { self.parcel = parcel }
}

@Model
final class Receipt {
    var parcel: Parcel

    init(parcel: Parcel) { self.parcel = parcel }
}

@Suite("What users of Apple's complain of does not happen here")
final class ComplaintTests {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)

    deinit { try? FileManager.default.removeItem(at: folder) }

    func context(_ types: any PersistentModel.Type...) throws -> ModelContext {
        let memory = ModelConfiguration(isStoredInMemoryOnly: true)
        return ModelContext(try ModelContainer(for: Schema(types), configurations: memory))
    }

    private func saved<T: PersistentModel>(_ context: ModelContext, _ type: T.Type = T.self) throws -> [T] {
        try ModelContext(context.container).fetch(FetchDescriptor<T>())
    }

    @Test("complaint 1: a model that was deleted elsewhere is read, and says that it is deleted")
    func deletedModels() throws {
        let context = try context(Shelf.self)
        let shelf = Shelf(name: "S")
        shelf.books = ["read", "unread"].map { Book(title: $0) }
        context.insert(shelf)
        try context.save()
        let other = ModelContext(context.container)
        let books = try #require(try other.fetch(FetchDescriptor<Shelf>()).first).books
        let ids = books.map(\.persistentModelID)
        #expect(books[0].title == "read")
        try context.delete(model: Book.self)
        try context.save()
        #expect(try other.fetchCount(FetchDescriptor<Book>()) == 0)
        #expect(books.map(\.isDeleted) == [true, true])
        #expect(books[0].title == "read")
        // Nobody had read it: nothing is known of it.
        #expect(books[1].title == "")
        #expect(ids.allSatisfy { other.existingModel(for: $0) == nil })
        #expect(shelf.books.isEmpty)
    }

    @Test("complaint 2: a relationship that nothing leads back from is nil after its model is deleted, and can be set")
    func oneSided() throws {
        let context = try context(Shelf.self)
        let (shelf, book) = (Shelf(name: "S"), Book(title: "B"))
        shelf.best = book
        context.insert(shelf)
        try context.save()
        context.delete(book)
        try context.save()
        #expect(shelf.best == nil)
        let other = ModelContext(context.container)
        let same = try #require(try other.fetch(FetchDescriptor<Shelf>()).first)
        #expect(same.best == nil)
        same.best = Book(title: "C")
        try other.save()
        #expect(try saved(context, Shelf.self).map(\.best?.title) == ["C"])
    }

    @Test("complaint 3: predicates compare relationships with nil, and follow chains of optional ones")
    func optionals() throws {
        let zoo = try Zoo.sample()
        #expect(zoo.names(#Predicate { $0.owner == nil }) == ["Kit", "Eel"])
        #expect(zoo.names(#Predicate { $0.parent?.owner == nil }) == ["Cat", "Tit", "Eel"])
        #expect(zoo.names(#Predicate { $0.parent?.owner?.name == "Ada" }) == ["Tom", "Kit"])
        #expect(zoo.names(#Predicate { $0.parent?.owner?.place?.zip == 3 }) == ["Tom", "Kit"])
        #expect(zoo.names(#Predicate { ($0.parent?.owner?.age ?? 0) > 30 && $0.owner != nil }) == ["Tom"])
    }

    @Test("complaint 4: enumerations with raw values are filtered, sorted and grouped by the store")
    func enumerations() throws {
        let zoo = try Zoo.sample()
        let (business, leisure, low) = (Kind.business, Kind.leisure, Level.low.rawValue)
        #expect(zoo.names(#Predicate { $0.kind == business }) == ["Cat"])
        #expect(zoo.names(#Predicate { $0.other == leisure }) == ["Tom"])
        #expect(zoo.names(#Predicate { $0.level.rawValue > low }) == ["Cat", "Tit"])
        let byLevel = FetchDescriptor<Creature>(
            sortBy: [SortDescriptor(\.level.rawValue, order: .reverse), SortDescriptor(\.name)])
        #expect(try zoo.context.fetch(byLevel).map(\.name) == ["Cat", "Tit", "Eel", "Kit", "Tom"])
        #expect(try zoo.context.groups(by: \Creature.level, computing: .count()).map(\.values) == [3, 1, 1])
    }

    @Test("complaint 5: two unsaved models with one unique value are saved as one, in a context and in two")
    func pendingDuplicates() throws {
        let context = try context(Trip.self)
        let (first, second) = (Trip(name: "A", days: 1), Trip(name: "A", days: 2))
        context.insert(first)
        context.insert(second)
        let other = ModelContext(context.container)
        let third = Trip(name: "A", days: 3)
        other.insert(third)
        try context.save()
        #expect(try saved(context, Trip.self).map(\.days) == [2])
        #expect(first.name == "A" && second.days == 2)
        try other.save()
        #expect(try saved(context, Trip.self).map(\.days) == [3])
        #expect(third.persistentModelID == second.persistentModelID)
    }

    @Test("complaint 6: whether a unique value overwrites, throws or keeps is said, and what was met is reported")
    func uniquePolicies() throws {
        let context = try context(Account.self)
        let old = Account(mail: "a@x", nick: "a", bank: "B", number: 1)
        context.insert(old)
        try context.save()
        let throwing = Account(mail: "a@x", nick: "b", number: 2)
        context.insert(throwing)
        #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
        #expect(try saved(context, Account.self).map(\.nick) == ["a"])
        context.delete(throwing)
        context.insert(Account(mail: "b@x", nick: "b", bank: "B", number: 1))
        try context.save()
        #expect(try saved(context, Account.self).map(\.mail) == ["a@x"])
        #expect(context.uniqueConflicts.map(\.policy) == [.keep])
        context.insert(Account(mail: "c@x", nick: "a", number: 3))
        try context.save()
        #expect(try saved(context, Account.self).map(\.mail) == ["c@x"])
        #expect(context.uniqueConflicts.map(\.existing) == [old.persistentModelID])
    }

    @Test("complaint 7: an ordered relationship keeps the order of the array")
    func ordered() throws {
        let context = try context(Shelf.self)
        let shelf = Shelf(name: "S")
        shelf.books = ["c", "a", "b"].map { Book(title: $0) }
        context.insert(shelf)
        try context.save()
        let other = ModelContext(context.container)
        let same = try #require(try other.fetch(FetchDescriptor<Shelf>()).first)
        #expect(same.books.map(\.title) == ["c", "a", "b"])
        same.books.swapAt(0, 2)
        try other.save()
        #expect(try saved(context, Shelf.self).first?.books.map(\.title) == ["b", "a", "c"])
    }

    @Test("complaint 9: sums, averages, bounds and groups are computed by the store")
    func aggregates() throws {
        let context = try Zoo.sample().context
        #expect(try context.aggregate(.sum(\Creature.count)) == 10)
        #expect(try context.aggregate(.average(\Creature.count)) == 2)
        #expect(try context.aggregate(.minimum(\Creature.name)) == "Cat")
        #expect(try context.aggregate(.maximum(\Creature.weight)) == 4)
        let owners = try context.groups(by: \Creature.owner?.name, computing: .count(), .sum(\.count))
        #expect(owners.map(\.key) == [nil, "Ada", "Bob"])
        #expect(owners.map(\.values.0) == [2, 2, 1])
        #expect(owners.map(\.values.1) == [-3, 9, 4])
    }

    @Test(
        "complaint 13: models are related in any order of insertion and assignment",
        arguments: [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0], [2, 0], [2, 1]], [true, false])
    func anyOrder(_ order: [Int], _ isFromStop: Bool) throws {
        let context = try context(Trip.self)
        let (trip, stop) = (Trip(name: "A"), Stop(title: "s"))
        for step in order {
            switch step {
            case 0: context.insert(trip)
            case 1: context.insert(stop)
            default: if isFromStop { stop.trip = trip } else { trip.stops.append(stop) }
            }
        }
        #expect(stop.trip === trip)
        #expect(trip.stops.map(\.title) == ["s"])
        try context.save()
        #expect(try saved(context, Trip.self).map { $0.stops.map(\.title) } == [["s"]])
        #expect(try saved(context, Stop.self).map(\.trip?.name) == ["A"])
    }

    @Test("complaint 18: deleting a set applies the rules to mandatory relationships, or throws before it writes")
    func mandatoryInverses() throws {
        let context = try context(Parcel.self)
        let parcels = (1...3).map { Parcel(number: $0) }
        for parcel in parcels {
            context.insert(parcel)
            context.insert(ParcelLabel(parcel: parcel))
        }
        context.insert(Receipt(parcel: parcels[2]))
        try context.save()
        let fresh = ModelContext(context.container)
        try fresh.delete(model: Parcel.self)
        #expect(throws: SwiftDataError.modelValidationFailure) { try fresh.save() }
        #expect(try saved(context, Parcel.self).count == 3)
        #expect(try saved(context, ParcelLabel.self).count == 3)
        fresh.rollback()
        try fresh.delete(model: Parcel.self, where: #Predicate { $0.number < 3 })
        try fresh.save()
        #expect(try saved(context, Parcel.self).map(\.number) == [3])
        #expect(try saved(context, ParcelLabel.self).map(\.parcel.number) == [3])
        try fresh.delete(model: Receipt.self)
        try fresh.delete(model: Parcel.self)
        try fresh.save()
        #expect(try saved(context, Parcel.self).isEmpty)
        #expect(try saved(context, ParcelLabel.self).isEmpty)
    }

    @Test("complaint 19: what no store answers is refused before a row is read, with its name")
    func refusedPredicates() throws {
        let context = try context(Trip.self)
        func refusal(_ body: () throws -> Void) -> String {
            do {
                try body()
                return "nothing"
            } catch {
                return "\(error)"
            }
        }
        // The store is empty: no row could fail.
        let computed = #Predicate<Trip> { $0.isOpenText == "x" }
        let transient = #Predicate<Trip> { $0.name == "A" && $0.isOpen }
        // Swift has no name for a computed property, but for its class.
        #expect(refusal { _ = try context.fetch(FetchDescriptor(predicate: computed)) }.contains("Trip.<computed"))
        #expect(refusal { _ = try context.fetchCount(FetchDescriptor(predicate: transient)) }.contains("isOpen"))
        #expect(refusal { try context.delete(model: Trip.self, where: transient) }.contains("isOpen"))
        let order = FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.isOpenText)])
        #expect(refusal { _ = try context.fetch(order) }.contains("Trip.<computed"))
        #expect(refusal { _ = try context.fetch(FetchDescriptor<Trip>()) } == "nothing")
    }
}

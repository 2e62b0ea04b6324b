import Foundation
import SwiftData
import Testing

@Model
final class Box {
    var name: String
    var size: Int = 0
    @Relationship(deleteRule: .cascade, inverse: \Toy.box) var toys: [Toy] = []
    @Relationship(deleteRule: .deny, inverse: \Seal.box) var seals: [Seal] = []

    init(name: String, size: Int) {
        self.name = name
        self.size = size
    }
}

@Model
final class Toy {
    var name: String
    var box: Box?
    @Relationship(inverse: \Child.favourite) var fans: [Child] = []

    init(name: String) { self.name = name }
}

@Model
final class Seal {
    var box: Box?
    init() {}
}

@Model
final class Child {
    var name: String
    var favourite: Toy?

    init(name: String) { self.name = name }
}

@Suite("Models that meet a predicate are deleted as a set")
struct SetDeletionTests {
    let container: ModelContainer

    init() throws {
        let memory = ModelConfiguration(isStoredInMemoryOnly: true)
        container = try ModelContainer(for: Box.self, configurations: memory)
        let context = ModelContext(container)
        for size in 1...4 {
            let box = Box(name: "\(size)", size: size)
            box.toys = [Toy(name: "a\(size)"), Toy(name: "b\(size)")]
            if size == 4 { box.seals = [Seal()] }
            let child = Child(name: "c\(size)")
            child.favourite = box.toys.first
            context.insert(box)
            context.insert(child)
        }
        try context.save()
    }

    private func names() throws -> [String] {
        try ModelContext(container).fetch(FetchDescriptor<Box>(sortBy: [SortDescriptor(\.size)])).map(\.name)
    }

    @Test("rules cascade and nullify, and the history has one transaction")
    func set() throws {
        let context = ModelContext(container)
        let before = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count
        context.author = "cleaner"
        try context.delete(model: Box.self, where: #Predicate { $0.size < 3 })
        #expect(context.hasChanges)
        #expect(try names().count == 4)
        try context.save()
        #expect(!context.hasChanges)
        #expect(try names() == ["3", "4"])
        let other = ModelContext(container)
        #expect(try other.fetchCount(FetchDescriptor<Toy>()) == 4)
        let children = try other.fetch(FetchDescriptor<Child>(sortBy: [SortDescriptor(\.name)]))
        #expect(children.map { $0.favourite == nil } == [true, true, false, false])
        let history = try other.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        #expect(history.count == before + 1)
        #expect(history.last?.author == "cleaner")
    }

    @Test("several deletions by predicate, with other changes or without, are one transaction")
    func oneTransaction() throws {
        let context = ModelContext(container)
        func transactions() throws -> [DefaultHistoryTransaction] {
            try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        }
        let before = try transactions().count
        try context.delete(model: Box.self, where: #Predicate { $0.size == 1 })
        try context.delete(model: Child.self, where: #Predicate { $0.name == "c4" })
        try context.save()
        #expect(try transactions().count == before + 1)
        // Deleted: a box, its two toys, a child. Changed: a child that lost its favourite, a toy that lost its fan.
        let entities = try transactions().last?.changes.map { $0.changedPersistentIdentifier.entityName } ?? []
        #expect(entities.sorted() == ["Box", "Child", "Child", "Toy", "Toy", "Toy"])
        try context.delete(model: Box.self, where: #Predicate { $0.size == 2 })
        context.insert(Box(name: "9", size: 9))
        try context.save()
        #expect(try transactions().count == before + 2)
        #expect(try names() == ["3", "4", "9"])
    }

    @Test("a rule that denies makes the save throw, and nothing is deleted")
    func denied() throws {
        let context = ModelContext(container)
        try context.delete(model: Box.self)
        #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
        #expect(try names() == ["1", "2", "3", "4"])
        context.rollback()
        #expect(!context.hasChanges)
        try context.save()
        try context.delete(model: Seal.self)
        try context.save()
        try context.delete(model: Box.self)
        try context.save()
        #expect(try names() == [])
    }

    @Test("a fetch before the save does not find them, and one without unsaved changes does")
    func fetchBefore() throws {
        let context = ModelContext(container)
        try context.delete(model: Box.self, where: #Predicate { $0.size == 1 })
        var descriptor = FetchDescriptor<Box>()
        descriptor.includePendingChanges = false
        #expect(try context.fetchCount(descriptor) == 4)
        #expect(try context.fetchCount(FetchDescriptor<Box>()) == 3)
        #expect(context.deletedModelsArray.count == 3)
        try context.save()
        #expect(try names() == ["2", "3", "4"])
    }

    @Test("an undo manager takes a deletion by predicate back, before the save and after it", arguments: [true, false])
    func undone(isSaved: Bool) throws {
        let context = ModelContext(container)
        let manager = UndoManager()
        manager.groupsByEvent = false
        context.undoManager = manager
        try context.delete(model: Box.self, where: #Predicate { $0.size == 1 })
        if isSaved { try context.save() }
        manager.undo()
        try context.save()
        #expect(try names() == ["1", "2", "3", "4"])
    }

    @Test("a model that came into use after its deletion by predicate keeps its last values")
    func usedBeforeSave() throws {
        let context = ModelContext(container)
        let first = FetchDescriptor<Toy>(predicate: #Predicate { $0.name == "a1" })
        let identifier = try #require(try context.fetchIdentifiers(first).first)
        try context.delete(model: Toy.self, where: #Predicate { $0.name == "a1" })
        #expect(context.existingModel(for: identifier) == nil)
        let toy = try #require(context.model(for: identifier) as? Toy)
        #expect(toy.isDeleted)
        try context.save()
        #expect(toy.isDeleted)
        #expect(toy.name == "a1")
    }

    @Test("a model in use leads to none that a deletion by predicate takes, before the save and after it")
    func nullifiedInUse() throws {
        let context = ModelContext(container)
        let children = try context.fetch(FetchDescriptor<Child>(sortBy: [SortDescriptor(\.name)]))
        try context.delete(model: Toy.self, where: #Predicate { $0.name == "a1" })
        #expect(children.map { $0.favourite?.name } == [nil, "a2", "a3", "a4"])
        try context.save()
        #expect(children.map { $0.favourite?.name } == [nil, "a2", "a3", "a4"])
        #expect(children[0].hasChanges == false)
    }

    @Test("with other changes in the save, all is saved or nothing")
    func mixed() throws {
        let context = ModelContext(container)
        try context.delete(model: Box.self, where: #Predicate { $0.size == 1 })
        context.insert(Box(name: "5", size: 5))
        try context.save()
        #expect(try names() == ["2", "3", "4", "5"])
        try context.delete(model: Box.self)
        context.insert(Box(name: "6", size: 6))
        #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
        #expect(try names() == ["2", "3", "4", "5"])
    }

    @Test("models in use are deleted at once, those of other contexts when they are next used")
    func modelsInUse() throws {
        let (context, other) = (ModelContext(container), ModelContext(container))
        let mine = try #require(try context.fetch(FetchDescriptor<Box>(sortBy: [SortDescriptor(\.size)])).first)
        let theirs = try other.fetch(FetchDescriptor<Box>(sortBy: [SortDescriptor(\.size)]))
        #expect(theirs.map(\.name) == ["1", "2", "3", "4"])
        let child = try #require(try other.fetch(FetchDescriptor<Child>(sortBy: [SortDescriptor(\.name)])).first)
        #expect(child.favourite?.name.isEmpty == false)
        try context.delete(model: Box.self, where: #Predicate { $0.size == 1 })
        #expect(mine.isDeleted)
        try context.save()
        #expect(mine.name == "1")
        let third = ModelContext(container)
        try third.delete(model: Box.self, where: #Predicate { $0.size == 2 })
        try third.save()
        #expect(try other.fetchCount(FetchDescriptor<Box>()) == 2)
        #expect(theirs[0].isDeleted && theirs[1].isDeleted)
        #expect(theirs[1].name == "2")
        #expect(child.favourite == nil)
    }

    @Test("a predicate that no store answers is refused at once")
    func refused() throws {
        let context = ModelContext(container)
        #expect(throws: SwiftDataError.unsupportedPredicate) {
            try context.delete(model: Box.self, where: #Predicate { $0.name.isEmpty && $0.hashValue == 1 })
        }
        #expect(!context.hasChanges)
    }

    @Test("a class without its subclasses, or with them")
    func subclasses() throws {
        let zoo = try Zoo.sample(), context = ModelContext(zoo.container)
        try context.delete(model: Creature.self, includeSubclasses: false)
        try context.save()
        #expect(Set(try ModelContext(zoo.container).fetch(FetchDescriptor<Creature>()).map(\.name)) == ["Tit", "Eel"])
        let last = ModelContext(zoo.container)
        try last.delete(model: Creature.self)
        try last.save()
        #expect(try ModelContext(zoo.container).fetchCount(FetchDescriptor<Creature>()) == 0)
    }
}

@Suite("Sets of deletions that wait for a save, and what comes before it")
struct WaitingDeletionTests {
    struct Failure: Error {}
    let container: ModelContainer
    let context: ModelContext

    init() throws {
        container = try ModelContainer(for: Trip.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let first = ModelContext(container)
        for name in ["A", "B"] { first.insert(Trip(name: name)) }
        try first.save()
        // Nobody has a model in this one: deletions wait as requests.
        context = ModelContext(container)
    }

    private func names() throws -> [String] {
        try ModelContext(container).fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)])).map(\.name)
    }

    @Test("models that are inserted after a deletion of all are not among those that it deletes")
    func replaceAll() throws {
        try context.delete(model: Trip.self)
        context.insert(Trip(name: "C"))
        context.insert(Trip(name: "D"))
        try context.save()
        #expect(try names() == ["C", "D"])
    }

    @Test("nor if a fetch comes before the save")
    func replaceAllAndFetch() throws {
        try context.delete(model: Trip.self, where: #Predicate { $0.days == 1 })
        context.insert(Trip(name: "C"))
        #expect(try context.fetch(FetchDescriptor<Trip>()).map(\.name) == ["C"])
        try context.save()
        #expect(try names() == ["C"])
    }

    @Test("a transaction that throws deletes nothing with the next save")
    func transaction() throws {
        #expect(throws: Failure.self) {
            try context.transaction {
                try context.delete(model: Trip.self)
                throw Failure()
            }
        }
        #expect(!context.hasChanges)
        try context.save()
        #expect(try names() == ["A", "B"])
    }

    @Test("a deletion from before a transaction that throws is unsaved again")
    func before() throws {
        try context.delete(model: Trip.self)
        #expect(throws: Failure.self) {
            try context.transaction {
                _ = try context.fetchCount(FetchDescriptor<Trip>())
                throw Failure()
            }
        }
        #expect(context.hasChanges)
        try context.save()
        #expect(try names() == [])
    }

    @Test("an observer of results shows none that a set of deletions takes")
    func observer() throws {
        let observer = try ResultsObserver<Trip, Never>(modelContext: context)
        try context.delete(model: Trip.self)
        #expect(observer.results.isEmpty)
    }
}

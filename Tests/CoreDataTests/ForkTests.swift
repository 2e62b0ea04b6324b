import CoreData
import Synchronization
import TestSupport
import Testing

/// `NSPersistentContainer.fork()`: a store for each test from a fixture.
@Suite("A fork of a container")
struct ForkTests {
    private let directory = try? TemporaryDirectory()

    /// A container with boxes 0 … 9, in memory or in a file.
    private func fixture(_ type: String = NSInMemoryStoreType, options: [String: NSObject] = [:]) throws
        -> NSPersistentContainer
    {
        let container = BoxContainer(name: "Boxes", managedObjectModel: Boxes.model)
        let url = type == NSInMemoryStoreType ? nil : try #require(directory).file("Boxes.sqlite")
        container.persistentStoreDescriptions = [Boxes.description(type, url, options: options)]
        try container.load()
        try container.insert(0..<10)
        return container
    }

    @Test("has the saved objects, and neither sees what the other saves", arguments: [
        NSInMemoryStoreType, NSSQLiteStoreType,
    ])
    func independent(type: String) throws {
        let source = try fixture(type)
        let unsaved = source.newBackgroundContext()
        unsaved.performAndWait { _ = Boxes.box(99, in: unsaved) }
        let fork = try source.fork()
        #expect(try fork.numbers() == Array(0..<10))
        try fork.insert([10])
        try source.insert([20, 21])
        #expect(try fork.numbers() == Array(0...10))
        #expect(try source.numbers() == Array(0..<10) + [20, 21])
        #expect(fork.persistentStoreCoordinator.persistentStores.map(\.type) == [type])
        let url = try #require(fork.persistentStoreDescriptions.first?.url)
        #expect(url.path.hasPrefix("/dev/null/"))
    }

    @Test("is of the container's class, with its name, model, options and the settings of its context")
    func settings() throws {
        let options = [NSPersistentHistoryTrackingKey: true as NSNumber, NSReadOnlyPersistentStoreOption: false]
        let source = try fixture(NSSQLiteStoreType, options: options)
        let view = source.viewContext
        view.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
        view.automaticallyMergesChangesFromParent = true
        (view.transactionAuthor, view.name, view.undoManager) = ("test", "view", UndoManager())
        let fork = try source.fork()
        #expect(type(of: fork) == BoxContainer.self)
        #expect(fork.name == "Boxes" && fork.managedObjectModel === source.managedObjectModel)
        let store = try #require(fork.persistentStoreCoordinator.persistentStores.first)
        #expect(store.options?[NSPersistentHistoryTrackingKey] as? Bool == true)
        #expect(fork.viewContext.mergePolicy as? NSMergePolicy == .mergeByPropertyObjectTrump)
        #expect(fork.viewContext.automaticallyMergesChangesFromParent)
        #expect(fork.viewContext.transactionAuthor == "test" && fork.viewContext.name == "view")
        #expect(fork.viewContext.undoManager != nil && fork.viewContext.undoManager !== view.undoManager)
    }

    @Test("of a store that is opened for reading only can be written")
    func readOnly() throws {
        _ = try fixture(NSSQLiteStoreType)
        let reader = NSPersistentContainer(name: "Boxes", managedObjectModel: Boxes.model)
        let description = Boxes.description(NSSQLiteStoreType, try #require(directory).file("Boxes.sqlite"))
        description.isReadOnly = true
        reader.persistentStoreDescriptions = [description]
        try reader.load()
        let fork = try reader.fork()
        try fork.insert([10])
        #expect(try fork.numbers() == Array(0...10))
        #expect(try reader.numbers() == Array(0..<10))
    }

    @Test("resolves object IDs and URIs of the original, and gives new objects the keys that follow")
    func identities() throws {
        let source = try fixture()
        let id = try source.ids()[3]
        let fork = try source.fork()
        let coordinator = fork.persistentStoreCoordinator
        let own = try #require(coordinator.managedObjectID(forURIRepresentation: id.uriRepresentation()))
        #expect(own.uriRepresentation() == id.uriRepresentation())
        let context = fork.newBackgroundContext()
        context.performAndWait {
            #expect((try? context.existingObject(with: own))?.value(forKey: "number") as? Int == 3)
            #expect(context.object(with: id).value(forKey: "number") as? Int == 3)
            #expect(context.object(with: id).objectID.persistentStore === coordinator.persistentStores.first)
        }
        try fork.insert([10])
        try source.insert([20])
        #expect(Set(try fork.ids()).count == 11)
        #expect(try fork.ids().last?.uriRepresentation() == source.ids().last?.uriRepresentation())
    }

    @Test("keeps the history: the original's tokens say what came after them")
    func history() throws {
        let source = try fixture(NSSQLiteStoreType, options: [NSPersistentHistoryTrackingKey: true as NSNumber])
        let token = source.persistentStoreCoordinator.currentPersistentHistoryToken(fromStores: nil)
        try source.insert([10])
        let fork = try source.fork()
        try fork.insert([11])
        let context = fork.newBackgroundContext()
        let transactions = try context.performAndWait {
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
            let result = try context.execute(request) as? NSPersistentHistoryResult
            return result?.result as? [NSPersistentHistoryTransaction] ?? []
        }
        #expect(transactions.count == 2)
        let past = try fork.newContext(asOf: .token(try #require(token)))
        let count = try past.performAndWait { try past.count(for: Boxes.request) }
        #expect(count == 10)
    }

    @Test("forks, and stays when the original is gone")
    func forks() throws {
        var source: NSPersistentContainer? = try fixture()
        weak let coordinator = source?.persistentStoreCoordinator
        let first = try #require(try source?.fork())
        try first.insert([10])
        let second = try first.fork()
        try second.insert([11])
        source = nil
        #expect(coordinator == nil)
        #expect(try first.numbers() == Array(0...10))
        #expect(try second.numbers() == Array(0...11))
    }

    @Test("copies every store of several, each with its configuration")
    func severalStores() throws {
        let model = Boxes.makeModel()
        model.setEntities([try #require(model.entitiesByName["Box"])], forConfigurationName: "A")
        model.setEntities([try #require(model.entitiesByName["Crate"])], forConfigurationName: "B")
        let source = NSPersistentContainer(name: "Boxes", managedObjectModel: model)
        source.persistentStoreDescriptions = ["A", "B"].map { name in
            let description = Boxes.description(NSInMemoryStoreType, nil)
            description.configuration = name
            return description
        }
        try source.load()
        try source.insert(0..<3)
        try source.insert(3..<5, "Crate")
        let fork = try source.fork()
        try fork.insert([5], "Crate")
        #expect(try fork.numbers() == [0, 1, 2])
        #expect(try fork.numbers("Crate") == [3, 4, 5])
        let stores = fork.persistentStoreCoordinator.persistentStores
        #expect(stores.map(\.configurationName) == ["A", "B"])
    }

    @Test("has large values that are in files of their own")
    func largeValues() throws {
        let source = try fixture(NSSQLiteStoreType)
        let large = Data(repeating: 7, count: 300_000)
        try source.insert([10], content: large)
        let fork = try source.fork()
        let again = try fork.fork()
        for container in [fork, again] {
            let context = container.newBackgroundContext()
            try context.performAndWait {
                let id = try #require(try container.ids().last)
                #expect(context.object(with: id).value(forKey: "content") as? Data == large)
            }
        }
    }

    @Test("has the constraints of the original, with the values that its rows have")
    func constraints() throws {
        let source = try fixture()
        let fork = try source.fork()
        let error = #expect(throws: NSError.self) { try fork.insert([3]) }
        #expect(error?.code == NSManagedObjectConstraintMergeError)
        try fork.insert([10])
        try source.insert([10])
    }

    @Test("is made by several threads while the original saves, and has what one save left")
    func threads() throws {
        let source = try fixture()
        let counts = Mutex<[Int]>([])
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for step in 0..<10 {
                if thread < 2 {
                    // Three at a time: no fork may have a part of a save.
                    let first = 100 + (thread * 10 + step) * 3
                    #expect(throws: Never.self) { try source.insert(first..<first + 3) }
                } else if let fork = try? source.fork(), let count = try? fork.numbers().count {
                    counts.withLock { $0.append(count) }
                }
            }
        }
        let known = counts.withLock { $0 }
        #expect(known.count == 60)
        #expect(known.allSatisfy { ($0 - 10) % 3 == 0 })
        #expect(try source.fork().numbers().count == 70)
    }

    @Test("of a store in memory that several coordinators share has what each saved")
    func sharedInMemory() throws {
        let url = URL(fileURLWithPath: "/dev/null/\(UUID().uuidString)")
        let containers = try (0..<2).map { _ in
            let container = NSPersistentContainer(name: "Boxes", managedObjectModel: Boxes.model)
            container.persistentStoreDescriptions = [Boxes.description(NSSQLiteStoreType, url)]
            try container.load()
            return container
        }
        try containers[0].insert([1])
        try containers[1].insert([2])
        #expect(try containers[0].fork().numbers() == [1, 2])
    }

    @Test("can be opened by a second coordinator at its URL, as long as it is open")
    func secondCoordinator() throws {
        let fork = try fixture(NSSQLiteStoreType).fork()
        let second = NSPersistentContainer(name: "Boxes", managedObjectModel: Boxes.makeModel())
        second.persistentStoreDescriptions = fork.persistentStoreDescriptions
        try second.load()
        try second.insert([10])
        #expect(try fork.numbers() == Array(0...10))
    }

    @Test("gives its memory back when it goes")
    func memory() throws {
        let source = try fixture(NSSQLiteStoreType)
        weak var coordinator: NSPersistentStoreCoordinator?
        var description: NSPersistentStoreDescription?
        do {
            let fork = try source.fork()
            try fork.insert([10])
            coordinator = fork.persistentStoreCoordinator
            description = fork.persistentStoreDescriptions.first
        }
        #expect(coordinator == nil)
        // Nothing has the name any more: the store there is a new one.
        let next = NSPersistentContainer(name: "Boxes", managedObjectModel: Boxes.model)
        next.persistentStoreDescriptions = [try #require(description)]
        try next.load()
        #expect(try next.numbers() == [])
    }

    @Test("of a store without a log is refused, and says what to do")
    func refused() throws {
        let source = try fixture(NSSQLiteStoreType)
        let url = try #require(directory).file("Boxes.binary")
        let store = try #require(source.persistentStoreCoordinator.persistentStores.first)
        _ = try source.persistentStoreCoordinator.migratePersistentStore(
            store, to: url, options: nil, withType: NSBinaryStoreType)
        let error = #expect(throws: NSError.self) { _ = try source.fork() }
        #expect(error?.localizedDescription.contains("keeps no log") == true)
    }

    @Test("of a coordinator is a coordinator")
    func coordinator() throws {
        let source = try fixture()
        let coordinator = try source.persistentStoreCoordinator.fork()
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        let count = try context.performAndWait { try context.count(for: Boxes.request) }
        #expect(count == 10)
    }
}

final class BoxContainer: NSPersistentContainer, @unchecked Sendable {}

/// Boxes and crates with a number, of which a box's is unique.
enum Boxes {
    static let model = makeModel()

    static var request: NSFetchRequest<NSManagedObject> { NSFetchRequest(entityName: "Box") }

    static func makeModel() -> NSManagedObjectModel {
        let model = NSManagedObjectModel()
        model.entities = ["Box", "Crate"].map { name in
            let entity = NSEntityDescription()
            entity.name = name
            let number = NSAttributeDescription()
            (number.name, number.attributeType) = ("number", .integer64AttributeType)
            let content = NSAttributeDescription()
            (content.name, content.attributeType) = ("content", .binaryDataAttributeType)
            content.allowsExternalBinaryDataStorage = true
            content.isOptional = true
            entity.properties = [number, content]
            if name == "Box" { entity.uniquenessConstraints = [["number"]] }
            return entity
        }
        return model
    }

    static func description(
        _ type: String, _ url: URL?, options: [String: NSObject] = [:]
    ) -> NSPersistentStoreDescription {
        let description = NSPersistentStoreDescription()
        description.type = type
        if let url { description.url = url }
        for (key, value) in options { description.setOption(value, forKey: key) }
        return description
    }

    @discardableResult
    static func box(
        _ number: Int, _ entity: String = "Box", content: Data? = nil, in context: NSManagedObjectContext
    ) -> NSManagedObject {
        let box = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        box.setValue(number, forKey: "number")
        box.setValue(content, forKey: "content")
        return box
    }
}

extension NSPersistentContainer {
    /// Opens the stores; throws the first error.
    func load() throws {
        var failure: (any Error)?
        loadPersistentStores { failure = failure ?? $1 }
        if let failure { throw failure }
    }

    /// Saves new boxes with these numbers.
    func insert(_ numbers: some Sequence<Int>, _ entity: String = "Box", content: Data? = nil) throws {
        let context = newBackgroundContext()
        try context.performAndWait {
            for number in numbers { Boxes.box(number, entity, content: content, in: context) }
            try context.save()
        }
    }

    /// The numbers of the boxes, in ascending order.
    func numbers(_ entity: String = "Box") throws -> [Int] {
        try read(entity) { $0.value(forKey: "number") as? Int }
    }

    /// The boxes' IDs, by number.
    func ids() throws -> [NSManagedObjectID] { try read("Box", \.objectID) }

    private func read<Value>(_ entity: String, _ value: (NSManagedObject) -> Value?) throws -> [Value] {
        let context = newBackgroundContext()
        return try context.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: entity)
            request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
            return try context.fetch(request).compactMap(value)
        }
    }
}

import Firn
import Foundation
import StoreSupport
import TestSupport
import Testing

/// Random change batches on controllers of many shapes, from a seed that a failure prints. `FIRN_RESULT_BATCHES` sets
/// how many there are.
@Suite("Fetched results under random changes")
struct RandomResultsTests {
    private static let batches =
        ProcessInfo.processInfo.environment["FIRN_RESULT_BATCHES"].flatMap(Int.init) ?? 250

    /// The place that the controllers' context reads from.
    enum Source: CaseIterable {
        case memory, disk, parent
    }

    @Test(
        "the old list with the reported changes applied is what a fresh fetch finds, after every batch",
        arguments: Source.allCases)
    func randomBatches(_ source: Source) throws {
        var run = try Run(SeededGenerator(), source)
        for batch in 0..<Self.batches {
            let edits = try run.change()
            try run.check("\(run.generator), \(source), batch \(batch): \(edits.joined(separator: ", "))")
        }
    }

    /// A controller and the lists that its reports make.
    private struct Watched {
        let name: String
        let controller: NSFetchedResultsController<NSManagedObject>
        let singly: ListWitness
        /// Told in differences, if there are no sections.
        let differences: (controller: NSFetchedResultsController<NSManagedObject>, witness: DifferenceWitness)?

        init(
            _ name: String, _ context: NSManagedObjectContext, _ entity: String, _ predicate: String?,
            _ sort: [(String, Bool)], section: String? = nil,
            _ configure: (NSFetchRequest<NSManagedObject>) -> Void = { _ in }
        ) throws {
            func make() throws -> NSFetchedResultsController<NSManagedObject> {
                let request = NSFetchRequest<NSManagedObject>(entityName: entity)
                request.predicate = predicate.map { NSPredicate(format: $0) }
                request.sortDescriptors = sort.map { NSSortDescriptor(key: $0, ascending: $1) }
                configure(request)
                return NSFetchedResultsController(
                    fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: section,
                    cacheName: nil)
            }
            self.name = name
            controller = try make()
            singly = ListWitness()
            controller.delegate = singly
            try controller.performFetch()
            singly.start(controller)
            guard section == nil else {
                differences = nil
                return
            }
            let second = try make()
            let witness = DifferenceWitness()
            second.delegate = witness
            try second.performFetch()
            witness.objects = second.fetchedObjects ?? []
            differences = (second, witness)
        }
    }

    private struct Run {
        let context: NSManagedObjectContext
        let other: NSManagedObjectContext
        var generator: SeededGenerator
        private let watched: [Watched]
        private let merging: any NSObjectProtocol
        private let directory: TemporaryDirectory

        init(_ generator: SeededGenerator, _ source: Source) throws {
            directory = try TemporaryDirectory()
            let coordinator = try source == .memory ? Library.inMemory() : Library.onDisk(directory)
            other = coordinator.context()
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            if source == .parent { context.parent = other } else { context.persistentStoreCoordinator = coordinator }
            self.context = context
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            other.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            context.undoManager = FirnFoundation.UndoManager()
            context.undoManager?.groupsByEvent = false
            self.generator = generator
            merging = NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextDidSave, object: other, queue: nil
            ) { context.mergeChanges(fromContextDidSave: $0) }
            watched = [
                try Watched("plain", context, "Author", nil, [("name", true)]),
                try Watched("filtered", context, "Author", "age > 3", [("age", false), ("name", true)]),
                try Watched("sections", context, "Author", "age < 8", [("age", true), ("name", false)], section: "age"),
                try Watched("falling", context, "Author", nil, [("age", false), ("name", true)], section: "age"),
                try Watched("poets", context, "Poet", "name != nil", [("name", true)]),
                try Watched("authors only", context, "Author", nil, [("name", true)]) {
                    $0.includesSubentities = false
                },
                try Watched("window", context, "Author", "age > 1", [("name", true)]) {
                    ($0.fetchLimit, $0.fetchOffset) = (5, 2)
                },
                try Watched("related", context, "Book", "author.age > 2", [("author.name", true), ("title", true)]),
                try Watched("links", context, "Book", "tags.@count > 0", [("title", true)], section: "title"),
            ]
        }

        /// Some edits, and the end of the event.
        mutating func change() throws -> [String] {
            let manager = context.undoManager
            if let manager, manager.canUndo || manager.canRedo, Int.random(in: 0..<5, using: &generator) == 0 {
                let isUndo = manager.canUndo && (!manager.canRedo || Bool.random(using: &generator))
                isUndo ? context.undo() : context.redo()
                context.processPendingChanges()
                return [isUndo ? "undo" : "redo"]
            }
            var edits: [String] = []
            manager?.beginUndoGrouping()
            // A rollback ends the group.
            defer { if let manager, manager.groupingLevel > 0 { manager.endUndoGrouping() } }
            for _ in 0..<Int.random(in: 1...8, using: &generator) {
                edits.append(try edit(Int.random(in: 0..<26, using: &generator), context))
            }
            context.processPendingChanges()
            return edits
        }

        private mutating func edit(_ choice: Int, _ context: NSManagedObjectContext) throws -> String {
            switch choice {
            case 0...3: return try isFull(context) ? delete(context) : insert(context)
            case 4...7: return try set("age", Int.random(in: 0..<10, using: &generator), "Author", context)
            case 8...11: return try set("name", name(), "Author", context)
            case 12: return try set("title", name(), "Book", context)
            case 13...14: return try set("author", try some("Author", context), "Book", context)
            case 15:
                let tags = try [some("Tag", context), some("Tag", context)].compactMap { $0 }
                return try set("tags", Set(tags), "Book", context)
            case 16...18: return try delete(context)
            case 19:
                guard let author = try some("Author", context) else { return "" }
                context.refresh(author, mergeChanges: Bool.random(using: &generator))
                return "refresh"
            case 20:
                context.rollback()
                return "rollback"
            case 21 where context === self.context:
                try context.save()
                // A child is not told that its parent deletes what neither of them has saved.
                try other.save()
                var edits: [String] = []
                for _ in 0..<3 { edits.append(try edit(Int.random(in: 0..<19, using: &generator), other)) }
                try other.save()
                return "elsewhere (\(edits.joined(separator: ", ")))"
            case 22 where context === self.context: return try changeMany()
            default:
                try context.save()
                return "save"
            }
        }

        /// A batch request changes or deletes rows; the contexts are told.
        private mutating func changeMany() throws -> String {
            try context.save()
            try other.save()
            let (deletes, age) = (Bool.random(using: &generator), Int.random(in: 0..<10, using: &generator))
            let changes: [AnyHashable: Any]
            if deletes {
                let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
                request.predicate = NSPredicate(format: "author.age == %d", age)
                let batch = NSBatchDeleteRequest(fetchRequest: request)
                batch.resultType = .resultTypeObjectIDs
                let result = try other.execute(batch) as? NSBatchDeleteResult
                changes = [NSDeletedObjectsKey: result?.result ?? []]
            } else {
                let batch = NSBatchUpdateRequest(entityName: "Author")
                batch.predicate = NSPredicate(format: "age == %d", age)
                batch.propertiesToUpdate = ["age": Int.random(in: 0..<10, using: &generator)]
                batch.resultType = .updatedObjectIDsResultType
                let result = try other.execute(batch) as? NSBatchUpdateResult
                changes = [NSUpdatedObjectsKey: result?.result ?? []]
            }
            NSManagedObjectContext.mergeChanges(fromRemoteContextSave: changes, into: [other, context])
            return "\(deletes ? "deletion" : "ages") by a batch, where the age is \(age)"
        }

        private mutating func name() -> String? {
            Int.random(in: 0..<8, using: &generator) == 0
                ? nil : ["a", "B", "b", "é", "ab", "zz", "Ω", "10", "9"].randomElement(using: &generator)
        }

        /// Each batch is compared with fresh fetches of all there is, so that there must not be ever more.
        private func isFull(_ context: NSManagedObjectContext) throws -> Bool {
            try ["Author", "Book", "Tag"].contains {
                try context.count(for: NSFetchRequest<NSManagedObject>(entityName: $0)) > 60
            }
        }

        private mutating func insert(_ context: NSManagedObjectContext) -> String {
            let entity = ["Author", "Author", "Poet", "Book", "Tag"].randomElement(using: &generator) ?? "Author"
            let object = context.make(entity)
            switch entity {
            case "Book": object.setValue(name(), forKey: "title")
            case "Tag": break
            default:
                object.setValue(name(), forKey: "name")
                object.setValue(Int.random(in: 0..<10, using: &generator), forKey: "age")
            }
            return "insert \(entity)"
        }

        private mutating func some(_ entity: String, _ context: NSManagedObjectContext) throws -> NSManagedObject? {
            let all = try context.all(entity).sorted {
                $0.objectID.uriRepresentation().absoluteString < $1.objectID.uriRepresentation().absoluteString
            }
            return all.randomElement(using: &generator)
        }

        private mutating func set(
            _ key: String, _ value: Any?, _ entity: String, _ context: NSManagedObjectContext
        ) throws -> String {
            guard let object = try some(entity, context) else { return "" }
            object.setValue(value, forKey: key)
            return "\(key) of a \(entity)"
        }

        private mutating func delete(_ context: NSManagedObjectContext) throws -> String {
            let entity = ["Author", "Author", "Book", "Tag"].randomElement(using: &generator) ?? "Author"
            guard let object = try some(entity, context) else { return "" }
            context.delete(object)
            return "delete \(entity)"
        }

        /// Every list against a fresh fetch, and against what the controller itself says.
        func check(_ place: String) throws {
            for one in watched {
                let fresh = try context.fetch(one.controller.fetchRequest)
                let listed = one.controller.fetchedObjects ?? []
                try #require(listed == fresh, "\(place): \(one.name), fetched objects")
                try #require(
                    one.singly.sections == ListWitness.content(one.controller), "\(place): \(one.name), singly")
                if let told = one.differences {
                    try #require(told.witness.objects == fresh, "\(place): \(one.name), differences")
                }
                for (index, object) in listed.enumerated() {
                    guard let path = one.controller.indexPath(forObject: object) else {
                        Issue.record("\(place): \(one.name), no index path for object \(index)")
                        continue
                    }
                    try #require(one.controller.object(at: path) === object, "\(place): \(one.name), \(path)")
                }
            }
        }
    }
}

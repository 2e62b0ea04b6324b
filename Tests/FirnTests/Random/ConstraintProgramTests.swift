import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// Random saves of objects with unique values. `FIRN_SEED` sets the seed, `FIRN_OPERATIONS` how many steps there are in
/// all.
@Suite("Random programs with unique values")
struct ConstraintProgramTests {
    private static let operations = SeededGenerator.operations(usually: 1200)
    private static let programLength = 40
    private static let failureLimit = 5

    @Test("a save leaves no value twice, and shows what is stored", arguments: ConstraintProgram.policies.keys.sorted())
    func programs(policy: String) {
        let count = Self.operations / Self.programLength / ConstraintProgram.policies.count
        let failures = SeededGenerator().failures(in: count, atMost: Self.failureLimit) { generator in
            try ConstraintProgram(policy, generator).run(Self.programLength)
        }
        for failure in failures { Issue.record(failure) }
    }
}

/// Two contexts on one store whose entities have unique values, of one property, of two, and inherited ones.
final class ConstraintProgram {
    static let policies: [String: NSMergePolicy] = [
        "error": .error, "object trump": .mergeByPropertyObjectTrump, "store trump": .mergeByPropertyStoreTrump,
        "overwrite": .overwrite, "rollback": .rollback,
    ]
    private static let constraints = [["mail"], ["first", "last"]]
    private static let keys = ["mail", "first", "last", "city"]

    private var generator: SeededGenerator
    private let policy: String
    private let directory: TemporaryDirectory
    private let coordinator: NSPersistentStoreCoordinator
    private let contexts: [NSManagedObjectContext]
    /// The contexts that have read everything since the last save of the other one.
    private var fresh: Set<ObjectIdentifier> = []
    private var trace: [String] = []
    private var names: [ObjectIdentifier: String] = [:]
    private var count = 0

    init(_ policy: String, _ generator: SeededGenerator) throws {
        (self.policy, self.generator) = (policy, generator)
        directory = try TemporaryDirectory()
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model())
        _ = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: directory.file("Unique.sqlite"), options: nil)
        let coordinator = coordinator
        contexts = (0..<2).map { _ in
            let context = coordinator.context()
            context.mergePolicy = Self.policies[policy]!
            return context
        }
        fresh = Set(contexts.map(ObjectIdentifier.init))
    }

    private static func model() -> NSManagedObjectModel {
        let person = ModelSketch.entity("Person", keys.map { ModelSketch.attribute($0) })
        person.uniquenessConstraints = constraints
        let customer = ModelSketch.entity("Customer", [])
        person.subentities = [customer]
        let model = NSManagedObjectModel()
        model.entities = [person, customer]
        return model
    }

    func run(_ length: Int) throws {
        for _ in 0..<length {
            let context = pick(contexts)
            try context.performAndWait { try step(context) }
        }
        try contexts.forEach { context in try context.performAndWait { try save(context) } }
        let (present, rebuilt) = try StoredTables.dumps(directory.file("Unique.sqlite"))
        if present != rebuilt { throw failure("the tables are not those of the log") }
    }

    private func pick<C: Collection>(_ all: C) -> C.Element { all.randomElement(using: &generator)! }

    private func note(_ context: NSManagedObjectContext, _ text: String) {
        trace.append("context \(contexts.firstIndex(of: context)!): \(text)")
    }

    private func failure(_ text: String) -> GraphProgram.Mismatch {
        GraphProgram.Mismatch(
            description: "\(text)\n\(policy), \(generator): the program\n" + trace.joined(separator: "\n"))
    }

    private func step(_ context: NSManagedObjectContext) throws {
        let objects = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Person"))
        let object = objects.sorted { name($0) < name($1) }.randomElement(using: &generator)
        switch Int.random(in: 0..<12, using: &generator) {
        case 0..<4:
            let object = NSEntityDescription.insertNewObject(
                forEntityName: pick(["Person", "Customer"]), into: context)
            count += 1
            names[ObjectIdentifier(object)] = "\(count)"
            for key in Self.keys { object.setValue(value(key), forKey: key) }
            note(context, "insert \(text(object))")
        case 4..<7:
            guard let object else { return }
            let key = pick(Self.keys)
            let value = value(key)
            note(context, "set \(key) of \(text(object)) to \(value ?? "nil")")
            object.setValue(value, forKey: key)
        case 7:
            guard let object, let other = objects.filter({ $0 !== object }).randomElement(using: &generator) else {
                return
            }
            note(context, "swap the mail of \(text(object)) and \(text(other))")
            let mail = object.value(forKey: "mail")
            object.setValue(other.value(forKey: "mail"), forKey: "mail")
            other.setValue(mail, forKey: "mail")
        case 8:
            guard let object else { return }
            note(context, "delete \(text(object))")
            context.delete(object)
        case 9:
            note(context, "refresh")
            context.refreshAllObjects()
            fresh.insert(ObjectIdentifier(context))
        default: try save(context)
        }
    }

    private func value(_ key: String) -> String? {
        pick(key == "mail" ? [nil, "a", "b", "c", "d", "e", "f"] : [nil, "a", "b", "c"])
    }

    private func name(_ object: NSManagedObject) -> String {
        names[ObjectIdentifier(object)] ?? object.objectID.uriRepresentation().lastPathComponent
    }

    private func text(_ object: NSManagedObject) -> String {
        "\(name(object)) \(Self.values(object).map { $0 ?? "-" })"
    }

    private static func values(_ object: NSManagedObject) -> [String?] {
        keys.map { object.value(forKey: $0) as? String }
    }

    // MARK: - Saves

    private func save(_ context: NSManagedObjectContext) throws {
        note(context, "save")
        context.processPendingChanges()
        let before = try stored()
        let wanted = before.applying(context)
        let isFresh = fresh.contains(ObjectIdentifier(context))
        let hadChanges = context.hasChanges
        do { try context.save() } catch {
            let code = (error as NSError).code
            guard policy == "error" else { throw failure("\(policy) failed: \(error)") }
            if isFresh, code != NSManagedObjectConstraintMergeError || !wanted.hasDuplicates {
                throw failure("a save that leaves \(wanted) failed: \(error)")
            }
            if try stored() != before { throw failure("a save that failed wrote something") }
            note(context, "which fails: \(code). Roll back")
            context.rollback()
            context.refreshAllObjects()
            fresh.insert(ObjectIdentifier(context))
            return
        }
        let after = try stored()
        if after.hasDuplicates { throw failure("stored twice: \(after)") }
        if context.hasChanges { throw failure("the context still has changes") }
        if policy == "error", isFresh, after != wanted { throw failure("stored \(after), not \(wanted)") }
        if isFresh, !wanted.hasDuplicates, after != wanted { throw failure("stored \(after), not \(wanted)") }
        if hadChanges { fresh.subtract(contexts.filter { $0 !== context }.map(ObjectIdentifier.init)) }
        guard isFresh else { return }
        for object in context.registeredObjects where !object.isFault {
            let row = after.rows[object.objectID.uriRepresentation().lastPathComponent]
            if row != Self.values(object) { throw failure("shows \(text(object)), stored is \(row ?? [])") }
        }
        let shown = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Person")).map { object in
            (object.objectID.uriRepresentation().lastPathComponent, Self.values(object))
        }
        let rows = Dictionary(uniqueKeysWithValues: shown)
        if rows != after.rows { throw failure("fetches \(rows), stored is \(after)") }
    }

    private func stored() throws -> Stored {
        let reader = coordinator.context()
        return try reader.performAndWait {
            let all = try reader.fetch(NSFetchRequest<NSManagedObject>(entityName: "Person"))
            return Stored(
                rows: Dictionary(
                    uniqueKeysWithValues: all.map {
                        ($0.objectID.uriRepresentation().lastPathComponent, Self.values($0))
                    }))
        }
    }

    /// The rows of the store, by key.
    private struct Stored: Equatable {
        var rows: [String: [String?]]
        /// Rows that a save would add.
        var added: [[String?]] = []

        /// The rows after a save of all that the context has changed.
        func applying(_ context: NSManagedObjectContext) -> Stored {
            var result = self
            for object in context.updatedObjects {
                result.rows[object.objectID.uriRepresentation().lastPathComponent] = ConstraintProgram.values(object)
            }
            for object in context.deletedObjects {
                result.rows[object.objectID.uriRepresentation().lastPathComponent] = nil
            }
            result.added = context.insertedObjects.map(ConstraintProgram.values)
            return result
        }

        var hasDuplicates: Bool {
            [[0], [1, 2]].contains { columns in
                let values = (Array(rows.values) + added).compactMap { row -> [String]? in
                    let values = columns.compactMap { row[$0] }
                    return values.count == columns.count ? values : nil
                }
                return Set(values).count != values.count
            }
        }

        static func == (a: Stored, b: Stored) -> Bool {
            func sorted(_ stored: Stored) -> [String] {
                (Array(stored.rows.values) + stored.added).map { "\($0)" }.sorted()
            }
            return sorted(a) == sorted(b)
        }
    }
}

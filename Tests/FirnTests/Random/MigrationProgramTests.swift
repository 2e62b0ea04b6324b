import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// Random models that change at random under a store. `FIRN_SEED` sets the seed, `FIRN_OPERATIONS` how many versions
/// there are in all.
@Suite("Random programs in changing models")
struct MigrationProgramTests {
    private static let operations = SeededGenerator.operations(usually: 60)
    private static let programLength = 5
    private static let failureLimit = 10

    @Test("a migration keeps what both models have, says what it cannot, and leaves the past as it was")
    func programs() {
        let failures = SeededGenerator().failures(
            in: Self.operations / Self.programLength, atMost: Self.failureLimit
        ) { generator in try MigrationProgram(generator).run(Self.programLength) }
        for failure in failures { Issue.record(failure) }
    }
}

/// A store that is led from model to model, and edited under each.
final class MigrationProgram {
    private var generator: SeededGenerator
    private let store: MigratingStore
    private var schema: RandomSchema
    private var texts: [String] = []
    private var serial = 0
    private var states: [(state: StoreState, sequence: UInt64)] = []

    init(_ generator: SeededGenerator) throws {
        self.generator = generator
        schema = RandomSchema(generator)
        store = try MigratingStore()
    }

    private func failure(_ text: String) -> GraphProgram.Mismatch {
        GraphProgram.Mismatch(description: "\(generator): \(text)\n" + texts.joined(separator: "\n--\n"))
    }

    func run(_ count: Int) throws {
        do { try runVersions(count) } catch let error where !(error is GraphProgram.Mismatch) {
            throw failure("\(error)")
        }
    }

    private func runVersions(_ count: Int) throws {
        texts = [schema.text]
        try edit(schema.text)
        for _ in 1..<count {
            let next = nextSchema()
            let (old, new) = (schema.text, next.text)
            texts.append(new)
            if try migrate(old, new) { schema = next }
            try edit(schema.text)
        }
        try checkPast()
    }

    private func nextSchema() -> RandomSchema {
        var next = schema
        next.change()
        schema.generator = next.generator
        return next
    }

    /// Inserts, changes and deletes objects.
    private func edit(_ text: String) throws {
        let model = try ModelText.model(text)
        serial += 100
        var objects = RandomObjects(generator, countOfEntity: 2, serial: serial)
        var generator = SeededGenerator(seed: generator.next())
        let state = try store.with(model) { context in
            objects.fill(context, model)
            let all = try model.entities.flatMap { try context.all($0.name!) }.sorted {
                StoreState.name($0) < StoreState.name($1)
            }
            let gone = Set(all.filter { _ in Int.random(in: 0..<6, using: &generator) == 0 })
            for object in all where !gone.contains(object) { Self.leave(gone, object) }
            gone.forEach(context.delete)
        }
        states.append((state, try StoredTables.head(store.url).rawValue))
    }

    /// Takes an object's references away to what is deleted, where no inverse does it.
    private static func leave(_ gone: Set<NSManagedObject>, _ object: NSManagedObject) {
        for (name, relationship) in object.entity.relationshipsByName where relationship.inverseRelationship == nil {
            if let target = object.value(forKey: name) as? NSManagedObject, gone.contains(target) {
                object.setValue(nil, forKey: name)
            } else if let members = object.value(forKey: name) as? NSOrderedSet {
                let kept = members.array.filter { ($0 as? NSManagedObject).map { !gone.contains($0) } ?? true }
                object.setValue(NSOrderedSet(array: kept), forKey: name)
            } else if let members = object.value(forKey: name) as? Set<NSManagedObject> {
                object.setValue(members.subtracting(gone), forKey: name)
            }
        }
    }

    /// Opens the store with the new model, and says whether it has that now.
    private func migrate(_ old: String, _ new: String) throws -> Bool {
        let (oldModel, newModel) = (try ModelText.model(old), try ModelText.model(new))
        let before = states[states.count - 1].state
        let problems = MappingInference(ModelMatching(from: oldModel, to: newModel)).problems
        // Renaming identifiers are no part of a model's hash: without another change there is no migration.
        let isSame = oldModel.entityVersionHashesByName == newModel.entityVersionHashesByName
        let expected = ExpectedState(before, from: oldModel, to: newModel)
        var refusal: String?
        let copy = isSame || !problems.isEmpty || expected.hasMisplacedObjects ? nil : try copy(oldModel, newModel)
        do {
            let after = try store.with(newModel)
            let (found, made) = (copy?.contents(newModel, expected), after.contents(newModel, expected))
            if let found, found != made {
                let only = [(found, made), (made, found)].map { one, other in one.filter { other[$0.key] != $0.value } }
                throw failure("migrated one by one, the objects are \(only[0].keys), not \(only[1].keys)")
            }
            // A mandatory attribute needs no default where each object has a value.
            let unmet = problems.filter { $0.kind != .missingDefault || after.lacksValue($0, newModel) }
            if !unmet.isEmpty, !isSame { throw failure("accepted with problems \(unmet)") }
            if isSame, after != before { throw failure("the models are one, the objects are not") }
            let differences = isSame ? [] : expected.differences(after)
            if !differences.isEmpty { throw failure(differences.joined(separator: "; ")) }
        } catch let error as NSError where !(error is GraphProgram.Mismatch) {
            refusal = error.localizedDescription
        }
        if let refusal {
            texts.append("refused: \(refusal)")
            guard !problems.isEmpty || expected.hasMisplacedObjects else { throw failure("refused without a reason") }
            guard try store.with(oldModel) == before else { throw failure("a refused migration changed something") }
            return false
        }
        return true
    }

    /// Migrates the objects one by one into a copy of the store, and reads that.
    private func copy(_ oldModel: NSManagedObjectModel, _ newModel: NSManagedObjectModel) throws -> StoreState {
        let copy = try MigratingStore()
        let manager = NSMigrationManager(sourceModel: oldModel, destinationModel: newModel)
        try manager.migrateStore(
            from: store.url, type: .sqlite,
            mapping: .inferredMappingModel(forSourceModel: oldModel, destinationModel: newModel), to: copy.url,
            type: .sqlite)
        return try copy.with(newModel)
    }

    private func checkPast() throws {
        let dumps = try StoredTables.dumps(store.url)
        if dumps.present != dumps.rebuilt { throw failure("the tables are not those that the log gives") }
        let coordinator = try store.coordinator(ModelText.model(schema.text))
        for (index, (state, sequence)) in states.enumerated() {
            let past = try coordinator.newContext(asOf: .sequence(.init(sequence)))
            if try StoreState(past) != state { throw failure("the past of edit \(index) is another one") }
        }
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }
}

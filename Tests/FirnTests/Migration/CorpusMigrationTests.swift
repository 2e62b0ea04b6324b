import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// Real histories of models: every version to the next with random data in every entity, and the first to the last.
@Suite("The corpus' models", .needsCorpus)
struct CorpusMigrationTests {
    private static let bundles = Corpus.isPresent ? Corpus.urls(below: "models", withExtension: "xcdatamodeld") : []
    private static var seed: UInt64 {
        ProcessInfo.processInfo.environment["FIRN_SEED"].flatMap(UInt64.init) ?? 7
    }

    @Test("migrate from each version to the next, or say why a mapping model is needed", arguments: bundles)
    func neighbours(_ bundle: URL) throws {
        let versions = try Self.versions(bundle)
        for (old, new) in zip(versions, versions.dropFirst()) { try migrate(old, new) }
    }

    @Test("migrate from the first version to the last", arguments: bundles)
    func firstToLast(_ bundle: URL) throws {
        let versions = try Self.versions(bundle)
        if versions.count > 2 { try migrate(versions[0], versions[versions.count - 1]) }
    }

    @Test("migrate through all versions that can be inferred, with the whole past", arguments: bundles)
    func journey(_ bundle: URL) throws {
        let versions = try Self.versions(bundle)
        guard versions.count > 2 else { return }
        let store = try MigratingStore()
        var states: [(StoreState, UInt64)] = []
        for version in versions {
            let last = states.isEmpty ? nil : try store.storedModel()
            if let last, !MappingInference(ModelMatching(from: last, to: version.model)).problems.isEmpty { continue }
            var objects = RandomObjects(SeededGenerator(seed: Self.seed), countOfEntity: 1, serial: states.count * 500)
            let model = version.copy()
            let state = try store.with(model) { objects.fill($0, model) }
            states.append((state, try StoredTables.head(store.url).rawValue))
        }
        let present = try store.storedModel()
        for (state, sequence) in states.dropLast() {
            try store.check(state, at: .init(sequence), present.copy() as! NSManagedObjectModel)
        }
    }

    struct Version {
        let name: String
        let model: NSManagedObjectModel

        func copy() -> NSManagedObjectModel { model.copy() as! NSManagedObjectModel }
    }

    private static func versions(_ bundle: URL) throws -> [Version] {
        try ModelBundle(contentsOf: bundle).versions.map { version in
            let model = try NSManagedObjectModel.load(contentsOf: version.url).model
            // Classes of other tests may bear the same names.
            for entity in model.entities { entity.managedObjectClassName = "NSManagedObject" }
            return Version(name: version.name, model: model)
        }
    }

    private func migrate(_ old: Version, _ new: Version) throws {
        let place: Comment = "\(old.name) to \(new.name), seed \(Self.seed)"
        let store = try MigratingStore()
        var objects = RandomObjects(SeededGenerator(seed: Self.seed))
        let model = old.copy()
        let before = try store.with(model) { objects.fill($0, model) }
        #expect(!before.objects.isEmpty, place)
        let sequence = try StoredTables.head(store.url)
        let problems = MappingInference(ModelMatching(from: old.model, to: new.model)).problems
        guard problems.isEmpty else {
            let error = #expect(throws: NSError.self, place) { try store.coordinator(new.copy()) }
            for problem in problems {
                #expect(error?.localizedDescription.contains(problem.description) == true, place)
            }
            #expect(try store.with(old.copy()) == before, place)
            return
        }
        let after = try store.with(new.copy())
        #expect(ExpectedState(before, from: old.model, to: new.model).differences(after) == [], place)
        try store.check(before, at: sequence, new.copy())
    }
}

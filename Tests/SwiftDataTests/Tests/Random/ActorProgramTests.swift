import Foundation
import SwiftData
import Testing

/// Edits stamps of its own, and those that all actors share.
@ModelActor
actor StampClerk {
    /// Gives the values of its own stamps that it saved.
    func work(_ seed: UInt64, _ firstNumber: Int, steps: Int) throws -> [Int: Int] {
        var numbers = SeededNumbers(seed: seed)
        var (shown, saved, last) = ([Int: Int](), [Int: Int](), firstNumber)
        let rack = try modelContext.fetch(FetchDescriptor<Rack>()).first
        func stamp(_ number: Int) throws -> Stamp? {
            try modelContext.fetch(FetchDescriptor<Stamp>(predicate: #Predicate { $0.number == number })).first
        }
        for _ in 0..<steps {
            let (value, known) = (Int.random(in: 0..<100, using: &numbers), shown.keys.sorted())
            switch (Int.random(in: 0..<8, using: &numbers), known.randomElement(using: &numbers)) {
            case (0, let number?):
                if let model = try stamp(number) { modelContext.delete(model) }
                shown[number] = nil
            case (1, let number?), (2, let number?):
                try stamp(number)?.set(value, isInPlace: false)
                shown[number] = value
            case (3, _):
                // Another actor may save one of this number at the same time.
                modelContext.insert(Stamp(Int.random(in: 1...3, using: &numbers), value))
            case (4, _):
                try modelContext.save()
                saved = shown
            case (5, _) where Int.random(in: 0..<4, using: &numbers) == 0:
                modelContext.rollback()
                shown = saved
            default:
                last += 1
                let model = Stamp(last, value)
                modelContext.insert(model)
                rack?.stamps.append(model)
                shown[last] = value
            }
        }
        try modelContext.save()
        return shown
    }
}

@Suite("Random programs of model actors on one container")
struct ActorProgramTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let seed = environment["FIRN_SEED"].flatMap(UInt64.init) ?? UInt64.random(in: 0...UInt64.max)
    private static let operations = environment["FIRN_OPERATIONS"].flatMap(Int.init) ?? 1500

    @Test("what actors save at the same time is there, and each shared unique value once")
    func actors() async throws {
        print("random programs of model actors: FIRN_SEED=\(Self.seed)")
        var seeds = SeededNumbers(seed: Self.seed)
        for _ in 0..<max(1, Self.operations / 600) {
            let folder = TestFolder()
            let url = folder.file("Library.store")
            let container = try ModelContainer(
                for: Rack.self, configurations: ModelConfiguration(url: url))
            let context = ModelContext(container)
            context.insert(Rack(0, 0))
            try context.save()
            let programs = (1...4).map { ($0 * 1_000_000, seeds.next()) }
            let saved = try await withThrowingTaskGroup(of: [Int: Int].self) { group in
                for (first, seed) in programs {
                    group.addTask { try await StampClerk(modelContainer: container).work(seed, first, steps: 50) }
                }
                return try await group.reduce(into: [Int: Int]()) { $0.merge($1) { first, _ in first } }
            }
            let reopened = try ModelContainer(for: Rack.self, configurations: ModelConfiguration(url: url))
            for container in [container, reopened] {
                let stamps = try ModelContext(container).fetch(FetchDescriptor<Stamp>())
                let own = stamps.filter { $0.number > 3 }
                let shared = stamps.map(\.number).filter { $0 <= 3 }
                let values = Dictionary(own.map { ($0.number, $0.checked) }) { _, _ in -1 }
                #expect(values == saved)
                #expect(Set(shared).count == shared.count)
                let members = try ModelContext(container).fetch(FetchDescriptor<Rack>()).first?.stamps.map(\.number)
                #expect(Set(members ?? []) == Set(saved.keys))
                #expect(own.allSatisfy { $0.racks.map(\.number) == [0] })
            }
        }
    }
}

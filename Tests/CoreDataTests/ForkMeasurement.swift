import CoreData
import Synchronization
import TestSupport
import Testing

/// The time of 1,000 tests, each with a fork of a fixture of 1,000 objects, when Swift Testing runs them in parallel.
/// Prints figures and holds nothing: they are the machine's. `FIRN_MEASURE=1 swift test --filter ForkMeasurement`.
@Suite("Measured: forks", .enabled(if: ProcessInfo.processInfo.environment["FIRN_MEASURE"] != nil))
struct ForkMeasurement {
    private static let count = 1000
    private static let started = ContinuousClock.now
    private static let finished = Atomic(0)

    /// In memory, with 1,000 boxes.
    private static let fixture: NSPersistentContainer? = {
        let container = NSPersistentContainer(name: "Boxes", managedObjectModel: Boxes.model)
        container.persistentStoreDescriptions = [NSPersistentStoreDescription()]
        do {
            try container.load()
            try container.insert(0..<1000)
            return container
        } catch {
            return nil
        }
    }()

    @Test("fork, change, save and fetch", arguments: 0..<1000)
    func one(number: Int) throws {
        let fixture = try #require(Self.fixture)
        if number == 0 { try report(fixture) }
        let fork = try fixture.fork()
        let context = fork.newBackgroundContext()
        try context.performAndWait {
            let request = Boxes.request
            request.predicate = NSPredicate(format: "number < 10")
            for box in try context.fetch(request) {
                box.setValue((box.value(forKey: "number") as? Int ?? 0) + 1000, forKey: "number")
            }
            Boxes.box(number + 2000, in: context)
            try context.save()
        }
        let other = fork.newBackgroundContext()
        let found = try other.performAndWait {
            let request = Boxes.request
            request.predicate = NSPredicate(format: "number >= 1000")
            return try other.fetch(request).compactMap { $0.value(forKey: "number") as? Int }
        }
        #expect(Set(found) == Set(1000..<1010).union([number + 2000]))
        guard Self.finished.add(1, ordering: .relaxed).newValue == Self.count else { return }
        print("\(Self.count) tests that fork, change, save and fetch: \(ContinuousClock.now - Self.started)")
    }

    /// Prints the median of single forks.
    private func report(_ fixture: NSPersistentContainer) throws {
        let clock = ContinuousClock()
        _ = Self.started
        var times: [Duration] = []
        for _ in 0..<101 { times.append(try clock.measure { _ = try fixture.fork() }) }
        print("a fork of 1,000 objects: \(times.sorted()[50]) (median of 101, with closing it)")
    }
}

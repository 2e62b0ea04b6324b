import Foundation
import Testing

@testable import SwiftData

/// A time that a test moves.
private final class ManualTime {
    private var now = ContinuousClock.now
    private var timers: [(due: ContinuousClock.Instant, body: () -> Void)] = []
    private(set) var ranCount = 0

    var clock: AutosaveClock {
        AutosaveClock(
            now: { self.now },
            schedule: { delay, owner, body in
                if owner.isKnown { self.timers.append((self.now + delay, body)) }
            })
    }

    func advance(by duration: Duration) {
        now += duration
        let due = timers.filter { $0.due <= now }
        timers.removeAll { $0.due <= now }
        ranCount += due.count
        for timer in due { timer.body() }
    }
}

@ModelActor
actor Garage {
    func fill() {
        modelContext.autosaveDelay = .zero
        modelContext.autosaveEnabled = true
        modelContext.insert(Vehicle(plate: "A"))
    }

    func add() {
        modelContext.autosaveEnabled = true
        modelContext.insert(Vehicle(plate: "A"))
    }
}

@Suite("Contexts that save by themselves")
struct AutosaveTests {
    let folder = TestFolder()
    let container: ModelContainer

    init() throws { container = try Self.container(folder.file("Fleet.store").path) }

    private static func container(_ path: String) throws -> ModelContainer {
        try ModelContainer(for: Vehicle.self, configurations: ModelConfiguration(url: URL(fileURLWithPath: path)))
    }

    private var savedCount: Int {
        get throws { try ModelContext(container).fetchCount(FetchDescriptor<Vehicle>()) }
    }

    @Test("what changes within the delay is saved once, a second after the first change")
    func coalesced() throws {
        let (context, time) = (ModelContext(container), ManualTime())
        context.autosaveQueue = DispatchQueue(label: "owner")
        context.autosave.clock = time.clock
        context.autosaveEnabled = true
        context.insert(Vehicle(plate: "A"))
        time.advance(by: .milliseconds(900))
        context.insert(Vehicle(plate: "B"))
        #expect(try savedCount == 0)
        time.advance(by: .milliseconds(100))
        #expect(try savedCount == 2)
        #expect(context.saveCount == 1)
        context.insert(Vehicle(plate: "C"))
        time.advance(by: .milliseconds(1000))
        #expect(try savedCount == 3)
        context.autosaveEnabled = false
        context.insert(Vehicle(plate: "D"))
        time.advance(by: .seconds(10))
        #expect(try savedCount == 3)
    }

    @Test("what an undo brings back is saved, too")
    func undone() throws {
        let (context, time, manager) = (ModelContext(container), ManualTime(), UndoManager())
        context.autosaveQueue = DispatchQueue(label: "owner")
        context.autosave.clock = time.clock
        context.autosaveEnabled = true
        manager.groupsByEvent = false
        context.undoManager = manager
        let vehicle = Vehicle(plate: "A")
        context.insert(vehicle)
        time.advance(by: .seconds(1))
        context.delete(vehicle)
        time.advance(by: .seconds(1))
        #expect(try savedCount == 0)
        manager.undo()
        time.advance(by: .seconds(1))
        #expect(try savedCount == 1)
    }

    @Test("the error of a save goes to the handler")
    func failure() throws {
        let configuration = ModelConfiguration(url: folder.file("Fleet.store"), allowsSave: false)
        let reader = try ModelContainer(for: Vehicle.self, configurations: configuration)
        let (context, time) = (ModelContext(reader), ManualTime())
        context.autosaveQueue = DispatchQueue(label: "owner")
        context.autosave.clock = time.clock
        nonisolated(unsafe) var errors: [any Error] = []
        context.autosaveErrorHandler = { errors.append($0) }
        context.autosaveEnabled = true
        context.insert(Vehicle(plate: "A"))
        time.advance(by: .seconds(1))
        #expect(errors.count == 1)
        #expect(context.hasChanges)
    }

    @Test("a context of which nobody said where it is used saves when it is used after the delay")
    func unknownOwner() throws {
        let (context, time) = (ModelContext(container), ManualTime())
        context.autosave.clock = time.clock
        context.autosaveEnabled = true
        context.insert(Vehicle(plate: "A"))
        time.advance(by: .milliseconds(900))
        _ = try context.fetch(FetchDescriptor<Vehicle>())
        #expect(try savedCount == 0)
        time.advance(by: .milliseconds(200))
        _ = try context.fetch(FetchDescriptor<Vehicle>())
        #expect(try savedCount == 1)
    }

    @Test("a context does not retain the actor that uses it")
    func owningActor() {
        var garage: Garage? = Garage(modelContainer: container)
        weak let reference = garage
        let owner = garage.map { ContextOwner.of($0) }
        #expect(owner?.isKnown == true)
        garage = nil
        #expect(reference == nil)
        #expect(owner?.isKnown == false)
    }

    @Test("a context that nobody has any more saves where its owner works; without an owner it says what it drops")
    func released() throws {
        for queue in [DispatchQueue(label: "owner"), nil] {
            let time = ManualTime()
            nonisolated(unsafe) var errors: [any Error] = []
            do {
                let context = ModelContext(container)
                context.autosaveQueue = queue
                context.autosave.clock = time.clock
                context.autosaveErrorHandler = { errors.append($0) }
                context.autosaveEnabled = true
                context.insert(Vehicle(plate: "A"))
            }
            time.advance(by: .seconds(1))
            #expect(try savedCount == 1)
            #expect(errors.map { $0 as? SwiftDataError } == (queue == nil ? [.unsavedChanges] : []))
        }
    }

    @Test("a save that is due comes where the new owner works, and no more where the old one did")
    func newOwner() throws {
        let (context, time) = (ModelContext(container), ManualTime())
        context.autosave.clock = time.clock
        context.autosaveEnabled = true
        context.insert(Vehicle(plate: "A"))
        context.autosaveQueue = DispatchQueue(label: "old")
        time.advance(by: .milliseconds(500))
        context.autosaveQueue = DispatchQueue(label: "new")
        time.advance(by: .milliseconds(500))
        #expect(time.ranCount == 1)
        #expect(try savedCount == 0)
        time.advance(by: .milliseconds(500))
        #expect(try savedCount == 1)
    }

    @Test("a model actor's context saves on the actor's executor", .timeLimit(.minutes(5)))
    func modelActor() async throws {
        let garage = Garage(modelContainer: container)
        let (saves, save) = AsyncStream.makeStream(of: Void.self)
        let observer = NotificationCenter.default.addObserver(
            forName: ModelContainer.remoteChange, object: container, queue: nil
        ) { _ in save.finish() }
        await garage.fill()
        for await _ in saves {}
        NotificationCenter.default.removeObserver(observer)
        #expect(try savedCount == 1)
    }

    @Test("what is unsaved when the process ends is saved: of the main context, of an actor, of the ending thread",
        .timeLimit(.minutes(1)))
    func exit() async throws {
        await #expect(processExitsWith: .success) { [path = folder.file("Fleet.store").path as String] in
            let container = try Self.container(path)
            await Garage(modelContainer: container).add()
            await MainActor.run {
                container.mainContext.insert(Vehicle(plate: "B"))
                let context = ModelContext(container)
                context.autosaveQueue = nil
                context.autosaveEnabled = true
                context.insert(Vehicle(plate: "C"))
                Foundation.exit(0)
            }
        }
        #expect(try savedCount == 3)
    }

    @Test("an autosave that is due does not save half of a block")
    func transaction() throws {
        let (context, time) = (ModelContext(container), ManualTime())
        context.autosave.clock = time.clock
        context.autosaveEnabled = true
        #expect(throws: CancellationError.self) {
            try context.transaction {
                context.insert(Vehicle(plate: "A"))
                time.advance(by: .seconds(2))
                _ = try context.fetchCount(FetchDescriptor<Vehicle>())
                throw CancellationError()
            }
        }
        #expect(try savedCount == 0)
    }
}

import Firn
import FirnModel
import Foundation
import TestSupport

/// Who takes part in a random program.
struct Cast: Sendable {
    var name: String
    var roots = 1
    var hasChild = false
    var hasSecondCoordinator = false
    /// Whether some of the contexts merge by themselves.
    var follows = false
}

/// A random program of edits, saves and merges in several contexts, held after every step to plain dictionaries.
final class GraphProgram {
    struct Mismatch: Error, CustomStringConvertible {
        let description: String
    }

    var generator: SeededGenerator
    let cast: Cast
    let directory: TemporaryDirectory
    private(set) var coordinators: [NSPersistentStoreCoordinator]
    /// The tables made again; nil after a migration, whose numbers of entities are its own.
    private(set) var rebuilt: RebuiltTables?
    let past: PastGraphs
    private(set) var actors: [Actor] = []
    /// What is saved.
    var store = PlainGraph()
    var lastNumber = 0
    /// The numbers of all objects that were ever saved.
    var saved: Set<Int> = []
    /// What led to objects whose deletion was saved, and went on leading there.
    var leadingNowhere: Set<Touched.Reference> = []
    private var trace: [String] = []
    private(set) var stepCount = 0

    init(_ cast: Cast, _ generator: SeededGenerator) throws {
        self.cast = cast
        self.generator = generator
        let model = Kind.model()
        directory = try TemporaryDirectory()
        let url = directory.file("Random.sqlite")
        coordinators = try (0..<(cast.hasSecondCoordinator ? 2 : 1)).map { _ in
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            _ = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: url,
                options: [PersistentStoreDurabilityOption: "system"])
            return coordinator
        }
        rebuilt = try RebuiltTables(url, model)
        past = PastGraphs(generator)
        for index in 0..<cast.roots {
            let follows = cast.follows && chance(2)
            actors.append(Actor("root \(index)", coordinators[0], undoes: chance(2), follows: follows))
        }
        if cast.hasChild { actors.append(Actor("child", childOf: actors[0], follows: cast.follows && chance(2))) }
        if cast.hasSecondCoordinator { actors.append(Actor("far", coordinators[1], undoes: false)) }
    }

    var roots: [Actor] { actors.filter { $0.parent == nil } }

    /// True once in `count` times.
    func chance(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &generator) == 0 }

    func pick<C: Collection>(_ all: C) -> C.Element? { all.randomElement(using: &generator) }

    func some(_ all: [Int], atMost count: Int) -> [Int] {
        Array(all.shuffled(using: &generator).prefix(Int.random(in: 0...count, using: &generator)))
    }

    func note(_ text: String) { trace.append("\(stepCount) \(text)") }

    func run(_ count: Int) throws {
        do { try runSteps(count) } catch let error where !(error is Mismatch) { throw failure("\(error)") }
    }

    private func runSteps(_ count: Int) throws {
        for _ in 0..<10 { insert(actors[0]) }
        for _ in 0..<count {
            stepCount += 1
            guard let actor = pick(actors) else { return }
            try step(actor)
            try check(actor, "after the step")
        }
        for actor in roots { try sync(actor, by: .refreshing) }
        try rebuilt?.check(self)
        for coordinator in coordinators { try past.checkAll(coordinator, self) }
        try reopen()
    }

    /// Closes the store and opens it again: as it is, without its history's file, without its tables, or with a later
    /// model. Store and past are as they were, and go on.
    private func reopen() throws {
        let url = directory.file("Random.sqlite")
        actors = []
        past.unpin()
        for coordinator in coordinators {
            for store in coordinator.persistentStores { try coordinator.remove(store) }
        }
        let isNext = past.chance(2)
        if past.chance(3) { try url.discardHistory() }
        if past.chance(3) { try url.discardTables() }
        note("reopened" + (isNext ? " with the next model" : ""))
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Kind.model(isNext: isNext))
        _ = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url,
            options: [
                PersistentStoreDurabilityOption: "system", NSMigratePersistentStoresAutomaticallyOption: true,
                NSInferMappingModelAutomaticallyOption: true,
            ])
        coordinators = [coordinator]
        rebuilt = isNext ? nil : try RebuiltTables(url, Kind.model())
        try past.checkAll(coordinator, self)
        actors = [Actor("reopened", coordinator, undoes: false)]
        try actors[0].reset(to: store)
        for _ in 0..<4 { try edit(actors[0]) }
        try save(actors[0])
        try past.checkAll(coordinator, self)
        for _ in 0..<4 { try past.restoreObject(coordinator, self) }
        try past.revertSaves(coordinator, self)
        for _ in 0..<3 { try past.revertAnySave(coordinator, self) }
    }

    private func step(_ actor: Actor) throws {
        switch Int.random(in: 0..<40, using: &generator) {
        case 0..<24: try edit(actor)
        case 24..<30: try save(actor)
        case 30: try rollback(actor)
        case 31..<34: try undo(actor)
        case 34..<36: try redo(actor)
        case 36: try sync(actor, by: chance(2) ? .merging : .refreshing)
        case 37: try reset(actor)
        default: try sync(actor, by: .merging)
        }
    }

    /// Holds what an actor's objects show to what is expected.
    func check(_ actor: Actor, _ when: String) throws {
        let seen = withoutCollected(actor.held(), actor)
        if seen != actor.plain.view {
            throw failure("\(actor.name), \(when): \(seen.difference(from: actor.plain.view))")
        }
    }

    /// Puts the expected value where an actor may show none: the large value of an object that is another one in the
    /// store by now, once the history is without its file.
    func withoutCollected(_ seen: PlainGraph, _ actor: Actor) -> PlainGraph {
        var seen = seen
        for (number, values) in seen.values where past.hasCut && values[1] == -1 {
            let expected = actor.plain.view.values[number]?[1] ?? -1
            if expected == store.values[number]?[1] { continue }
            seen.setValue(expected, 1, of: number)
        }
        return seen
    }

    func failure(_ text: String) -> Mismatch {
        Mismatch(
            description: "\(generator), \(cast.name), step \(stepCount): \(text)\n  "
                + trace.joined(separator: "\n  "))
    }
}

/// How a context takes over what is new.
enum Sync {
    case merging, refreshing
    /// It has done so by itself.
    case following
}

import Firn
import FirnLog
import FirnModel
import Foundation
import StoreSupport
import TestSupport

/// The points of a program's history with what was saved by then, and contexts that are pinned to some of them. Between
/// the saves the history is trimmed, and values of deleted objects are erased from it.
final class PastGraphs {
    struct Point {
        let token: NSPersistentHistoryToken
        var graph: PlainGraph
        /// The IDs that the objects had then: one that comes back after its deletion has another.
        let ids: [Int: URL]
    }

    private(set) var points: [Point] = []
    private var pinned: [(context: NSManagedObjectContext, point: Point)] = []
    /// Whether values are nothing in the past that were something.
    private(set) var hasErased = false
    /// Whether something of the past is gone.
    var hasCut: Bool { hasErased || trimmed != nil }
    /// The last point that was cut off.
    private var trimmed: Point?
    /// Draws of its own, so that a seed gives the same edits with and without them.
    private var generator: SeededGenerator

    init(_ program: SeededGenerator) { generator = SeededGenerator(seed: ~program.seed) }

    /// True once in `count` times.
    func chance(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &generator) == 0 }

    func pick<C: Collection>(_ all: C) -> C.Element? { all.randomElement(using: &generator) }

    /// Notes what a fetch has found in the store as it is now.
    func add(
        _ graph: PlainGraph, _ reader: NSManagedObjectContext, _ coordinator: NSPersistentStoreCoordinator
    ) throws {
        guard let token = coordinator.currentPersistentHistoryToken(fromStores: nil) else { return }
        let ids = try reader.performAndWait {
            Dictionary(uniqueKeysWithValues: try Kind.allCases.filter { $0 == $0.root }.flatMap {
                try reader.all($0.rawValue).map { ($0.number, $0.objectID.uriRepresentation()) }
            })
        }
        points.append(Point(token: token, graph: graph, ids: ids))
    }

    /// Looks at the past, or cuts a part of it away.
    func visit(_ program: GraphProgram) throws {
        guard let coordinator = program.coordinators.randomElement(using: &generator) else { return }
        if chance(3), let point = points.randomElement(using: &generator) { try check(point, coordinator, program) }
        if chance(8) { try pin(coordinator, program) }
        if chance(3), let (context, point) = pinned.randomElement(using: &generator) {
            try revisit(context, point, program)
        }
        if chance(4), let index = points.indices.dropLast().randomElement(using: &generator) {
            try checkChanges(index, coordinator, program)
        }
        if chance(25) { try trim(coordinator, program) }
        if chance(25) { try erase(coordinator, program) }
    }

    /// Holds every point to what it was.
    func checkAll(_ coordinator: NSPersistentStoreCoordinator, _ program: GraphProgram) throws {
        for point in points { try check(point, coordinator, program) }
        for index in points.indices.dropLast() { try checkChanges(index, coordinator, program) }
        guard let trimmed else { return }
        do {
            _ = try coordinator.newContext(asOf: .token(trimmed.token))
            throw program.failure("a point that was trimmed is still read")
        } catch let error as NSError where error.code == NSPersistentHistoryTokenExpiredError {}
    }

    private func check(
        _ point: Point, _ coordinator: NSPersistentStoreCoordinator, _ program: GraphProgram
    ) throws {
        try check(coordinator.newContext(asOf: .token(point.token)), point, program, "as of")
    }

    private func check(
        _ context: NSManagedObjectContext, _ point: Point, _ program: GraphProgram, _ how: String
    ) throws {
        let seen = try context.performAndWait {
            context.reset()
            return try PlainGraph(fetching: context)
        }
        if seen != point.graph {
            throw program.failure("\(how) \(point.token): \(seen.difference(from: point.graph))")
        }
    }

    /// Pins a context to what the store holds now.
    private func pin(_ coordinator: NSPersistentStoreCoordinator, _ program: GraphProgram) throws {
        guard let last = points.last else { return }
        let context = coordinator.context()
        try context.performAndWait { try context.setQueryGenerationFrom(.current) }
        try check(context, last, program, "pinned at once")
        pinned.append((context, last))
    }

    /// Reads a pinned context again. Where its point was trimmed it may say so, but never show anything else.
    private func revisit(_ context: NSManagedObjectContext, _ point: Point, _ program: GraphProgram) throws {
        let isTrimmed = !points.contains { $0.token == point.token }
        do { try check(context, point, program, "pinned") } catch let error as NSError
            where error.code == NSPersistentHistoryTokenExpiredError && isTrimmed
        {}
    }

    func unpin() { pinned = [] }

    /// Compares who came and went since a point with the difference of the graphs.
    private func checkChanges(
        _ index: Int, _ coordinator: NSPersistentStoreCoordinator, _ program: GraphProgram
    ) throws {
        guard let last = points.last else { return }
        let context = coordinator.context()
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: points[index].token)
        let transactions = try context.performAndWait {
            let result = try context.execute(request) as? NSPersistentHistoryResult
            return result?.result as? [NSPersistentHistoryTransaction] ?? []
        }
        var ids = Set(points[index].ids.values)
        func failure(_ text: String) -> GraphProgram.Mismatch {
            program.failure("history after \(points[index].token): \(text)")
        }
        for change in transactions.flatMap({ $0.changes ?? [] }) {
            let id = change.changedObjectID.uriRepresentation()
            switch change.changeType {
            case .insert:
                if !ids.insert(id).inserted { throw failure("\(id) was inserted twice") }
            case .delete:
                if ids.remove(id) == nil { throw failure("\(id) was deleted, and was not there") }
            case .update:
                if !ids.contains(id) { throw failure("\(id) was changed, and was not there") }
            @unknown default: break
            }
        }
        if ids != Set(last.ids.values) {
            let more = ids.subtracting(last.ids.values).map(\.lastPathComponent).sorted()
            let missing = Set(last.ids.values).subtracting(ids).map(\.lastPathComponent).sorted()
            throw failure("up to \(last.token) it leaves \(more), which the store has not, and lacks \(missing)")
        }
    }

    /// Cuts off all but some of the last transactions.
    private func trim(_ coordinator: NSPersistentStoreCoordinator, _ program: GraphProgram) throws {
        let kept = Int.random(in: 0..<8, using: &generator)
        program.note("trim, keeping \(kept)")
        let token = try coordinator.trimHistory(keeping: HistoryRetention(transactionCountMax: kept))
        guard let end = token.positions.values.first?.sequence else { return }
        trimmed = points.last { ($0.token.positions.values.first?.sequence ?? .zero) < end } ?? trimmed
        points.removeAll { ($0.token.positions.values.first?.sequence ?? .zero) < end }
    }

    /// Erases a value of an object that is in the past alone, or all of it.
    private func erase(_ coordinator: NSPersistentStoreCoordinator, _ program: GraphProgram) throws {
        guard let last = points.last else { return }
        let gone = Set(points.flatMap(\.ids.values)).subtracting(last.ids.values)
        guard let url = gone.sorted(by: { $0.absoluteString < $1.absoluteString }).randomElement(using: &generator),
            let id = coordinator.managedObjectID(forURIRepresentation: url)
        else { return }
        let attribute = Int.random(in: Kind.attributes.indices, using: &generator)
        let property = chance(3) ? nil : Kind.attributes[attribute]
        program.note("erase \(property ?? "all") of \(url.lastPathComponent)")
        try coordinator.erase(id, property: property)
        hasErased = true
        // A context that has the deleted object could not write it again where the value was a large one.
        let numbers = Set(points.flatMap(\.ids).filter { $0.value == url }.map(\.key))
        for actor in program.roots where !numbers.isDisjoint(with: actor.plain.base.kinds.keys) {
            try program.reset(actor)
        }
        // Of an object whose references are nothing either, a point says no more than that it was there.
        if property == nil { points.removeAll { $0.ids.values.contains(url) } }
        for index in points.indices {
            for (number, other) in points[index].ids where other == url {
                points[index].graph.setValue(-1, attribute, of: number)
            }
        }
        pinned.removeAll { $0.point.ids.values.contains(url) }
    }
}

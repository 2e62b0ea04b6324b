import Foundation
import Observation
import SwiftData
import Testing

@Suite("Observers of a relationship, and changes from its other side")
struct InverseObservationTests {
    let container: ModelContainer
    let context: ModelContext

    init() throws {
        container = try ModelContainer(
            for: Box.self, Trip.self, Rack.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        context = ModelContext(container)
    }

    /// How often an observer of what `read` reads hears of a change while `change` runs.
    private func changes(of read: () -> Void, while change: () throws -> Void) rethrows -> Int {
        nonisolated(unsafe) var count = 0
        withObservationTracking(read) { count += 1 }
        try change()
        return count
    }

    @Test("the old and the new owner's members are observed, in a context and outside", arguments: [true, false])
    func owners(isInContext: Bool) throws {
        let (first, second) = (Box(name: "1", size: 1), Box(name: "2", size: 2))
        let toy = Toy(name: "a")
        if isInContext {
            for box in [first, second] { context.insert(box) }
            context.insert(toy)
        }
        #expect(changes(of: { _ = first.toys }, while: { toy.box = first }) == 1)
        #expect(changes(of: { _ = first.toys }, while: { toy.box = second }) == 1)
        toy.box = first
        #expect(changes(of: { _ = second.toys }, while: { toy.box = second }) == 1)
        #expect(changes(of: { _ = second.toys }, while: { toy.box = nil }) == 1)
        #expect(changes(of: { _ = second.toys }, while: { toy.box = first }) == 0)
        #expect(first.toys == [toy])
    }

    @Test("the owner of members that come and go is observed", arguments: [1, 40])
    func members(count: Int) throws {
        let (first, second) = (Box(name: "1", size: 1), Box(name: "2", size: 2))
        for box in [first, second] { context.insert(box) }
        first.toys = (0..<count).map { Toy(name: "\($0)") }
        let toy = Toy(name: "a")
        context.insert(toy)
        #expect(changes(of: { _ = toy.box }, while: { first.toys.append(toy) }) == 1)
        let other = try #require(first.toys.first { $0 !== toy })
        #expect(changes(of: { _ = other.box }, while: { first.toys.removeAll { $0 === toy } }) == 0)
        #expect(changes(of: { _ = toy.box }, while: { first.toys.append(toy) }) == 1)
        #expect(changes(of: { _ = first.toys }, while: { second.toys.append(toy) }) == 1)
        #expect(changes(of: { _ = toy.box }, while: { second.toys = [] }) == 1)
        #expect(toy.box == nil)
    }

    @Test("both sides of one to one and of many to many are observed")
    func otherKinds() throws {
        let (first, second) = (Rack(1, 1), Rack(2, 2))
        let (tome, stamp) = (Tome(3, 3), Stamp(4, 4))
        for rack in [first, second] { context.insert(rack) }
        context.insert(tome)
        context.insert(stamp)
        first.shown = tome
        #expect(changes(of: { _ = first.shown }, while: { second.shown = tome }) == 1)
        #expect(changes(of: { _ = tome.showing }, while: { second.shown = nil }) == 1)
        #expect(changes(of: { _ = stamp.racks }, while: { first.stamps.append(stamp) }) == 1)
        #expect(changes(of: { _ = first.stamps }, while: { stamp.racks = [second] }) == 1)
        #expect(first.stamps.isEmpty)
    }

    @Test("the members of an owner are observed when one of them is deleted, by itself or by a rule")
    func deletion() throws {
        let (box, toy, child) = (Box(name: "1", size: 1), Toy(name: "a"), Child(name: "c"))
        box.toys = [toy, Toy(name: "b")]
        child.favourite = toy
        context.insert(box)
        context.insert(child)
        try context.save()
        let count = changes(of: { _ = box.toys }, while: {
            context.delete(toy)
            context.processPendingChanges()
        })
        #expect(count == 1)
        #expect(box.toys.count == 1)
        #expect(child.favourite == nil)
        context.rollback()
        #expect(child.favourite === toy)
        let atSave = try changes(of: { _ = child.favourite }, while: {
            context.delete(box)
            try context.save()
        })
        #expect(atSave == 1)
        #expect(child.favourite == nil)
    }

    @Test("the members of an owner are observed when another context's save changes, adds or deletes one")
    func merged() throws {
        let (first, second) = (Box(name: "1", size: 1), Box(name: "2", size: 2))
        first.toys = [Toy(name: "a"), Toy(name: "b")]
        for box in [first, second] { context.insert(box) }
        try context.save()
        let other = ModelContext(container)
        let same = try other.fetch(FetchDescriptor<Box>(sortBy: [SortDescriptor(\.name)]))
        func change(_ edit: () throws -> Void) throws {
            try edit()
            try other.save()
            _ = try context.fetchCount(FetchDescriptor<Box>())
        }
        let moved = try #require(same[0].toys.first)
        let leaving = try changes(of: { _ = first.toys }, while: { try change { moved.box = same[1] } })
        #expect(leaving == 1)
        #expect(first.toys.count == 1)
        let added = try changes(of: { _ = second.toys }, while: { try change { same[1].toys.append(Toy(name: "c")) } })
        #expect(added == 1)
        #expect(second.toys.count == 2)
        let deleted = try changes(of: { _ = second.toys }, while: { try change { other.delete(moved) } })
        #expect(deleted == 1)
        #expect(second.toys.map(\.name) == ["c"])
    }

    @Test("members that stay are not announced when their owner is changed elsewhere, or a change is dropped")
    func unchanged() throws {
        let box = Box(name: "1", size: 1)
        box.toys = [Toy(name: "a"), Toy(name: "b")]
        context.insert(box)
        try context.save()
        let other = ModelContext(container)
        let same = try #require(try other.fetch(FetchDescriptor<Box>()).first)
        func change(_ name: String) throws {
            same.name = name
            try other.save()
            _ = try context.fetchCount(FetchDescriptor<Box>())
        }
        #expect(try changes(of: { _ = box.toys }, while: { try change("2") }) == 0)
        #expect(try changes(of: { _ = box.name }, while: { try change("3") }) == 1)
        box.name = "4"
        #expect(changes(of: { _ = box.toys }, while: { context.rollback() }) == 0)
        box.toys.removeLast()
        #expect(changes(of: { _ = box.toys }, while: { context.rollback() }) == 1)
        #expect(box.toys.count == 2)
    }
}

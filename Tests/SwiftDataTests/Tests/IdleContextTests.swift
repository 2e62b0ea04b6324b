import Foundation
import Testing

@testable import SwiftData

@Suite("A context that nobody uses while others save much")
struct IdleContextTests {
    let container: ModelContainer

    init() throws {
        container = try ModelContainer(for: Box.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    }

    /// More saves than wait one by one.
    private func save(in context: ModelContext) throws {
        let box = try #require(try context.fetch(FetchDescriptor<Box>(sortBy: [SortDescriptor(\.name)])).last)
        for size in 1...1_000 {
            box.size = size
            try context.save()
        }
    }

    @Test("the saves of others wait as one, and the context sees them all when it is used")
    func manySaves() throws {
        let (writer, idle, unused) = (ModelContext(container), ModelContext(container), ModelContext(container))
        for name in ["a", "b"] { writer.insert(Box(name: name, size: 0)) }
        try writer.save()
        let byName = FetchDescriptor<Box>(sortBy: [SortDescriptor(\.name)])
        let boxes = try idle.fetch(byName)
        #expect(boxes.map(\.name) == ["a", "b"])
        writer.delete(try writer.fetch(byName)[0])
        try writer.save()
        try save(in: writer)
        #expect(unused.inbox.removeAll().count == 1)
        writer.insert(Toy(name: "last"))
        try writer.save()
        #expect(unused.inbox.removeAll().count == 1)
        #expect(try idle.fetchCount(FetchDescriptor<Toy>()) == 1)
        #expect(boxes[0].isDeleted && boxes[0].modelContext == nil)
        #expect(boxes[0].name == "a")
        #expect(boxes[1].size == 1_000)
    }

    @Test("what waits as one is news to an observer of results")
    func observer() throws {
        let (writer, idle) = (ModelContext(container), ModelContext(container))
        let observer = try ResultsObserver<Toy, Never>(modelContext: idle)
        writer.insert(Box(name: "a", size: 0))
        writer.insert(Toy(name: "t"))
        try writer.save()
        try save(in: writer)
        _ = try idle.fetchCount(FetchDescriptor<Box>())
        #expect(observer.results.count == 1)
    }
}

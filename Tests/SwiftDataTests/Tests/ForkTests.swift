import Foundation
import SwiftData
import Testing

@Suite("Containers that are forked")
struct ForkTests {
    let folder = TestFolder()

    private func container(inMemory: Bool) throws -> ModelContainer {
        let configuration =
            inMemory
            ? ModelConfiguration(isStoredInMemoryOnly: true) : ModelConfiguration(url: folder.file("Trips.store"))
        return try ModelContainer(for: Trip.self, configurations: configuration)
    }

    private func names(_ container: ModelContainer) throws -> Set<String> {
        Set(try ModelContext(container).fetch(FetchDescriptor<Trip>()).map(\.name))
    }

    @Test("a fork has the saved models, and neither side sees what the other saves then", arguments: [true, false])
    func isIndependent(inMemory: Bool) throws {
        let source = try container(inMemory: inMemory)
        let context = ModelContext(source)
        let rome = Trip(name: "Rome")
        rome.stops.append(Stop(title: "Forum"))
        context.insert(rome)
        try context.save()
        context.insert(Trip(name: "Unsaved"))
        let fork = try source.fork()
        #expect(try names(fork) == ["Rome"])
        // Models have the identifiers that they have in the source.
        let other = ModelContext(fork)
        let copy = try #require(other.model(for: rome.persistentModelID) as? Trip)
        #expect(copy.stops.map(\.title) == ["Forum"])
        copy.name = "Roma"
        other.insert(Trip(name: "Oslo"))
        try other.save()
        try context.save()
        #expect(try names(fork) == ["Roma", "Oslo"])
        #expect(try names(source) == ["Rome", "Unsaved"])
        #expect(rome.name == "Rome")
    }

    @Test("a fork outlives its source, and is forked again")
    func outlives() throws {
        var fork = try container(inMemory: true)
        let context = ModelContext(fork)
        context.insert(Trip(name: "Rome"))
        try context.save()
        for _ in 0..<3 { fork = try fork.fork() }
        #expect(try names(fork) == ["Rome"])
    }
}

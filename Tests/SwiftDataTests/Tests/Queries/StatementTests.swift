import Foundation
import SwiftData
import Testing

/// What a process printed of the statements that it ran, in sections that it marked.
private struct StatementLog {
    private let sections: [Substring: Int]

    init(_ output: [UInt8]) {
        var section: Substring = ""
        var counts: [Substring: Int] = [:]
        for line in String(decoding: output, as: UTF8.self).split(separator: "\n") {
            if line.hasPrefix("section: ") { section = line.dropFirst(9) }
            if line.hasPrefix("CoreData: sql:") { counts[section, default: 0] += 1 }
        }
        sections = counts
    }

    subscript(section: Substring) -> Int { sections[section] ?? 0 }

    /// Lets the process print its statements. To be called before the first fetch.
    static func begin() { setenv("FIRN_SQL_DEBUG", "1", 1) }

    static func section(_ name: String) { FileHandle.standardError.write(Data("section: \(name)\n".utf8)) }
}

/// A store of twenty trips with three stops and a guide each.
private enum TripStore {
    /// A new container, which has no rows in memory.
    static func open(_ path: String) throws -> ModelContext {
        let configuration = ModelConfiguration(url: URL(fileURLWithPath: path).appendingPathComponent("Trips.store"))
        return ModelContext(try ModelContainer(for: Trip.self, configurations: configuration))
    }

    static func fill(_ path: String) throws {
        let context = try open(path)
        for number in 1...20 {
            let trip = Trip(name: "T\(number)", days: number)
            trip.stops = (1...3).map { Stop(title: "S\($0)") }
            trip.guide = Guide(name: "G\(number)")
            context.insert(trip)
        }
        try context.save()
    }

    static func read(_ trips: [Trip]) {
        for trip in trips {
            guard trip.stops.allSatisfy({ $0.title.hasPrefix("S") }), trip.guide?.name.hasPrefix("G") == true else {
                fatalError("\(trip.name) is not as it was saved")
            }
        }
    }
}

@Suite("Which statements reading runs")
final class StatementTests {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)

    deinit { try? FileManager.default.removeItem(at: folder) }

    @Test("s.19 related models that a fetch names are read with it: reading them runs no further statement")
    func prefetching() async throws {
        try TripStore.fill(folder.path)
        let run = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            [path = folder.path as String] in
            StatementLog.begin()
            var descriptor = FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.days)])
            let plain = try TripStore.open(path)
            let trips = try plain.fetch(descriptor)
            StatementLog.section("plain")
            TripStore.read(trips)
            let prefetching = try TripStore.open(path)
            descriptor.relationshipKeyPathsForPrefetching = [\.stops, \.guide]
            StatementLog.section("fetch")
            let related = try prefetching.fetch(descriptor)
            StatementLog.section("prefetched")
            TripStore.read(related)
        }
        let log = StatementLog(try #require(run).standardErrorContent)
        #expect(log["plain"] > 2)
        // The trips, the stops' identifiers, the stops, the guides: however many there are.
        #expect(log["fetch"] == 4)
        #expect(log["prefetched"] == 0)
    }

    @Test("s.22 deleting a set reads no model, however many there are")
    func setDeletion() async throws {
        try TripStore.fill(folder.path)
        let run = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            [path = folder.path as String] in
            StatementLog.begin()
            let one = try TripStore.open(path)
            StatementLog.section("one")
            try one.delete(model: Trip.self, where: #Predicate { $0.days == 1 })
            try one.save()
            let many = try TripStore.open(path)
            StatementLog.section("many")
            try many.delete(model: Trip.self, where: #Predicate { $0.days > 5 })
            try many.save()
            StatementLog.section("end")
        }
        let log = StatementLog(try #require(run).standardErrorContent)
        #expect(log["one"] > 0)
        #expect(log["many"] == log["one"])
        #expect(try TripStore.open(folder.path).fetchCount(FetchDescriptor<Trip>()) == 4)
        #expect(try TripStore.open(folder.path).fetchCount(FetchDescriptor<Stop>()) == 12)
    }

    @Test("complaint 20: a model is related to one with many others without reading them")
    func appending() async throws {
        try TripStore.fill(folder.path)
        let run = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            [path = folder.path as String] in
            StatementLog.begin()
            let context = try TripStore.open(path)
            let trip = try #require(try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.days)])).first)
            StatementLog.section("related")
            context.insert(Stop(title: "S4", trip: trip))
            try context.save()
            StatementLog.section("read")
            guard trip.stops.count == 4 else { fatalError("\(trip.stops.count) stops") }
        }
        let log = StatementLog(try #require(run).standardErrorContent)
        #expect(log["related"] == 0)
        #expect(log["read"] > 0)
    }

    @Test("complaint 20: a fetch reads no bytes that lie next to the store, and gives them when they are asked for")
    func largeData() throws {
        let bytes = Data(repeating: 7, count: 3_000_000)
        do {
            let context = try TripStore.open(folder.path)
            let trip = Trip(name: "A", days: 3)
            trip.image = bytes
            context.insert(trip)
            try context.save()
        }
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        let file = try #require(
            names.map(folder.appendingPathComponent).first {
                (try? FileManager.default.attributesOfItem(atPath: $0.path)[.size] as? Int) ?? 0 > 2_000_000
            })
        let elsewhere = folder.appendingPathComponent("moved")
        try FileManager.default.moveItem(at: file, to: elsewhere)
        let found = try #require(try TripStore.open(folder.path).fetch(FetchDescriptor<Trip>()).first)
        #expect(found.days == 3)
        try FileManager.default.moveItem(at: elsewhere, to: file)
        #expect(found.image == bytes)
    }
}

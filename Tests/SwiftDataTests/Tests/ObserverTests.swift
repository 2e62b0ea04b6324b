import CoreData
import Foundation
import Observation
import Testing

@testable import SwiftData

/// A track of an album, by an artist that may be unknown.
@Model
final class Track {
    var title: String
    var album: String
    var artist: String?
    var year: Int
    var mood = Kind.leisure
    var plays = 0

    init(title: String, album: String = "", artist: String? = nil, year: Int = 0) {
        self.title = title
        self.album = album
        self.artist = artist
        self.year = year
    }
}

@Model
final class Fan {
    var name: String
    init(name: String) { self.name = name }
}

/// Counts notifications of what a block reads. Observation notifies once: the count observes again.
private final class Count {
    private(set) var value = 0
    private let read: () -> Void

    init(_ read: @escaping () -> Void) {
        self.read = read
        observe()
    }

    private func observe() {
        nonisolated(unsafe) let count = self
        withObservationTracking(read) {
            count.value += 1
        }
    }

    /// How often it was notified since it was last asked: 0 or 1.
    func removeAll() -> Int {
        if value == 0 { return 0 }
        defer {
            value = 0
            observe()
        }
        return value
    }
}

@Suite("Observers of results and of the history")
struct ObserverTests {
    let folder = TestFolder()
    let container: ModelContainer
    let context: ModelContext

    init() throws {
        container = try Self.container(folder.file("Tracks.store").path)
        context = ModelContext(container)
    }

    private static func container(_ path: String) throws -> ModelContainer {
        try ModelContainer(
            for: Track.self, Fan.self, configurations: ModelConfiguration(url: URL(fileURLWithPath: path)))
    }

    private func insert(_ tracks: Track...) throws {
        for track in tracks { context.insert(track) }
        try context.save()
    }

    @Test("results follow the context, unsaved changes among them, and their order ends with the identifier")
    func ownContext() throws {
        try insert(Track(title: "C"), Track(title: "A"), Track(title: "A"))
        let observer = try ResultsObserver<Track, Never>(sortBy: [SortDescriptor(\.title)], modelContext: context)
        #expect(observer.results.map(\.title) == ["A", "A", "C"])
        #expect(observer.results[0].persistentModelID < observer.results[1].persistentModelID)
        #expect(observer.fetchDescriptor.sortBy.map(\.keyPath) == [\.title, \.persistentModelID])
        #expect(observer.sortBy.count == 1)
        #expect(observer.sections == nil)
        let track = Track(title: "B")
        context.insert(track)
        #expect(observer.results.map(\.title) == ["A", "A", "B", "C"])
        track.title = "D"
        #expect(observer.results.map(\.title) == ["A", "A", "C", "D"])
        context.rollback()
        #expect(observer.results.map(\.title) == ["A", "A", "C"])
        context.delete(observer.results[2])
        #expect(observer.results.map(\.title) == ["A", "A"])
        try context.save()
        #expect(observer.results.count == 2)
    }

    @Test("setting the filter or the order fetches before the setter returns")
    func setters() throws {
        try insert(Track(title: "A", year: 1), Track(title: "B", year: 2), Track(title: "C", year: 3))
        let observer = try ResultsObserver<Track, Never>(
            filterBy: #Predicate { $0.year > 1 }, sortBy: [SortDescriptor(\.title)], modelContext: context)
        #expect(observer.results.map(\.title) == ["B", "C"])
        let count = Count { _ = observer.results }
        observer.filterBy = #Predicate { $0.year < 3 }
        #expect(count.removeAll() == 1)
        #expect(observer.results.map(\.title) == ["A", "B"])
        observer.sortBy = [SortDescriptor(\.title, order: .reverse)]
        #expect(count.removeAll() == 1)
        #expect(observer.results.map(\.title) == ["B", "A"])
        observer.filterBy = nil
        #expect(observer.results.map(\.title) == ["C", "B", "A"])
        #expect(observer.fetchError == nil)
    }

    @Test("observers are notified if the results differ, and not of changes that leave them as they are")
    func comparison() throws {
        try insert(Track(title: "A", year: 1), Track(title: "B", year: 2))
        let observer = try ResultsObserver<Track, Never>(
            filterBy: #Predicate { $0.year < 5 }, sortBy: [SortDescriptor(\.title)], modelContext: context)
        let results = Count { _ = observer.results }
        let filter = Count { _ = observer.filterBy }
        context.insert(Fan(name: "L"))
        observer.results[0].plays = 7
        context.insert(Track(title: "C", year: 9))
        try context.save()
        #expect(results.removeAll() == 0)
        observer.results[0].title = "Z"
        context.processPendingChanges()
        #expect(results.removeAll() == 1)
        #expect(observer.results.map(\.title) == ["B", "Z"])
        let elsewhere = ModelContext(container)
        let plays = try elsewhere.fetch(FetchDescriptor<Track>(predicate: #Predicate { $0.title == "B" }))
        plays.first?.plays = 1
        try elsewhere.save()
        _ = try context.fetchCount(FetchDescriptor<Fan>())
        #expect(results.removeAll() == 0)
        #expect(filter.removeAll() == 0)
        #expect(observer.results[0].plays == 1)
    }

    @Test("results are in sections by a text, the section's key first, in the order of first appearance")
    func sections() throws {
        try insert(
            Track(title: "C", album: "Y"), Track(title: "B", album: "X"), Track(title: "A", album: "Y"),
            Track(title: "D", album: "X"))
        let observer = try ResultsObserver<Track, String>(
            sortBy: [SortDescriptor(\.title, order: .reverse)], sectionBy: \.album, modelContext: context)
        let sections = try #require(observer.sections)
        #expect(sections.sectionTitles == ["X", "Y"])
        #expect(sections.map { $0.map(\.title) } == [["D", "B"], ["C", "A"]])
        #expect(sections.map(\.id) == ["X", "Y"])
        #expect(sections.contains(sectionTitle: "Y"))
        #expect(!sections.contains(sectionTitle: "Z"))
        #expect(sections.index(ofSectionTitled: "Y") == 1)
        #expect(sections[sectionTitle: "X"]?.count == 2)
        #expect(observer.sectionBy == \Track.album)
        let last = try #require(observer.element(at: [1, 1]))
        #expect(last.title == "A")
        #expect(observer.indexPath(for: last) == [1, 1])
        #expect(observer.element(at: [2, 0]) == nil)
        let count = Count { _ = observer.sections }
        last.plays = 1
        context.processPendingChanges()
        #expect(count.removeAll() == 0)
        last.album = "Z"
        context.processPendingChanges()
        #expect(count.removeAll() == 1)
        #expect(observer.sections?.sectionTitles == ["X", "Y", "Z"])
        #expect(observer.indexPath(for: last) == [2, 0])
    }

    @Test("sections may have any key: an optional text, a number, an enumeration")
    func sectionKeys() throws {
        try insert(
            Track(title: "1", artist: "X", year: 1999), Track(title: "2", year: 2024), Track(title: "3", year: 1999))
        let second = try context.fetch(FetchDescriptor<Track>(predicate: #Predicate { $0.title == "2" })).first
        second?.mood = .business
        for isSaved in [false, true] {
            if isSaved { try context.save() }
            let order = [SortDescriptor(\Track.title)]
            let artists = try ResultsObserver(sortBy: order, sectionBy: \Track.artist, modelContext: context)
            #expect(artists.sections?.sectionTitles == [nil, "X"])
            #expect(artists.sections?.map { $0.map(\.title) } == [["2", "3"], ["1"]])
            let years = try ResultsObserver(sortBy: order, sectionBy: \Track.year, modelContext: context)
            #expect(years.sections?.sectionTitles == [1999, 2024])
            #expect(years.sections?[sectionTitle: 1999]?.map(\.title) == ["1", "3"])
            let moods = try ResultsObserver(sortBy: order, sectionBy: \Track.mood, modelContainer: container)
            if isSaved { #expect(moods.sections?.sectionTitles == [.business, .leisure]) }
        }
        let newest = try ResultsObserver(
            sortBy: [SortDescriptor(\Track.year, order: .reverse)], sectionBy: \Track.year, modelContext: context)
        #expect(newest.sections?.sectionTitles == [2024, 1999])
    }

    @Test("the store counts the sections: no result is read for them", arguments: [nil, "someone"])
    func countedByStore(artist: String?) throws {
        for index in 0..<20 { context.insert(Track(title: "\(index)", album: "\(index % 3)")) }
        try context.save()
        let filter = artist.map { artist in #Predicate<Track> { $0.artist != artist } }
        let observer = try ResultsObserver<Track, String>(
            filterBy: filter, sectionBy: \.album, modelContainer: container)
        #expect(observer.sections?.map(\.count) == [7, 7, 6])
        #expect(observer.modelContext.managed.registeredObjects.allSatisfy { $0.isFault })
        #expect(observer.sections?[2].map(\.album) == Array(repeating: "2", count: 6))
    }

    @Test("what other contexts and stacks save is among the results")
    func siblings() throws {
        try insert(Track(title: "A"))
        let observer = try ResultsObserver<Track, Never>(sortBy: [SortDescriptor(\.title)], modelContext: context)
        let count = Count { _ = observer.results }
        let other = ModelContext(container)
        other.insert(Track(title: "B"))
        let first = try #require(try other.fetch(FetchDescriptor<Track>()).first)
        first.title = "C"
        try other.save()
        #expect(observer.results.map(\.title) == ["B", "C"])
        #expect(count.removeAll() == 1)
        other.delete(first)
        try other.save()
        #expect(observer.results.map(\.title) == ["B"])
    }

    @Test("what cannot be fetched is an error of the observer, which keeps its results")
    func failure() throws {
        try insert(Track(title: "A"))
        let observer = try ResultsObserver<Track, Never>(modelContext: context)
        observer.sortBy = [SortDescriptor(\.title.count)]
        #expect(observer.fetchError as? SwiftDataError == .unsupportedSortDescriptor)
        #expect(observer.results.count == 1)
        observer.sortBy = []
        #expect(observer.fetchError == nil)
    }

    @MainActor
    @Test("on the main actor results follow other processes by themselves", .timeLimit(.minutes(5)))
    func otherProcess() async throws {
        let observer = try ResultsObserver<Track, Never>(modelContainer: container)
        let (changes, change) = AsyncStream.makeStream(of: Void.self)
        withObservationTracking { _ = observer.results } onChange: { change.finish() }
        let path = folder.file("Tracks.store").path
        async let other: Void = Self.insertElsewhere(path)
        for await _ in changes {}
        await other
        #expect(observer.results.map(\.title) == ["Elsewhere"])
    }

    nonisolated private static func insertElsewhere(_ path: String) async {
        await #expect(processExitsWith: .success) { [path = path as String] in
            let context = ModelContext(try Self.container(path))
            context.author = "elsewhere"
            context.insert(Track(title: "Elsewhere"))
            try context.save()
        }
    }

    @Test("transactions are counted by models and authors, from a token on or from now on", .timeLimit(.minutes(5)))
    func history() async throws {
        try insert(Track(title: "A"))
        let start = try #require(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last).token
        context.author = "app"
        try insert(Track(title: "B"))
        context.insert(Fan(name: "L"))
        try context.save()
        let store = try #require(container.storeIdentifier(forConfigurationNamed: "Tracks"))
        func observer(_ models: [any PersistentModel.Type], _ authors: Set<String>) throws -> HistoryObserver {
            try HistoryObserver(
                historyTokens: [store: start], observedModels: models, authors: authors, modelContainer: container)
        }
        let all = try observer([], [])
        #expect(all.eventCounter == 2)
        #expect(try observer([Track.self], []).eventCounter == 1)
        #expect(try observer([], ["other"]).eventCounter == 0)
        #expect(try observer([Fan.self], ["app"]).eventCounter == 1)
        let now = try HistoryObserver(observedModels: [Track.self], authors: ["elsewhere"], modelContainer: container)
        #expect(now.eventCounter == 0)
        let (changes, change) = AsyncStream.makeStream(of: Void.self)
        withObservationTracking { _ = now.eventCounter } onChange: { change.finish() }
        try insert(Track(title: "C"))
        await Self.insertElsewhere(folder.file("Tracks.store").path)
        for await _ in changes {}
        await Task.yield()
        #expect(try observer([Track.self], ["elsewhere"]).eventCounter == 1)
        try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        #expect(throws: SwiftDataError.historyTokenExpired) { try observer([], []) }
    }
}

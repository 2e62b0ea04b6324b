import Foundation
import SwiftData

// What models have is for all actors: in this module, only what says so is.
nonisolated enum Mood: String, Codable, CaseIterable {
    case good, bad
}

nonisolated enum Weather: Codable, Equatable {
    case unknown
    case measured(degrees: Int)
}

nonisolated struct Place: Codable, Equatable {
    var city: String
    var country = "CH"
}

@Model
final class Diary {
    @Attribute(.unique) var title: String
    @Relationship(deleteRule: .cascade, inverse: \Entry.diary) var entries: [Entry] = []

    init(title: String) { self.title = title }
}

@Model
class Entry {
    var text: String
    var date: Date = Date.now
    var mood: Mood = Mood.good
    var weather: Weather = Weather.unknown
    var place: Place?
    var diary: Diary?
    @Transient var isOpen = false

    #Index<Entry>([\.date])

    init(text: String) { self.text = text }

    var summary: String { text.prefix(10) + (mood == .good ? "" : "!") }
}

@Model
final class Photo: Entry {
    @Attribute(.externalStorage) var bytes: Data = Data()

    init(text: String, bytes: Data) {
        self.bytes = bytes
        super.init(text: text)
    }
}

@ModelActor
actor Archive {
    func write(_ texts: [String], to title: String) throws -> PersistentIdentifier {
        let diary = Diary(title: title)
        modelContext.insert(diary)
        diary.entries = texts.map { Entry(text: $0) }
        try modelContext.save()
        return diary.persistentModelID
    }

    func count(since date: Date) throws -> Int {
        try modelContext.fetchCount(FetchDescriptor<Entry>(predicate: #Predicate { $0.date >= date }))
    }
}

/// On the main actor, as all that does not say otherwise.
final class DiaryList {
    let container: ModelContainer
    private(set) var diaries: [Diary] = []

    init() throws {
        container = try ModelContainer(
            for: Diary.self, Photo.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    }

    func reload() throws {
        diaries = try container.mainContext.fetch(FetchDescriptor(sortBy: [SortDescriptor(\.title)]))
    }

    func write() async throws -> Int {
        let archive = Archive(modelContainer: container)
        let id = try await archive.write(["one", "two"], to: "Archive")
        guard let diary = container.mainContext.model(for: id) as? Diary else { return 0 }
        diary.entries.append(Photo(text: "three", bytes: Data([1])))
        try container.mainContext.save()
        return try await archive.count(since: .distantPast)
    }
}

import Foundation
import SwiftData
import Testing

/// A library whose authors were texts of the books, and become models.
enum TextAuthors: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Title.self, Shelf.self] }

    struct Format: Codable, Equatable {
        var pages: Int
    }

    @Model final class Title {
        var name: String
        var author: String
        var format: Format
        var shelf: Shelf?

        init(name: String, author: String, pages: Int) {
            self.name = name
            self.author = author
            format = Format(pages: pages)
        }
    }

    @Model final class Shelf {
        var label: String
        @Relationship(inverse: \Title.shelf) var titles: [Title] = []

        init(label: String) { self.label = label }
    }
}

enum ModelAuthors: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Title.self, Shelf.self, Author.self] }

    struct Format: Codable, Equatable {
        var pages: Int
        var cover: String
        var weight: Double?
    }

    @Model final class Title {
        @Attribute(originalName: "name") var heading: String
        var language: String = "en"
        var rating: Int?
        var format: Format = Format(pages: 0, cover: "soft")
        var author: Author?
        @Relationship(originalName: "shelf") var place: Shelf?

        init(heading: String) { self.heading = heading }
    }

    @Model final class Shelf {
        var label: String
        @Relationship(inverse: \Title.place) var titles: [Title] = []

        init(label: String) { self.label = label }
    }

    @Model final class Author {
        var name: String
        @Relationship(inverse: \Title.author) var titles: [Title] = []

        init(name: String) { self.name = name }
    }
}

/// The titles have a superclass from here on.
enum MediaVersion: VersionedSchema {
    static let versionIdentifier = Schema.Version(3, 0, 0)
    static var models: [any PersistentModel.Type] { [Medium.self, Title.self, Film.self] }

    @Model class Medium {
        var heading: String
        @Attribute(hashModifier: "2") var language: String = "en"

        init(heading: String) { self.heading = heading }
    }

    @Model final class Title: Medium {
        var rating: Int?
    }

    @Model final class Film: Medium {
        var minutes: Int = 90

        override init(heading: String) { super.init(heading: heading) }
    }
}

enum AuthorPlan: SchemaMigrationPlan {
    struct Stop: Error {}

    nonisolated(unsafe) static var fails = false
    static var schemas: [any VersionedSchema.Type] { [TextAuthors.self, ModelAuthors.self] }
    static var stages: [MigrationStage] {
        [
            .sideBySide(fromVersion: TextAuthors.self, toVersion: ModelAuthors.self) { old, new in
                var authors: [String: ModelAuthors.Author] = [:]
                for title in try old.fetch(FetchDescriptor<TextAuthors.Title>()) {
                    let author = authors[title.author] ?? ModelAuthors.Author(name: title.author)
                    authors[title.author] = author
                    let same = try new.counterpart(of: title, as: ModelAuthors.Title.self)
                    same?.author = author
                }
                if fails { throw Stop() }
            }
        ]
    }
}

enum BackwardPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [TextAuthors.self, ModelAuthors.self] }
    static var stages: [MigrationStage] {
        [.lightweight(fromVersion: TextAuthors.self, toVersion: ModelAuthors.self)]
    }
}

enum PlainReel: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Reel.self] }

    @Model final class Reel {
        var minutes: Int

        init(minutes: Int) { self.minutes = minutes }
    }
}

enum ModifiedReel: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Reel.self] }

    @Model final class Reel {
        @Attribute(hashModifier: "seconds") var minutes: Int

        init(minutes: Int) { self.minutes = minutes }
    }
}

enum ReelPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [ModifiedReel.self] }
    static var stages: [MigrationStage] { [] }
}

enum QuietOptions: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Options.self] }

    @Model final class Options {
        var isQuiet = false

        init(isQuiet: Bool) { self.isQuiet = isQuiet }
    }
}

enum LoudOptions: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Options.self] }

    @Model final class Options {
        var isLoud = true

        init(isLoud: Bool) { self.isLoud = isLoud }
    }
}

/// Goes both ways.
enum OptionsPlan: SchemaMigrationPlan {
    nonisolated(unsafe) static var wasLoud: [Bool] = []
    static var schemas: [any VersionedSchema.Type] { [QuietOptions.self, LoudOptions.self] }
    static var stages: [MigrationStage] {
        [
            .lightweight(fromVersion: QuietOptions.self, toVersion: LoudOptions.self),
            .custom(
                fromVersion: LoudOptions.self, toVersion: QuietOptions.self,
                willMigrate: { wasLoud = try $0.fetch(FetchDescriptor<LoudOptions.Options>()).map(\.isLoud) },
                didMigrate: { context in
                    for (options, wasLoud) in zip(try context.fetch(FetchDescriptor<QuietOptions.Options>()), wasLoud) {
                        options.isQuiet = !wasLoud
                    }
                }),
        ]
    }
}

enum NamedOptions: VersionedSchema {
    static let versionIdentifier = Schema.Version(3, 0, 0)
    static var models: [any PersistentModel.Type] { [Options.self] }

    @Model final class Options {
        var isQuiet = false
        var owner: String

        init(isQuiet: Bool, owner: String) { (self.isQuiet, self.owner) = (isQuiet, owner) }
    }
}

/// Deletes all models before a property becomes mandatory, and makes them again after it.
enum RemakingPlan: SchemaMigrationPlan {
    nonisolated(unsafe) static var kept: [QuietOptions.Options] = []
    static var schemas: [any VersionedSchema.Type] { [QuietOptions.self, NamedOptions.self] }
    static var stages: [MigrationStage] {
        [
            .custom(
                fromVersion: QuietOptions.self, toVersion: NamedOptions.self,
                willMigrate: { context in
                    kept = try context.fetch(FetchDescriptor<QuietOptions.Options>())
                    for options in kept { context.delete(options) }
                    try context.save()
                },
                didMigrate: { context in
                    for old in kept { context.insert(NamedOptions.Options(isQuiet: old.isQuiet, owner: "Ada")) }
                    try context.save()
                })
        ]
    }
}

@Suite("Stores of older versions", .serialized)
final class MigrationTests {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    var url: URL { folder.appendingPathComponent("Library.store") }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func open(
        _ version: any VersionedSchema.Type, _ plan: (any SchemaMigrationPlan.Type)? = nil
    ) throws -> ModelContext {
        let schema = Schema(versionedSchema: version)
        return ModelContext(
            try ModelContainer(for: schema, migrationPlan: plan, configurations: ModelConfiguration(url: url)))
    }

    private func makeOld() throws {
        let context = try open(TextAuthors.self)
        let shelf = TextAuthors.Shelf(label: "A")
        for (name, author) in [("Emma", "Austen"), ("Persuasion", "Austen"), ("Middlemarch", "Eliot")] {
            let title = TextAuthors.Title(name: name, author: author, pages: name.count)
            title.shelf = shelf
            context.insert(title)
        }
        try context.save()
    }

    @Test("a stage may delete all models and make them again, with a property that has no default")
    func remaking() throws {
        let old = try open(QuietOptions.self)
        old.insert(QuietOptions.Options(isQuiet: true))
        try old.save()
        let context = try open(NamedOptions.self, RemakingPlan.self)
        let options = try context.fetch(FetchDescriptor<NamedOptions.Options>())
        #expect(options.map(\.owner) == ["Ada"])
        #expect(options.map(\.isQuiet) == [true])
    }

    @Test("a stage has old and new models side by side, relationships included")
    func sideBySide() throws {
        try makeOld()
        AuthorPlan.fails = false
        let context = try open(ModelAuthors.self, AuthorPlan.self)
        let authors = try context.fetch(FetchDescriptor<ModelAuthors.Author>(sortBy: [SortDescriptor(\.name)]))
        try #require(authors.map(\.name) == ["Austen", "Eliot"])
        #expect(Set(authors[0].titles.map(\.heading)) == ["Emma", "Persuasion"])
        let titles = try context.fetch(FetchDescriptor<ModelAuthors.Title>(sortBy: [SortDescriptor(\.heading)]))
        #expect(titles.map { $0.place?.label } == ["A", "A", "A"])
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(files.filter { $0.hasPrefix(".migration") } == [])
        #expect(try open(ModelAuthors.self, AuthorPlan.self).fetchCount(FetchDescriptor<ModelAuthors.Author>()) == 2)
    }

    @Test("a stage whose block throws leaves the store as it was")
    func interrupted() throws {
        try makeOld()
        AuthorPlan.fails = true
        defer { AuthorPlan.fails = false }
        #expect(throws: AuthorPlan.Stop.self) { try open(ModelAuthors.self, AuthorPlan.self) }
        #expect(try open(TextAuthors.self).fetchCount(FetchDescriptor<TextAuthors.Title>()) == 3)
    }

    @Test("renamed properties keep their values, new ones and new parts of structures have their defaults")
    func lightweight() throws {
        try makeOld()
        let context = try open(ModelAuthors.self, BackwardPlan.self)
        let title = try #require(
            try context.fetch(FetchDescriptor<ModelAuthors.Title>(sortBy: [SortDescriptor(\.heading)])).first)
        #expect(title.heading == "Emma")
        #expect(title.language == "en")
        #expect(title.rating == nil)
        #expect(title.format == ModelAuthors.Format(pages: 4, cover: "soft", weight: nil))
        #expect(title.place?.label == "A")
        #expect(title.author == nil)
        let soft = FetchDescriptor<ModelAuthors.Title>(predicate: #Predicate { $0.format.cover == "soft" })
        #expect(try context.fetchCount(soft) == 3)
    }

    @Test("models get a superclass")
    func inheritance() throws {
        do {
            let context = try open(ModelAuthors.self)
            let title = ModelAuthors.Title(heading: "Emma")
            title.rating = 5
            context.insert(title)
            try context.save()
        }
        let context = try open(MediaVersion.self)
        context.insert(MediaVersion.Film(heading: "Clueless"))
        try context.save()
        let media = try context.fetch(FetchDescriptor<MediaVersion.Medium>(sortBy: [SortDescriptor(\.heading)]))
        #expect(media.map(\.heading) == ["Clueless", "Emma"])
        #expect((media[1] as? MediaVersion.Title)?.rating == 5)
        #expect(media[1].language == "en")
    }

    @Test("a store of a later version than the schema's is refused, with the entities that differ")
    func backward() throws {
        do { _ = try open(ModelAuthors.self) }
        do {
            _ = try open(TextAuthors.self, BackwardPlan.self)
            Issue.record("the store was opened")
        } catch let error as SwiftDataError {
            #expect(error == .backwardMigration)
            #expect(error.message.contains("Author (in the store only)"))
            #expect(error.message.contains("Title"))
        }
    }

    @Test("a plan leaves a store alone that may not be changed, and its opening is refused")
    func readOnly() throws {
        try makeOld()
        #expect(throws: SwiftDataError.loadIssueModelContainer) {
            try ModelContainer(
                for: Schema(versionedSchema: ModelAuthors.self), migrationPlan: BackwardPlan.self,
                configurations: ModelConfiguration(url: self.url, allowsSave: false))
        }
        let titles = try open(TextAuthors.self).fetch(FetchDescriptor<TextAuthors.Title>())
        #expect(Set(titles.map(\.author)) == ["Austen", "Eliot"])
    }

    @Test("another hash modifier is another version, which is migrated by itself, and which a plan has to know")
    func hashModifier() throws {
        do {
            let context = try open(PlainReel.self)
            context.insert(PlainReel.Reel(minutes: 5))
            try context.save()
        }
        do {
            _ = try open(ModifiedReel.self, ReelPlan.self)
            Issue.record("the store was opened")
        } catch let error as SwiftDataError {
            #expect(error == .unknownSchema)
            #expect(error.message.contains("Reel"))
        }
        let context = try open(ModifiedReel.self)
        #expect(try context.fetch(FetchDescriptor<ModifiedReel.Reel>()).map(\.minutes) == [5])
    }

    @Test("a stage leads back to an older version, and a plan stops at the version that is wanted")
    func backAndForth() throws {
        let old = try open(QuietOptions.self)
        old.insert(QuietOptions.Options(isQuiet: false))
        try old.save()
        let new = try open(LoudOptions.self, OptionsPlan.self)
        let options = try #require(try new.fetch(FetchDescriptor<LoudOptions.Options>()).first)
        #expect(options.isLoud)
        options.isLoud = false
        try new.save()
        let back = try open(QuietOptions.self, OptionsPlan.self)
        #expect(try back.fetch(FetchDescriptor<QuietOptions.Options>()).map(\.isQuiet) == [true])
    }
}

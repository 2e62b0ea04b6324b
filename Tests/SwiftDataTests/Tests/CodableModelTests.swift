import Foundation
import SwiftData
import Testing

@Model
final class Page: Codable {
    var title: String
    var volume: Volume?

    init(title: String) { self.title = title }

    init(from decoder: any Decoder) throws { title = try decoder.singleValueContainer().decode(String.self) }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(title)
    }
}

@Model
final class Volume: Codable {
    var title: String
    @Relationship(inverse: \Page.volume) var pages: [Page] = []

    init(title: String) { self.title = title }

    init(from decoder: any Decoder) throws { title = try decoder.singleValueContainer().decode(String.self) }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(title)
    }
}

@Suite("Models that are Codable are related as others are")
struct CodableModelTests {
    @Test("s.10 a Codable model is the destination of to-one and to-many relationships")
    func relationships() throws {
        let memory = ModelConfiguration(isStoredInMemoryOnly: true)
        let container = try ModelContainer(for: Volume.self, configurations: memory)
        let context = ModelContext(container)
        let page = Page(title: "P")
        page.volume = Volume(title: "V")
        context.insert(page)
        try context.save()
        let volume = try #require(try ModelContext(container).fetch(FetchDescriptor<Volume>()).first)
        #expect(volume.pages.map(\.title) == ["P"])
        #expect(volume.pages.first?.volume === volume)
    }
}

import CoreData
import Foundation
import SwiftData
import Testing

@Model
final class Address {
    struct Position: Codable {
        var latitude = 0.0
        var longitude = 0.0
    }

    var place = Place(city: "", country: "")
    var position = Position()
    var kind = Kind.leisure
    var guide: Guide?

    #Index<Address>([\.place.city], [\.position], [\.kind.rawValue], [\.guide, \.place.zip], [\.guide?.name])

    init() {}
}

@Model
final class EncodedAddress {
    @Attribute(.codable) var place = Place(city: "", country: "")

    #Index<EncodedAddress>([\.place.city])

    init() {}
}

@Model
final class ComputedAddress {
    struct Size: Codable {
        var width = 1, height = 1
        var area: Int { width * height }
    }

    struct Tag: RawRepresentable, Codable { var rawValue: String }

    var size = Size()
    var tag = Tag(rawValue: "")

    #Index<ComputedAddress>([\.tag.rawValue], [\.size.area])

    init() {}
}

@Suite("Indexes of parts of structures")
struct IndexTests {
    @Test("an index of what has no column of its own is named when the container is made")
    func refused() throws {
        let memory = ModelConfiguration(isStoredInMemoryOnly: true)
        func message(_ type: any PersistentModel.Type) -> String {
            do { _ = try ModelContainer(for: Schema([type]), configurations: memory) } catch { return "\(error)" }
            return ""
        }
        #expect(message(EncodedAddress.self).contains("an index of a part of place"))
        let computed = message(ComputedAddress.self)
        #expect(computed.contains("an index of a part of size"))
        #expect(!computed.contains("tag"))
    }

    @Test("an index of a structure has its parts, and one of a part has that")
    func parts() throws {
        let model = try #require(NSManagedObjectModel.makeManagedObjectModel(for: Address.self))
        let indexes = try #require(model.entitiesByName["Address"]).indexes
        #expect(
            indexes.map { $0.elements.compactMap(\.propertyName) } == [
                ["place.city"], ["position.latitude", "position.longitude"], ["kind"], ["guide", "place.zip"],
                ["guide"],
            ])
    }

    @Test("a store has the index of a part")
    func stored() throws {
        let folder = TestFolder()
        let store = ModelConfiguration(url: folder.file("Addresses.store"))
        let context = ModelContext(try ModelContainer(for: Address.self, configurations: store))
        let address = Address()
        address.place = Place(city: "Rom", country: "IT", zip: 3)
        context.insert(address)
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Address>(predicate: #Predicate { $0.place.city == "Rom" })) == 1)
        // The definitions of tables and indexes are texts in the file.
        let file = try Data(contentsOf: store.url) + Data(contentsOf: URL(fileURLWithPath: store.url.path + "-wal"))
        #expect(file.range(of: Data("by_place.city".utf8)) != nil)
    }
}
